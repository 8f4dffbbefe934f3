import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.backend.ArrayFilters;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.backend.memory.MemoryCollection;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.bson.ObjectId;
import de.bwaldvogel.mongo.oplog.Oplog;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A collection that is read by the order of its indexes, updated by pipelines too, and records its writes. */
final class Collection extends MemoryCollection {
  /** In an update: its only member, a pipeline. */
  static final String PIPELINE = "$pipeline";

  private final BoundedOplog oplog;
  private boolean writes;
  private boolean replaces;

  Collection(MongoDatabase database, String name, CollectionOptions options, CursorRegistry cursors, BoundedOplog oplog) {
    super(database, name, options, cursors);
    this.oplog = oplog;
  }

  @Override
  public synchronized int count(Document filter, int skip, int limit) {
    return super.count(filter, skip, limit);
  }

  @Override
  public synchronized void addIndex(Index<Integer> index) {
    super.addIndex(index);
  }

  @Override
  protected QueryResult queryDocuments(
      Document unprepared, Document sort, int skip, int limit, int batchSize, Document projection) {
    Document filter = Equality.prepared(unprepared);
    List<Order> orders = orders();
    Plan plan = Plan.of(filter, sort, limit, orders);
    var found = filter.containsKey("$or") && (plan == null || !plan.isNarrow())
        ? Plan.ofBranches(filter.get("$or"), orders, (at, branch) -> documentMatchesQuery(getDocument(at), branch))
        : null;
    if (plan != null && (found == null || !isFew(found))) {
      Document unsorted = plan.isSorted() ? null : sort;
      return matchDocuments(filter, plan.positions(), unsorted, skip, limit, batchSize, projection);
    }
    if (found == null) {
      return super.queryDocuments(filter, sort, skip, limit, batchSize, projection);
    }
    filter.remove("$or");
    return matchDocuments(filter, found, sort, skip, limit, batchSize, projection);
  }

  /** Whether these are so few that they are sorted sooner than the whole collection is read in order. */
  private static boolean isFew(Iterable<Integer> positions) {
    var each = positions.iterator();
    for (int count = 0; count < 200; count++) {
      if (!each.hasNext()) {
        return true;
      }
      each.next();
    }
    return false;
  }

  @Override
  protected boolean documentMatchesQuery(Document document, Document filter) {
    Document undecided = Equality.undecided(document, filter);
    return undecided != null && (undecided.isEmpty() || super.documentMatchesQuery(document, undecided));
  }

  private List<Order> orders() {
    return getIndexes().stream()
        .map(index -> index instanceof Ordered ordered ? ordered.order() : null)
        .filter(Objects::nonNull)
        .toList();
  }

  /** What is sent must not change meanwhile; what is about to be written must be the document itself. */
  @Override
  protected QueryResult createQueryResult(List<Document> matched, int batchSize) {
    return super.createQueryResult(writes ? matched : matched.stream().map(Document::clone).toList(), batchSize);
  }

  @Override
  public synchronized Document updateDocuments(Document filter, Document update, ArrayFilters arrayFilters,
      boolean isMulti, boolean isUpsert, Oplog ignored) {
    writes = true;
    replaces = update.keySet().stream().noneMatch(name -> name.startsWith("$"));
    try {
      return update.get(PIPELINE) instanceof List<?> stages
          ? updateByPipeline(filter, stages, arrayFilters, isMulti, isUpsert, ignored)
          : super.updateDocuments(filter, update, arrayFilters, isMulti, isUpsert, ignored);
    } finally {
      writes = false;
    }
  }

  private Document updateByPipeline(Document filter, List<?> stages, ArrayFilters arrayFilters, boolean isMulti,
      boolean isUpsert, Oplog ignored) {
    replaces = Pipeline.replaces(stages);
    Document result = new Document("n", 0).append("nModified", 0);
    int modified = 0;
    List<Document> matched = queryDocuments(filter, null, 0, isMulti ? 0 : 1, 0, null).collectDocuments();
    for (Document document : matched) {
      Document after = Pipeline.updated(document, stages);
      Document identity = new Document("_id", document.get("_id"));
      Document written = super.updateDocuments(identity, after, arrayFilters, false, false, ignored);
      modified += ((Number) written.get("nModified")).intValue();
    }
    if (matched.isEmpty() && isUpsert) {
      result.put("upserted", insertByPipeline(filter, stages).get("_id"));
    }
    return result.append("n", matched.size()).append("nModified", modified);
  }

  private Document insertByPipeline(Document filter, List<?> stages) {
    Document start = new Document();
    Bounds.of(filter).forEach((path, bounds) -> {
      if (bounds.anyOf != null && bounds.anyOf.size() == 1) {
        Utils.changeSubdocumentValue(start, path, bounds.anyOf.get(0));
      }
    });
    Document document = new Document("_id", start.getOrDefault("_id", new ObjectId()));
    document.putAll(Pipeline.updated(start, stages));
    addDocument(document);
    return document;
  }

  @Override
  public synchronized Document findAndModify(Document query) {
    writes = true;
    Document update = query.get("update") instanceof Document document ? document : new Document();
    replaces = update.keySet().stream().noneMatch(name -> name.startsWith("$"));
    try {
      Document result = update.get(PIPELINE) instanceof List<?> stages
          ? findAndUpdateByPipeline(query, stages)
          : super.findAndModify(query);
      // What is sent must not change meanwhile.
      return result.get("value") instanceof Document value ? result.append("value", value.clone()) : result;
    } finally {
      writes = false;
    }
  }

  private Document findAndUpdateByPipeline(Document query, List<?> stages) {
    Document filter = (Document) query.getOrDefault("query", new Document());
    List<Document> matched = new ArrayList<>(
        queryDocuments(filter, (Document) query.get("sort"), 0, 1, 0, null).collectDocuments());
    Document before = matched.isEmpty() ? null : matched.get(0).cloneDeeply();
    Document selected = before == null ? filter : new Document("_id", before.get("_id"));
    boolean isUpsert = Boolean.TRUE.equals(query.get("upsert"));
    boolean returnsNew = Boolean.TRUE.equals(query.get("new"));
    Document after = null;
    if (before != null) {
      updateByPipeline(selected, stages, ArrayFilters.empty(), false, false, oplog);
      after = matched.get(0);
    } else if (isUpsert) {
      after = insertByPipeline(filter, stages);
    }
    Document state = new Document("n", after == null ? 0 : 1).append("updatedExisting", before != null);
    return new Document("lastErrorObject", state).append("value", returnsNew ? after : before).append("ok", 1.0);
  }

  @Override
  protected Integer addDocumentInternal(Document document) {
    Integer position = super.addDocumentInternal(document);
    record("insert", document, new Document("fullDocument", document.clone()));
    return position;
  }

  @Override
  protected void handleUpdate(Integer position, Document before, Document after) {
    super.handleUpdate(position, before, after);
    if (replaces) {
      record("replace", after, new Document("fullDocument", after.clone()));
    } else {
      record("update", after, new Document("updateDescription", Difference.between(before, after)));
    }
  }

  @Override
  protected void removeDocument(Integer position) {
    record("delete", getDocument(position), new Document());
    super.removeDocument(position);
  }

  private void record(String operation, Document document, Document members) {
    if (!getCollectionName().startsWith("system.")) {
      Document identity = new Document("_id", document.get("_id"));
      Document event = new Document("operationType", operation).append("documentKey", identity).appendAll(members);
      oplog.record(getDatabaseName(), getCollectionName(), event);
    }
  }
}
