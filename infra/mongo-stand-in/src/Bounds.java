import de.bwaldvogel.mongo.bson.Bson;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.bson.ObjectId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a filter asks of one field, as far as an order can find it. */
final class Bounds {
  /** The values of which the field must have one; null: it may have each. */
  List<Object> anyOf;
  Object from = Order.END;
  Object to = Order.END;

  boolean isRange() {
    return from != Order.END || to != Order.END;
  }

  /** Whether these are as narrow as those of a partial index, which are a value, or the beginning of a range. */
  boolean areWithin(Bounds wide) {
    return wide.anyOf == null
        ? from != Order.END || (anyOf != null && !anyOf.contains(null))
        : anyOf != null && wide.anyOf.containsAll(anyOf);
  }

  /** The bounds of each field of a filter. What an order cannot find is left out. */
  static Map<String, Bounds> of(Document filter) {
    Map<String, Bounds> bounds = new HashMap<>();
    collect(filter, bounds);
    return bounds;
  }

  private static void collect(Document filter, Map<String, Bounds> bounds) {
    for (Map.Entry<String, Object> entry : filter.entrySet()) {
      if (entry.getKey().equals("$and")) {
        ((Collection<?>) entry.getValue()).forEach(each -> collect((Document) each, bounds));
      } else if (!entry.getKey().startsWith("$")) {
        bounds.computeIfAbsent(entry.getKey(), name -> new Bounds()).narrow(entry.getValue());
      }
    }
  }

  private void narrow(Object condition) {
    if (!(condition instanceof Document operators) || !operators.keySet().stream().anyMatch(name -> name.startsWith("$"))) {
      narrowTo(Collections.singletonList(condition));
      return;
    }
    operators.forEach((operator, value) -> {
      switch (operator) {
        case "$eq" -> narrowTo(Collections.singletonList(value));
        case "$in" -> narrowTo(new ArrayList<>((Collection<?>) value));
        case "$all" -> narrowTo(new ArrayList<>(((Collection<?>) value).stream().limit(1).toList()));
        case "$gt", "$gte" -> from = isFound(value) ? value : from;
        case "$lt", "$lte" -> to = isFound(value) ? value : to;
        default -> { }
      }
    });
  }

  private void narrowTo(List<Object> values) {
    if (anyOf == null && values.stream().allMatch(Bounds::isFound)) {
      anyOf = values;
    }
  }

  /** Documents, arrays and regular expressions are left to the filter. */
  private static boolean isFound(Object value) {
    boolean isIdentity = value instanceof ObjectId;
    return isIdentity || !(value instanceof Bson || value instanceof Collection);
  }
}
