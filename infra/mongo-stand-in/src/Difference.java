import de.bwaldvogel.mongo.bson.Document;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** What an update has changed, as a change stream describes it. */
final class Difference {
  private final Document updatedFields = new Document();
  private final List<String> removedFields = new ArrayList<>();

  private Difference() {}

  static Document between(Document before, Document after) {
    Difference difference = new Difference();
    difference.compare("", before, after);
    return new Document("updatedFields", difference.updatedFields)
        .append("removedFields", difference.removedFields)
        .append("truncatedArrays", new ArrayList<>());
  }

  private void compare(String path, Document before, Document after) {
    for (String name : before.keySet()) {
      if (!after.containsKey(name)) {
        removedFields.add(path + name);
      }
    }
    after.forEach((name, value) -> {
      Object old = before.get(name);
      if (value instanceof Document document && old instanceof Document document0) {
        compare(path + name + ".", document0, document);
      } else if (!before.containsKey(name) || !Objects.equals(old, value)) {
        updatedFields.put(path + name, value);
      }
    });
  }
}
