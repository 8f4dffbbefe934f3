import de.bwaldvogel.mongo.backend.AbstractCursor;
import de.bwaldvogel.mongo.backend.aggregation.Aggregation;
import de.bwaldvogel.mongo.bson.Document;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A change stream: the writes to one collection, or to one database, from a position on. */
final class ChangeStreamCursor extends AbstractCursor {
  /** MongoDB's: how long a cursor without news waits when the client does not say. */
  private static final long DEFAULT_WAIT_MS = 1_000;

  private final BoundedOplog oplog;
  private final boolean looksUp;
  private final String namespace;
  private final Aggregation aggregation;
  private long position;
  private boolean isOpen;
  private volatile boolean hasEnded;
  private volatile long waitMs = DEFAULT_WAIT_MS;

  ChangeStreamCursor(
      long id, BoundedOplog oplog, long position, Document options, String namespace, Aggregation aggregation) {
    super(id);
    this.oplog = oplog;
    this.position = position;
    this.looksUp = "updateLookup".equals(options.get("fullDocument"));
    this.namespace = namespace;
    this.aggregation = aggregation;
  }

  @Override
  public boolean isEmpty() {
    return hasEnded;
  }

  @Override
  public synchronized List<Document> takeDocuments(int limit) {
    if (!isOpen) {
      // The answer to the command that opens a stream has no events.
      isOpen = true;
      return new ArrayList<>();
    }
    List<Document> taken = new ArrayList<>();
    long endNs = System.nanoTime() + waitMs * 1_000_000;
    take(limit, taken);
    while (taken.isEmpty() && !hasEnded && oplog.await(position, endNs - System.nanoTime(), () -> hasEnded)) {
      take(limit, taken);
    }
    return taken;
  }

  /** Waits this long for news from now on, as the client says. */
  void waitFor(Object ms) {
    waitMs = ms instanceof Number number ? number.longValue() : DEFAULT_WAIT_MS;
  }

  /** Ends a wait: the client has closed the stream. */
  void end() {
    hasEnded = true;
    oplog.wake();
  }

  private void take(int limit, List<Document> taken) {
    for (Map.Entry<Long, Document> entry : oplog.after(position).entrySet()) {
      if (hasEnded || taken.size() == limit) {
        break;
      }
      position = entry.getKey();
      if (isWatched((Document) entry.getValue().get("ns"))) {
        aggregation.runStagesAsStream(eventsOf(entry.getValue())).forEach(taken::add);
      }
    }
  }

  /** Adds to an answer of this cursor from where a stream continues it. */
  void describe(Document response) {
    ((Document) response.get("cursor")).put("postBatchResumeToken", BoundedOplog.token(position));
  }

  /** A command for a whole database names the collection "1". */
  private boolean isWatched(Document written) {
    return namespace.equals(written.get("db") + "." + written.get("coll")) || namespace.equals(written.get("db") + ".1");
  }

  private Stream<Document> eventsOf(Document recorded) {
    Document event = recorded.clone();
    if (looksUp && "update".equals(event.get("operationType"))) {
      event.put("fullDocument", oplog.lookUp(event));
    }
    if (!"drop".equals(event.get("operationType")) || namespace.endsWith(".1")) {
      return Stream.of(event);
    }
    hasEnded = true;
    Document invalidate = new Document("_id", event.get("_id"))
        .append("operationType", "invalidate")
        .append("clusterTime", event.get("clusterTime"));
    return Stream.of(event, invalidate);
  }
}
