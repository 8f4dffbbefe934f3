import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import java.util.List;

/**
 * A server in memory that speaks MongoDB's protocol, for tests. Arguments: the port to listen on (0: a free one), and
 * the number of writes that the oplog keeps (0: no oplog and no change streams, as on a standalone server). It prints its
 * address as one line, and ends when its standard input does.
 */
public final class MongoStandIn {
  private MongoStandIn() {}

  private static final int DEFAULT_OPLOG_WRITES = 20_000;

  /** Current drivers refuse the version of the protocol that the library announces by itself. */
  private static final MongoVersion VERSION = new MongoVersion() {
    @Override
    public List<Integer> getVersionArray() {
      return List.of(6, 0, 0);
    }

    @Override
    public int getWireVersion() {
      return 17;
    }
  };

  public static void main(String[] arguments) throws Exception {
    int port = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 0;
    int oplogWrites = arguments.length > 1 ? Integer.parseInt(arguments[1]) : DEFAULT_OPLOG_WRITES;
    Backend backend = new Backend(oplogWrites);
    MongoServer server = new MongoServer(backend.version(VERSION));
    server.enableOplog();
    server.bind("127.0.0.1", port);
    System.out.println(server.getConnectionString());
    // The parent holds the other end: a test run that is killed leaves no server behind.
    while (System.in.read() != -1) {}
    server.shutdownNow();
    System.exit(0);
  }
}
