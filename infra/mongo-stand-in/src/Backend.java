import de.bwaldvogel.mongo.backend.Cursor;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.CursorNotFoundException;
import de.bwaldvogel.mongo.oplog.Oplog;
import io.netty.channel.Channel;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;

/** The server: commands that concern no database, and the oplog that all databases write. */
final class Backend extends MemoryBackend {
  /** MongoDB's: what it sends at most when the client names no size. */
  private static final int DEFAULT_BATCH = 1_000;

  /** MongoDB's: what a client sends at most in one command. */
  private static final int MAX_WRITES = 100_000;

  private final BoundedOplog writes;
  private final CommandThreads commandThreads = new CommandThreads();

  /** @param oplogWrites how many writes the oplog keeps; 0: there is none */
  Backend(int oplogWrites) {
    // MongoDB's times have whole milliseconds.
    super(Clock.tickMillis(ZoneOffset.UTC));
    writes = new BoundedOplog(this, getCursorRegistry(), oplogWrites);
  }

  @Override
  public Database openOrCreateDatabase(String name) {
    return new Database(name, getCursorRegistry(), writes, getClock());
  }

  @Override
  protected Oplog createOplog() {
    return writes;
  }

  @Override
  public Document handleCommand(Channel channel, String database, String command, Document query) {
    commandThreads.take(channel, this);
    if (!command.equalsIgnoreCase("hello") && !command.equalsIgnoreCase("isMaster")) {
      return super.handleCommand(channel, database, command, query);
    }
    Document response = super.handleCommand(channel, database, "isMaster", query);
    response.put("helloOk", true);
    response.put("isWritablePrimary", true);
    response.put("maxWriteBatchSize", MAX_WRITES);
    return response;
  }

  @Override
  protected Document handleGetMore(String database, String command, Document query) {
    query.putIfAbsent("batchSize", DEFAULT_BATCH);
    long cursorId = ((Number) query.get(command)).longValue();
    Cursor cursor = getCursorRegistry().getCursor(cursorId);
    if (cursor instanceof ChangeStreamCursor stream) {
      stream.waitFor(query.get("maxTimeMS"));
    }
    Document response = super.handleGetMore(database, command, query);
    if (cursor instanceof ChangeStreamCursor stream) {
      stream.describe(response);
    }
    return response;
  }

  @Override
  protected Document handleKillCursors(Document query) {
    for (Object id : (List<?>) query.get("cursors")) {
      try {
        if (getCursorRegistry().getCursor(((Number) id).longValue()) instanceof ChangeStreamCursor stream) {
          stream.end();
        }
      } catch (CursorNotFoundException error) {
        // The response says so.
      }
    }
    return super.handleKillCursors(query);
  }
}
