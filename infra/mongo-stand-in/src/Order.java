import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.Missing;
import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.backend.ValueComparator;
import de.bwaldvogel.mongo.bson.Document;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** The places of a collection's documents in the order of an index. */
final class Order {
  /** In place of a value, at the end of a bound: it comes after all values. */
  static final Object END = new Object();

  private final List<IndexKey> keys;
  /** By the values of the keys, and last the document's `_id`. */
  private final ConcurrentSkipListMap<List<Object>, Integer> positions = new ConcurrentSkipListMap<>(this::compare);
  private volatile boolean hasArrays;

  Order(List<IndexKey> keys) {
    this.keys = keys;
  }

  List<IndexKey> keys() {
    return keys;
  }

  /** Whether a document may have more than one place. */
  boolean hasArrays() {
    return hasArrays;
  }

  long size() {
    return positions.size();
  }

  void add(Document document, Integer position) {
    entriesOf(document).forEach(entry -> positions.put(entry, position));
  }

  void remove(Document document) {
    entriesOf(document).forEach(positions::remove);
  }

  void update(Document before, Document after, Integer position) {
    List<List<Object>> left = entriesOf(before);
    List<List<Object>> taken = entriesOf(after);
    if (!left.equals(taken)) {
      left.forEach(positions::remove);
      taken.forEach(entry -> positions.put(entry, position));
    }
  }

  /** The documents between two bounds, each the values of the first keys; in the order of the index. */
  NavigableMap<List<Object>, Integer> between(List<Object> from, List<Object> to) {
    return compare(from, to) > 0 ? new ConcurrentSkipListMap<>(positions.comparator()) : positions.subMap(from, true, to, true);
  }

  private List<List<Object>> entriesOf(Document document) {
    List<List<Object>> entries = List.of(List.of());
    for (IndexKey key : keys) {
      Object value = Utils.getSubdocumentValueCollectionAware(document, key.getKey());
      List<Object> values = new ArrayList<>();
      if (value instanceof Collection<?> elements && !elements.isEmpty()) {
        hasArrays = true;
        values.addAll(elements);
      } else {
        values.add(value instanceof Missing || value instanceof Collection ? null : value);
      }
      entries = multiplied(entries, values);
    }
    List<Object> identity = new ArrayList<>();
    identity.add(document.get("_id"));
    return multiplied(entries, identity);
  }

  private static List<List<Object>> multiplied(List<List<Object>> entries, List<Object> values) {
    List<List<Object>> longer = new ArrayList<>();
    for (List<Object> entry : entries) {
      for (Object value : values) {
        List<Object> each = new ArrayList<>(entry);
        each.add(value);
        longer.add(each);
      }
    }
    return longer;
  }

  /** As the library does, which takes much longer for the most common types. */
  private static int compareValues(Object left, Object right) {
    if (left instanceof String one && right instanceof String other) {
      return one.compareTo(other);
    }
    return left == right ? 0 : ValueComparator.ascWithoutListHandling().compare(left, right);
  }

  /** What ends first comes first. */
  private int compare(List<Object> one, List<Object> other) {
    int shared = Math.min(one.size(), other.size());
    for (int place = 0; place < shared; place++) {
      Object left = one.get(place);
      Object right = other.get(place);
      if (left == END || right == END) {
        return left == right ? 0 : left == END ? 1 : -1;
      }
      int compared = compareValues(left, right);
      if (compared != 0) {
        return place < keys.size() && !keys.get(place).isAscending() ? -compared : compared;
      }
    }
    return Integer.compare(one.size(), other.size());
  }
}
