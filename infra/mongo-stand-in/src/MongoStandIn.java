import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.backend.memory.MemoryDatabase;
import de.bwaldvogel.mongo.backend.memory.index.MemoryUniqueIndex;
import de.bwaldvogel.mongo.bson.Document;
import java.util.List;

/**
 * A server in memory that speaks MongoDB's protocol, for tests. It listens on the port given as the first argument
 * (0: any that is free), prints its address as one line, and ends when its standard input does.
 */
public final class MongoStandIn {
  private MongoStandIn() {}

  /** Drivers of today refuse the version of the protocol that the library announces by itself. */
  private static final MongoVersion VERSION = new MongoVersion() {
    @Override
    public List<Integer> getVersionArray() {
      return List.of(5, 0, 0);
    }

    @Override
    public int getWireVersion() {
      return 13;
    }
  };

  /** The library uses a unique index only for a filter of just its fields; MongoDB also for one that has more. */
  private static final class UniqueIndex extends MemoryUniqueIndex {
    UniqueIndex(String name, List<IndexKey> keys, boolean sparse) {
      super(name, keys, sparse);
    }

    @Override
    public synchronized boolean canHandle(Document filter) {
      Document ofIndex = new Document();
      for (String field : keySet()) {
        if (filter.containsKey(field)) {
          ofIndex.append(field, filter.get(field));
        }
      }
      return super.canHandle(ofIndex);
    }
  }

  private static final class Database extends MemoryDatabase {
    Database(String name, CursorRegistry cursors) {
      super(name, cursors);
    }

    @Override
    protected Index<Integer> openOrCreateUniqueIndex(
        String collection, String name, List<IndexKey> keys, boolean sparse) {
      return new UniqueIndex(name, keys, sparse);
    }
  }

  private static final class Backend extends MemoryBackend {
    @Override
    public MemoryDatabase openOrCreateDatabase(String name) {
      return new Database(name, getCursorRegistry());
    }
  }

  public static void main(String[] arguments) throws Exception {
    int port = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 0;
    MongoServer server = new MongoServer(new Backend().version(VERSION));
    server.enableOplog();
    server.bind("127.0.0.1", port);
    System.out.println(server.getConnectionString());
    // The parent holds the other end: a test run that is killed leaves no server behind.
    while (System.in.read() != -1) {}
    server.shutdownNow();
    System.exit(0);
  }
}
