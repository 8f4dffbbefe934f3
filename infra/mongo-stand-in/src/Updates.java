import de.bwaldvogel.mongo.bson.Document;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** The update command as MongoDB runs it. */
final class Updates {
  private Updates() {}

  /** An update as `Collection` takes it: a pipeline as the one member of a document, and times that are the clock's. */
  static Document prepared(Object update, Instant now) {
    if (update instanceof List<?> stages) {
      return new Document(Collection.PIPELINE, Pipeline.withNow(stages, now));
    }
    Document document = ((Document) update).clone();
    if (document.get("$currentDate") instanceof Document times) {
      // The library would take the time itself, in finer parts than MongoDB's.
      Document set = document.get("$set") instanceof Document before ? before.clone() : new Document();
      times.keySet().forEach(path -> set.put(path, now));
      document.remove("$currentDate");
      document.put("$set", set);
    }
    return document;
  }

  /** Runs the updates of a command one by one, and stops at the first error where they are ordered. */
  static Document run(Document command, UnaryOperator<Document> runOne) {
    boolean isOrdered = !Boolean.FALSE.equals(command.get("ordered"));
    List<?> updates = (List<?>) command.get("updates");
    List<Document> errors = new ArrayList<>();
    List<Document> upserted = new ArrayList<>();
    int found = 0;
    int modified = 0;
    for (int place = 0; place < updates.size() && (errors.isEmpty() || !isOrdered); place++) {
      Document single = command.clone().append("updates", List.of(updates.get(place)));
      Document response = runOne.apply(single);
      found += ((Number) response.get("n")).intValue();
      modified += ((Number) response.get("nModified")).intValue();
      move(response.get("writeErrors"), place, errors);
      move(response.get("upserted"), place, upserted);
    }
    Document response = new Document("n", found).append("nModified", modified);
    if (!upserted.isEmpty()) {
      response.put("upserted", upserted);
    }
    if (!errors.isEmpty()) {
      response.put("writeErrors", errors);
    }
    return response.append("ok", 1.0);
  }

  private static void move(Object reported, int place, List<Document> into) {
    if (reported instanceof List<?> several) {
      several.forEach(each -> into.add(((Document) each).clone().append("index", place)));
    }
  }
}
