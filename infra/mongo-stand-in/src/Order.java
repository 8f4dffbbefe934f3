import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.Missing;
import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.backend.ValueComparator;
import de.bwaldvogel.mongo.bson.Document;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The places of a collection's documents in the order of an index. It follows the writes when it is read next: a
 * collection has many indexes, and few of them are read between two writes. Read and written under the collection's lock.
 */
final class Order {
  /** More writes are not kept waiting, so that an index that nobody reads does not fill the memory. */
  private static final int MAX_WAITING = 10_000;

  /** In place of a value, at the end of a bound: it comes after all values. */
  static final Object END = new Object();

  private final List<IndexKey> keys;
  /** What the filter of a partial index asks of each field. */
  private final Map<String, Bounds> partial;
  /** Of each key, and last of `_id`. */
  private final String[][] paths;
  private final boolean[] descends;
  /** By the values of the keys, and last the document's `_id`. */
  private final TreeMap<Object[], Integer> positions = new TreeMap<>(this::compare);
  /** The writes that are not in `positions` yet, in their order. */
  private final List<Change> waiting = new ArrayList<>();
  private boolean hasArrays;

  /** @param position null: the entry is removed */
  private record Change(Object[] entry, Integer position) {}

  /** @param partialFilter null: it is an index of all documents */
  Order(List<IndexKey> keys, Document partialFilter) {
    this.keys = keys;
    partial = partialFilter == null ? Map.of() : Bounds.of(partialFilter);
    paths = new String[keys.size() + 1][];
    descends = new boolean[keys.size() + 1];
    for (int place = 0; place < keys.size(); place++) {
      paths[place] = keys.get(place).getKey().split("\\.");
      descends[place] = !keys.get(place).isAscending();
    }
    paths[keys.size()] = new String[] {"_id"};
  }

  List<IndexKey> keys() {
    return keys;
  }

  /** Whether the index holds all that a filter with these bounds finds. */
  boolean serves(Map<String, Bounds> bounds) {
    return partial.entrySet().stream().allMatch(each -> {
      Bounds asked = bounds.get(each.getKey());
      return asked != null && asked.areWithin(each.getValue());
    });
  }

  /** Whether a document may have more than one place. */
  boolean hasArrays() {
    return hasArrays;
  }

  long size() {
    return current().size();
  }

  void add(Document document, Integer position) {
    change(entriesOf(document), position);
  }

  void remove(Document document) {
    change(entriesOf(document), null);
  }

  void update(Document before, Document after, Integer position) {
    List<Object[]> left = entriesOf(before);
    List<Object[]> taken = entriesOf(after);
    if (!Arrays.deepEquals(left.toArray(), taken.toArray())) {
      change(left, null);
      change(taken, position);
    }
  }

  private void change(List<Object[]> entries, Integer position) {
    for (Object[] entry : entries) {
      waiting.add(new Change(entry, position));
    }
    if (waiting.size() > MAX_WAITING) {
      current();
    }
  }

  private TreeMap<Object[], Integer> current() {
    for (Change change : waiting) {
      if (change.position == null) {
        positions.remove(change.entry);
      } else {
        positions.put(change.entry, change.position);
      }
    }
    waiting.clear();
    return positions;
  }

  /** The documents between two bounds, each the values of the first keys; in the order of the index. */
  NavigableMap<Object[], Integer> between(List<Object> from, List<Object> to) {
    Object[] low = from.toArray();
    Object[] high = to.toArray();
    return compare(low, high) > 0 ? new TreeMap<>(this::compare) : current().subMap(low, true, high, true);
  }

  private List<Object[]> entriesOf(Document document) {
    Object[] values = new Object[paths.length];
    boolean isSingle = true;
    for (int place = 0; place < paths.length; place++) {
      values[place] = valueAt(document, place);
      isSingle &= place == keys.size() || !(values[place] instanceof Collection);
    }
    return isSingle ? List.<Object[]>of(values) : multiplied(values);
  }

  /** One entry for each element of an array. */
  private List<Object[]> multiplied(Object[] values) {
    List<Object[]> entries = List.<Object[]>of(values);
    for (int place = 0; place < keys.size(); place++) {
      if (values[place] instanceof Collection<?> elements) {
        hasArrays |= !elements.isEmpty();
        List<Object[]> longer = new ArrayList<>();
        for (Object[] entry : entries) {
          for (Object element : elements.isEmpty() ? Arrays.asList((Object) null) : elements) {
            Object[] each = entry.clone();
            each[place] = element;
            longer.add(each);
          }
        }
        entries = longer;
      }
    }
    return entries;
  }

  private Object valueAt(Document document, int place) {
    Object value = document;
    for (String name : paths[place]) {
      if (value instanceof Document members) {
        value = members.get(name);
      } else if (value instanceof Collection) {
        Object found = Utils.getSubdocumentValueCollectionAware(document, keys.get(place).getKey());
        return found instanceof Missing ? null : found;
      } else {
        return null;
      }
    }
    return value instanceof Missing ? null : value;
  }

  /** As the library does, which takes much longer for the most common types. */
  private static int compareValues(Object left, Object right) {
    if (left == right) {
      return 0;
    }
    if (left instanceof String one && right instanceof String other) {
      return one.compareTo(other);
    }
    if (left instanceof Instant one && right instanceof Instant other) {
      return one.compareTo(other);
    }
    if (left instanceof Integer one && right instanceof Integer other) {
      return one.compareTo(other);
    }
    return ValueComparator.ascWithoutListHandling().compare(left, right);
  }

  /** What ends first comes first. */
  private int compare(Object[] one, Object[] other) {
    int shared = Math.min(one.length, other.length);
    for (int place = 0; place < shared; place++) {
      Object left = one[place];
      Object right = other[place];
      if (left == END || right == END) {
        return left == right ? 0 : left == END ? 1 : -1;
      }
      int compared = compareValues(left, right);
      if (compared != 0) {
        return descends[place] ? -compared : compared;
      }
    }
    return Integer.compare(one.length, other.length);
  }
}
