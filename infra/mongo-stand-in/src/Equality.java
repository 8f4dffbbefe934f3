import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.bson.ObjectId;
import java.time.Instant;
import java.util.Collection;

/** The conditions of a filter that ask for one value. The library takes much longer for them. */
final class Equality {
  private Equality() {}

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
