import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.bson.Document;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * How a query is answered by the order of one index: equal values of its first fields, then a range or one of several
 * values of the next. All that it finds is held against the filter again, so that it may find too much.
 */
final class Plan {
  private final Order order;
  private final List<List<Object>> prefixes = new ArrayList<>();
  private Bounds range;
  private int equalFields;
  private boolean isSorted;
  private boolean isBackward;

  private Plan(Order order, Map<String, Bounds> bounds, Document sort) {
    this.order = order;
    prefixes.add(List.of());
    int place = 0;
    for (; place < order.keys().size() && prefixes.size() == 1; place++) {
      Bounds next = bounds.get(order.keys().get(place).getKey());
      if (next == null || next.anyOf == null) {
        range = next != null && next.isRange() ? next : null;
        break;
      }
      List<Object> prefix = prefixes.remove(0);
      for (Object value : new LinkedHashSet<>(next.anyOf)) {
        List<Object> longer = new ArrayList<>(prefix);
        longer.add(value);
        prefixes.add(longer);
      }
      equalFields += 1;
    }
    if (sort != null && prefixes.size() == 1 && !order.hasArrays()) {
      readSort(new ArrayList<>(sort.entrySet()), place);
    }
  }

  /** The best of the plans; null: the whole collection is to be read. */
  static Plan of(Document filter, Document sort, int limit, List<Order> orders) {
    Map<String, Bounds> bounds = Bounds.of(filter);
    Plan best = null;
    for (Order order : orders.stream().filter(each -> each.serves(bounds)).toList()) {
      Plan plan = new Plan(order, bounds, sort == null || sort.isEmpty() ? null : sort);
      boolean isOfUse = plan.equalFields > 0 || plan.range != null || (plan.isSorted && limit > 0);
      if (isOfUse && (best == null || plan.worth(limit) > best.worth(limit))) {
        best = plan;
      }
    }
    return best;
  }

  /**
   * The places of the documents that match a branch of an `$or`; null where one of them would read the whole collection.
   * What the index of a branch finds is held against that branch alone.
   *
   * @param matches whether the document at a place matches a branch
   */
  static Iterable<Integer> ofBranches(Object branches, List<Order> orders, BiPredicate<Integer, Document> matches) {
    Map<Document, Plan> plans = new LinkedHashMap<>();
    for (Object branch : (Collection<?>) branches) {
      Plan plan = of((Document) branch, null, 0, orders);
      if (plan == null) {
        return null;
      }
      plans.put((Document) branch, plan);
    }
    return () -> plans.entrySet().stream()
        .flatMap(each -> StreamSupport.stream(each.getValue().positions().spliterator(), false)
            .filter(position -> matches.test(position, each.getKey())))
        .distinct()
        .iterator();
  }

  boolean isSorted() {
    return isSorted;
  }

  /** Whether it reads a part of the collection; else all of it, in the order that is wanted. */
  boolean isNarrow() {
    return equalFields > 0 || range != null;
  }

  Iterable<Integer> positions() {
    Stream<Integer> found = prefixes.stream().flatMap(prefix -> between(prefix).values().stream());
    return (order.hasArrays() || prefixes.size() > 1 ? found.distinct() : found)::iterator;
  }

  /** MongoDB tries the plans, and takes the one that ends first: a part of the ids is shorter than all of a value. */
  private int worth(int limit) {
    return 4 * equalFields + (range == null ? 0 : isPartOfIds() ? 5 : 2) + (isSorted && limit > 0 ? 3 : 0);
  }

  private boolean isPartOfIds() {
    return range.from != Order.END && range.to != Order.END && order.keys().get(equalFields).getKey().equals("_id");
  }

  private NavigableMap<Object[], Integer> between(List<Object> prefix) {
    boolean ascends = prefix.size() >= order.keys().size() || order.keys().get(prefix.size()).isAscending();
    // Of two bounds on an array one may hold for one element, and one for another.
    Object low = range == null ? Order.END : ascends || order.hasArrays() ? range.from : range.to;
    Object high = range == null || order.hasArrays() ? Order.END : ascends ? range.to : range.from;
    List<Object> from = new ArrayList<>(prefix);
    List<Object> to = new ArrayList<>(prefix);
    if (low != Order.END && !(order.hasArrays() && !ascends)) {
      from.add(low);
    }
    if (high != Order.END) {
      to.add(high);
    }
    to.add(Order.END);
    NavigableMap<Object[], Integer> found = order.between(from, to);
    return isBackward ? found.descendingMap() : found;
  }

  /** Whether the order sorts by these fields, once those before `place` have one value each. */
  private void readSort(List<Map.Entry<String, Object>> sort, int place) {
    List<IndexKey> keys = order.keys();
    List<String> fixed = keys.subList(0, place).stream().map(IndexKey::getKey).toList();
    sort.removeIf(entry -> fixed.contains(entry.getKey()));
    if (place + sort.size() > keys.size()) {
      return;
    }
    for (int each = 0; each < sort.size(); each++) {
      IndexKey key = keys.get(place + each);
      boolean ascends = ((Number) sort.get(each).getValue()).intValue() > 0;
      boolean isOpposite = ascends != key.isAscending();
      if (!key.getKey().equals(sort.get(each).getKey()) || (each > 0 && isOpposite != isBackward)) {
        isBackward = false;
        return;
      }
      isBackward = isOpposite;
    }
    isSorted = true;
  }
}
