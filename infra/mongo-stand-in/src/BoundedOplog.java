import de.bwaldvogel.mongo.MongoBackend;
import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.backend.Cursor;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.aggregation.Aggregation;
import de.bwaldvogel.mongo.bson.BinData;
import de.bwaldvogel.mongo.bson.BsonTimestamp;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import de.bwaldvogel.mongo.oplog.Oplog;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BooleanSupplier;

/**
 * The latest writes to all databases, as change streams report them. The collections record each write as it happens; a
 * position is the time of a write, which no two writes share.
 */
final class BoundedOplog implements Oplog {
  /** As MongoDB's, it is bounded by its size as well. */
  private static final long MAX_BYTES = 96L * 1_024 * 1_024;

  private final MongoBackend backend;
  private final CursorRegistry cursors;
  private final int keptWrites;
  private final ConcurrentSkipListMap<Long, Document> events = new ConcurrentSkipListMap<>();
  private final Map<Long, Long> sizes = new HashMap<>();
  private long keptBytes;
  private volatile long last;
  /** Of the writes up to here some are no longer kept. */
  private volatile long dropped;

  BoundedOplog(MongoBackend backend, CursorRegistry cursors, int keptWrites) {
    this.backend = backend;
    this.cursors = cursors;
    this.keptWrites = keptWrites;
    // After all positions of a server that ran until a moment ago: it has lost its writes.
    last = (backend.getClock().instant().getEpochSecond() + 1) << 32;
    dropped = last;
  }

  /** @param members the event without its position and time */
  synchronized void record(String database, String collection, Document members) {
    if (keptWrites == 0) {
      return;
    }
    long position = Math.max(last + 1, backend.getClock().instant().getEpochSecond() << 32);
    Document event = new Document("_id", token(position))
        .append("clusterTime", new BsonTimestamp(position))
        .append("wallTime", backend.getClock().instant())
        .append("ns", new Document("db", database).append("coll", collection))
        .appendAll(members);
    events.put(position, event);
    long size = sizeOf(event);
    sizes.put(position, size);
    keptBytes += size;
    // The last one stays, however large it is: its readers have yet to come.
    while (events.size() > keptWrites || (keptBytes > MAX_BYTES && events.size() > 1)) {
      dropped = events.pollFirstEntry().getKey();
      keptBytes -= sizes.remove(dropped);
    }
    last = position;
    notifyAll();
  }

  /** The approximate memory that a value takes. */
  private static long sizeOf(Object value) {
    if (value instanceof String text) {
      return 48 + text.length();
    }
    if (value instanceof byte[] bytes) {
      return 24 + bytes.length;
    }
    if (value instanceof BinData binary) {
      return 48 + binary.getData().length;
    }
    if (value instanceof Map<?, ?> members) {
      long size = 64;
      for (Map.Entry<?, ?> member : members.entrySet()) {
        size += 64 + sizeOf(member.getValue());
      }
      return size;
    }
    if (value instanceof Iterable<?> items) {
      long size = 48;
      for (Object item : items) {
        size += sizeOf(item);
      }
      return size;
    }
    return 24;
  }

  /**
   * Waits until there is a write after this position, or it is woken.
   *
   * @param hasEnded what is woken for: true, where that was before
   * @return false once the time is up
   */
  synchronized boolean await(long position, long timeoutNs, BooleanSupplier hasEnded) {
    if (position >= last && timeoutNs > 0 && !hasEnded.getAsBoolean()) {
      try {
        wait(timeoutNs / 1_000_000 + 1);
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
      }
    }
    return timeoutNs > 0;
  }

  synchronized void wake() {
    notifyAll();
  }

  /** @throws MongoServerError ChangeStreamHistoryLost where writes after this position are no longer kept */
  NavigableMap<Long, Document> after(long position) {
    NavigableMap<Long, Document> found = events.tailMap(position, false);
    if (position < dropped) {
      throw new MongoServerError(286, "ChangeStreamHistoryLost",
          "Resume of change stream was not possible, as the resume point may no longer be in the oplog.");
    }
    return found;
  }

  static Document token(long position) {
    return new Document("_data", String.format("%016X", position));
  }

  /** The document as it is by now; null: there is none. */
  Document lookUp(Document event) {
    Document namespace = (Document) event.get("ns");
    MongoCollection<?> collection = backend.resolveDatabase(String.valueOf(namespace.get("db")))
        .resolveCollection(String.valueOf(namespace.get("coll")), false);
    if (collection == null) {
      return null;
    }
    var found = collection.handleQuery((Document) event.get("documentKey")).iterator();
    return found.hasNext() ? found.next() : null;
  }

  @Override
  public Cursor createCursor(Document options, String namespace, Aggregation aggregation) {
    if (keptWrites == 0) {
      throw new MongoServerError(40573, "The $changeStream stage is only supported on replica sets");
    }
    ChangeStreamCursor cursor =
        new ChangeStreamCursor(cursors.generateCursorId(), this, startOf(options), options, namespace, aggregation);
    cursors.add(cursor);
    return cursor;
  }

  private long startOf(Document options) {
    Object token = options.getOrDefault("startAfter", options.get("resumeAfter"));
    long position = last;
    if (token instanceof Document document) {
      position = Long.parseUnsignedLong(String.valueOf(document.get("_data")), 16);
    } else if (options.get("startAtOperationTime") instanceof BsonTimestamp time) {
      position = time.getValue() - 1;
    }
    after(position);
    return position;
  }

  @Override
  public void handleDropCollection(String namespace) {
    String[] names = namespace.split("\\.", 2);
    record(names[0], names[1], new Document("operationType", "drop"));
  }

  // What the library reports of writes is less than happened, or more: the collections record them.
  @Override
  public void handleInsert(String namespace, List<Document> documents) {}

  @Override
  public void handleUpdate(String namespace, Document selector, Document query, List<Object> modifiedIds) {}

  @Override
  public void handleDelete(String namespace, Document query, List<Object> deletedIds) {}
}
