import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.bson.ObjectId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/** The conditions of a filter that ask for one value, or for one of several. The library takes much longer for them. */
final class Equality {
  private Equality() {}

  /** The values of an `$in`, all of one class: MongoDB looks a value up in them, the library compares it with each. */
  private static final class Values extends ArrayList<Object> {
    private final Class<?> type;
    private final Set<Object> distinct;

    Values(Collection<?> values, Class<?> type) {
      super(values);
      this.type = type;
      distinct = new HashSet<>(values);
    }
  }

  /** The same filter, in which the values of each `$in` can be looked up. */
  static Document prepared(Document filter) {
    Document prepared = filter.clone();
    prepared.replaceAll((path, condition) -> {
      if (!(condition instanceof Document operators && operators.size() == 1
          && operators.get("$in") instanceof Collection<?> values && !values.isEmpty())) {
        return condition;
      }
      Object first = values.iterator().next();
      boolean isOfOneClass =
          isPlain(first) && values.stream().allMatch(value -> value != null && value.getClass() == first.getClass());
      return isOfOneClass ? new Document("$in", new Values(values, first.getClass())) : condition;
    });
    return prepared;
  }

  /**
   * The conditions that are not of this kind, or that only the library can decide.
   *
   * @return null: the document does not match one of the others
   */
  static Document undecided(Document document, Document filter) {
    Document undecided = new Document();
    for (var condition : filter.entrySet()) {
      String path = condition.getKey();
      Object wanted = condition.getValue();
      if (wanted instanceof Document operators && operators.size() == 1 && operators.containsKey("$eq")) {
        wanted = operators.get("$eq");
      }
      Object found = path.startsWith("$") ? Order.END : valueAt(document, path);
      if (wanted instanceof Document operators && operators.get("$in") instanceof Values values
          && (found == null || found.getClass() == values.type)) {
        if (!values.distinct.contains(found)) {
          return null;
        }
        continue;
      }
      boolean isDecided = (wanted == null || isPlain(wanted)) && (found == null || isPlain(found));
      if (!isDecided || (wanted != null && found != null && wanted.getClass() != found.getClass())) {
        undecided.put(path, condition.getValue());
      } else if (wanted == null ? found != null : !wanted.equals(found)) {
        return null;
      }
    }
    return undecided;
  }

  private static boolean isPlain(Object value) {
    return value instanceof String || value instanceof Boolean || value instanceof Integer || value instanceof Instant
        || value instanceof ObjectId;
  }

  /** Null where there is none; END where the path leads through an array. */
  private static Object valueAt(Document document, String path) {
    Object value = document;
    for (int from = 0; from <= path.length(); ) {
      int dot = path.indexOf('.', from);
      int to = dot == -1 ? path.length() : dot;
      if (value instanceof Collection) {
        return Order.END;
      }
      value = value instanceof Document members ? members.get(path.substring(from, to)) : null;
      from = to + 1;
    }
    return value;
  }
}
