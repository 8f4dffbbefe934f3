import de.bwaldvogel.mongo.MongoBackend;
import de.bwaldvogel.mongo.wire.MongoDatabaseHandler;
import de.bwaldvogel.mongo.wire.MongoExceptionHandler;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.UnorderedThreadPoolEventExecutor;

/**
 * Runs commands on threads of their own. The library runs them on the thread that reads the connection and several
 * others, which would all wait with a change stream that waits for writes.
 */
final class CommandThreads {
  private static final String NAME = "commands on their own threads";
  private static final int MAX_THREADS = 256;

  private final UnorderedThreadPoolEventExecutor threads = new UnorderedThreadPoolEventExecutor(MAX_THREADS);

  /** Has the next commands of a connection run there. */
  void take(Channel channel, MongoBackend backend) {
    ChannelPipeline pipeline = channel.pipeline();
    if (pipeline.get(NAME) == null) {
      String next = pipeline.context(MongoExceptionHandler.class).name();
      pipeline.remove(MongoDatabaseHandler.class);
      // The server's own group has the connection already, and closes it.
      MongoDatabaseHandler handler =
          new MongoDatabaseHandler(backend, new DefaultChannelGroup(GlobalEventExecutor.INSTANCE));
      pipeline.addBefore(threads, next, NAME, handler);
    }
  }
}
