import de.bwaldvogel.mongo.backend.Missing;
import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.backend.aggregation.Expression;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Pipelines as MongoDB has them: those that update documents, and stages whose names the library does not know. */
final class Pipeline {
  private Pipeline() {}

  /** In place of a value: the field is to be removed. */
  private static final Document REMOVE = new Document("$$REMOVE", true);

  /** A filter or pipeline in which `$$NOW` is this time. Text under `$literal` stays as it is. */
  static Object withNow(Object value, Instant now) {
    if ("$$NOW".equals(value)) {
      return now;
    }
    if (value instanceof Document document) {
      Document replaced = new Document();
      document.forEach((name, each) -> replaced.put(name, name.equals("$literal") ? each : withNow(each, now)));
      return replaced;
    }
    if (value instanceof Collection<?> elements) {
      List<Object> replaced = new ArrayList<>();
      elements.forEach(each -> replaced.add(withNow(each, now)));
      return replaced;
    }
    return value;
  }

  /** Stages by the names that the library knows. */
  static List<Document> named(List<?> stages) {
    List<Document> named = new ArrayList<>();
    for (Object each : stages) {
      Document stage = ((Document) each).clone();
      if (stage.containsKey("$set")) {
        stage = new Document("$addFields", stage.get("$set"));
      } else if (stage.containsKey("$replaceWith")) {
        stage = new Document("$replaceRoot", new Document("newRoot", stage.get("$replaceWith")));
      }
      named.add(stage);
    }
    return named;
  }

  static boolean replaces(List<?> stages) {
    return stages.stream().anyMatch(stage -> ((Document) stage).containsKey("$replaceWith"));
  }

  /** A document as these stages of an update leave it. */
  static Document updated(Document before, List<?> stages) {
    Document document = before.cloneDeeply();
    for (Object each : stages) {
      Map.Entry<String, Object> stage = ((Document) each).entrySet().iterator().next();
      document = switch (stage.getKey()) {
        case "$set", "$addFields" -> withFields(document, (Document) stage.getValue());
        case "$unset" -> withoutFields(document, stage.getValue());
        case "$replaceWith" -> (Document) evaluated(stage.getValue(), document);
        case "$replaceRoot" -> (Document) evaluated(((Document) stage.getValue()).get("newRoot"), document);
        default -> throw new MongoServerError(
            40324, stage.getKey() + " is not allowed to be used within an update, or the stand-in does not know it");
      };
    }
    return document;
  }

  private static Document withFields(Document before, Document fields) {
    Document after = before.cloneDeeply();
    fields.forEach((path, expression) -> setField(after, path, expression, before));
    return after;
  }

  private static void setField(Document target, String path, Object expression, Document before) {
    boolean isOperator = expression instanceof Document members
        && members.keySet().stream().anyMatch(name -> name.startsWith("$"));
    if (expression instanceof Document members && !isOperator && !members.isEmpty()) {
      members.forEach((name, each) -> setField(target, path + "." + name, each, before));
      return;
    }
    Object value = evaluated(expression, before);
    if (REMOVE.equals(value) || value instanceof Missing) {
      Utils.removeSubdocumentValue(target, path);
    } else {
      Utils.changeSubdocumentValue(target, path, value);
    }
  }

  private static Document withoutFields(Document before, Object names) {
    Document after = before.cloneDeeply();
    Collection<?> paths = names instanceof Collection<?> several ? several : List.of(names);
    paths.forEach(path -> Utils.removeSubdocumentValue(after, String.valueOf(path)));
    return after;
  }

  private static Object evaluated(Object expression, Document document) {
    if (expression instanceof Collection<?> elements) {
      List<Object> values = new ArrayList<>();
      elements.forEach(each -> values.add(evaluated(each, document)));
      return values;
    }
    // The library looks for variables among the fields.
    Document scope = document.clone().append("$ROOT", document).append("$REMOVE", REMOVE);
    // It evaluates a document that is the result once more, and so the text in it; but not one in an array.
    Document single = new Document("input", List.of(0)).append("as", "each").append("in", expression);
    return ((List<?>) Expression.evaluateDocument(new Document("$map", single), scope)).get(0);
  }
}
