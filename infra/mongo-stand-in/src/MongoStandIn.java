import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
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

  public static void main(String[] arguments) throws Exception {
    int port = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 0;
    MongoServer server = new MongoServer(new MemoryBackend().version(VERSION));
    server.enableOplog();
    server.bind("127.0.0.1", port);
    System.out.println(server.getConnectionString());
    // The parent holds the other end: a test run that is killed leaves no server behind.
    while (System.in.read() != -1) {}
    server.shutdownNow();
    System.exit(0);
  }
}
