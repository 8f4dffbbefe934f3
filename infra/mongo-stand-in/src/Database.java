import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.DatabaseResolver;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.memory.MemoryCollection;
import de.bwaldvogel.mongo.backend.memory.MemoryDatabase;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import de.bwaldvogel.mongo.oplog.Oplog;
import io.netty.channel.Channel;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** A database: its commands as MongoDB answers them, and its indexes. */
final class Database extends MemoryDatabase {
  /** MongoDB's: what the first answer to a query holds at most when the client names no size. */
  private static final int FIRST_BATCH = 101;

  private final BoundedOplog writes;
  private final Clock clock;
  /** The filters of partial indexes, by collection and name. */
  private final Map<String, Document> partialFilters = new HashMap<>();

  Database(String name, CursorRegistry cursors, BoundedOplog writes, Clock clock) {
    super(name, cursors);
    this.writes = writes;
    this.clock = clock;
  }

  @Override
  public Document handleCommand(
      Channel channel, String command, Document query, DatabaseResolver resolver, Oplog oplog) {
    Instant now = clock.instant();
    switch (command.toLowerCase(Locale.ROOT)) {
      case "find" -> {
        prepare(query, "filter", now);
        query.putIfAbsent("batchSize", FIRST_BATCH);
      }
      case "count" -> prepare(query, "query", now);
      case "findandmodify" -> {
        prepare(query, "query", now);
        query.computeIfPresent("update", (name, update) -> Updates.prepared(update, now));
      }
      case "delete" -> each(query, "deletes", delete -> prepare(delete, "q", now));
      case "aggregate" -> {
        prepare(query, "pipeline", now);
        query.put("pipeline", Pipeline.named((List<?>) query.get("pipeline")));
      }
      case "update" -> {
        each(query, "updates", update -> {
          prepare(update, "q", now);
          update.put("u", Updates.prepared(update.get("u"), now));
        });
        checkHints(query, query);
        return Updates.run(query, single -> super.handleCommand(channel, command, single, resolver, oplog));
      }
      case "dropindexes" -> query.computeIfPresent("index", (name, index) -> keyOf(query.get(command), index));
      default -> { }
    }
    checkHints(query, query);
    Document response = super.handleCommand(channel, command, query, resolver, oplog);
    return completed(command, query, response);
  }

  private Document completed(String command, Document query, Document response) {
    if (command.equalsIgnoreCase("insert") && response.get("writeErrors") instanceof List<?> errors) {
      int sent = ((List<?>) query.get("documents")).size();
      boolean isOrdered = !Boolean.FALSE.equals(query.get("ordered"));
      Number failedAt = (Number) ((Document) errors.get(0)).get("index");
      response.put("n", isOrdered ? failedAt.intValue() : sent - errors.size());
    }
    if (response.get("cursor") instanceof Document cursor && cursor.get("id") instanceof Long id && id != 0
        && cursorRegistry.getCursor(id) instanceof ChangeStreamCursor stream) {
      stream.describe(response);
    }
    return response;
  }

  private static void prepare(Document holder, String name, Instant now) {
    holder.computeIfPresent(name, (same, value) -> Pipeline.withNow(value, now));
  }

  private static void each(Document query, String name, Consumer<Document> work) {
    ((List<?>) query.get(name)).forEach(element -> work.accept((Document) element));
  }

  /** MongoDB refuses the name of an index that is not there. */
  private void checkHints(Document query, Document holder) {
    if (holder.get("hint") instanceof String hint) {
      String collection = String.valueOf(query.values().iterator().next());
      var resolved = resolveCollection(collection, false);
      if (resolved != null && resolved.getIndexes().stream().noneMatch(index -> index.getName().equals(hint))) {
        throw new MongoServerError(2, "BadValue", "hint provided does not correspond to an existing index: " + hint);
      }
    }
    for (String statements : List.of("updates", "deletes")) {
      if (holder.get(statements) instanceof List<?> several) {
        several.forEach(statement -> checkHints(query, (Document) statement));
      }
    }
  }

  @Override
  protected MemoryCollection openOrCreateCollection(String name, CollectionOptions options) {
    // The library's constructor asks for the collection of names before this class has its fields.
    return name.startsWith("system.")
        ? super.openOrCreateCollection(name, options)
        : new Collection(this, name, options, cursorRegistry, writes);
  }

  /** The key of a named index: by its name the library drops the indexes of other collections as well. */
  private Object keyOf(Object collection, Object index) {
    var resolved = resolveCollection(String.valueOf(collection), false);
    return resolved == null ? index : resolved.getIndexes().stream()
        .filter(each -> each.getName().equals(index)).map(Database::keyOf).map(Object.class::cast)
        .findFirst().orElse(index);
  }

  private static Document keyOf(Index<?> index) {
    Document key = new Document();
    index.getKeys().forEach(each -> key.append(each.getKey(), each.isAscending() ? 1 : -1));
    return key;
  }

  /** MongoDB refuses an index that another name has with the same key, and one whose name another key has. */
  private void checkConflicts(String collection, Document description) {
    var resolved = resolveCollection(collection, false);
    for (Index<Integer> index : resolved == null ? List.<Index<Integer>>of() : resolved.getIndexes()) {
      boolean isSameKey = String.valueOf(keyOf(index)).equals(String.valueOf(whole((Document) description.get("key"))));
      boolean isSameName = index.getName().equals(description.get("name"));
      if (isSameKey && !isSameName && !index.getName().equals("_id_")) {
        throw new MongoServerError(85, "IndexOptionsConflict",
            "Index already exists with a different name: " + index.getName());
      }
      if (isSameName && !isSameKey) {
        throw new MongoServerError(86, "IndexKeySpecsConflict",
            "An existing index has the same name as the requested index: " + index.getName());
      }
    }
  }

  private static Document whole(Document key) {
    Document whole = new Document();
    key.forEach((path, direction) -> whole.append(path, direction instanceof Number n ? n.intValue() : direction));
    return whole;
  }

  @Override
  protected synchronized void addIndex(Document description) {
    checkConflicts(
        String.valueOf(description.get("ns")).substring(getDatabaseName().length() + 1), description);
    if (description.get("partialFilterExpression") instanceof Document filter) {
      String collection = String.valueOf(description.get("ns")).substring(getDatabaseName().length() + 1);
      partialFilters.put(collection + " " + description.get("name"), filter);
    }
    super.addIndex(description);
  }

  @Override
  protected Index<Integer> openOrCreateUniqueIndex(
      String collection, String name, List<IndexKey> keys, boolean sparse) {
    return new UniqueIndex(name, keys, sparse, partialFilters.get(collection + " " + name));
  }

  @Override
  protected Index<Integer> openOrCreateSecondaryIndex(
      String collection, String name, List<IndexKey> keys, boolean sparse) {
    return new OrderedIndex(name, keys, partialFilters.get(collection + " " + name));
  }
}
