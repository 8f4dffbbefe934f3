import static de.bwaldvogel.mongo.wire.BsonConstants.MAX_BSON_OBJECT_SIZE;

import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.backend.DefaultQueryMatcher;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.memory.index.MemoryUniqueIndex;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import de.bwaldvogel.mongo.wire.bson.BsonEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Collection;
import java.util.List;

/** A unique index, of all documents or of those that a filter matches, with an order that ranges are found in. */
final class UniqueIndex extends MemoryUniqueIndex implements Ordered {
  private final Order order;
  private final Document partialFilter;

  /** @param partialFilter null: it is an index of all documents */
  UniqueIndex(String name, List<IndexKey> keys, boolean sparse, Document partialFilter) {
    // A partial index is sparse to the library: it must not expect each document in it.
    super(name, keys, sparse || partialFilter != null);
    this.partialFilter = partialFilter;
    order = new Order(keys, partialFilter);
  }

  @Override
  public Order order() {
    return partialFilter == null ? order : null;
  }

  private boolean holds(Document document) {
    return (partialFilter == null || new DefaultQueryMatcher().matches(document, partialFilter))
        && !(isInArray(document) && getKeyValues(document).isEmpty());
  }

  /** Whether the first key is in an array, which may be empty: the library expects a value there. */
  private boolean isInArray(Object value) {
    for (String name : keys().get(0).split("\\.")) {
      value = value instanceof Document members ? members.get(name) : null;
      if (value instanceof Collection) {
        return true;
      }
    }
    return false;
  }

  @Override
  public synchronized boolean canHandle(Document filter) {
    return partialFilter == null && super.canHandle(filter);
  }

  @Override
  public Integer getPosition(Document document) {
    return holds(document) ? super.getPosition(document) : null;
  }

  /** MongoDB's: a document of more levels is refused. */
  private static final int MAX_LEVELS = 180;

  private static void checkLevels(Object value, int level) {
    if (level > MAX_LEVELS) {
      throw new MongoServerError(15, "Overflow", "Document exceeds maximum nested object depth: " + MAX_LEVELS);
    }
    Collection<?> members = value instanceof Document document ? document.values()
        : value instanceof Collection<?> elements ? elements : List.of();
    members.forEach(member -> checkLevels(member, level + 1));
  }

  @Override
  public synchronized void checkAdd(Document document, MongoCollection<Integer> collection) {
    if (getName().equals("_id_")) {
      checkLevels(document, 0);
    }
    if (holds(document)) {
      super.checkAdd(document, collection);
    }
  }

  @Override
  public synchronized void add(Document document, Integer position, MongoCollection<Integer> collection) {
    if (holds(document)) {
      super.add(document, position, collection);
      order.add(document, position);
    }
  }

  @Override
  public synchronized Integer remove(Document document) {
    if (!holds(document)) {
      return null;
    }
    order.remove(document);
    return super.remove(document);
  }

  /** Also rejects a document that is too large or has too many levels: each collection has an index of `_id`, and the library asks nothing else. */
  @Override
  public synchronized void checkUpdate(Document before, Document after, MongoCollection<Integer> collection) {
    if (getName().equals("_id_") && sizeOf(after) > MAX_BSON_OBJECT_SIZE) {
      String message = "Resulting document after update is larger than " + MAX_BSON_OBJECT_SIZE;
      throw new MongoServerError(17419, "Location17419", message);
    }
    if (getName().equals("_id_")) {
      checkLevels(after, 0);
    }
    if (holds(before)) {
      if (holds(after)) {
        super.checkUpdate(before, after, collection);
      }
    } else {
      checkAdd(after, collection);
    }
  }

  private static int sizeOf(Document document) {
    ByteBuf bytes = Unpooled.buffer();
    BsonEncoder.encodeDocument(document, bytes);
    return bytes.readableBytes();
  }

  @Override
  public synchronized void updateInPlace(
      Document before, Document after, Integer position, MongoCollection<Integer> collection) {
    if (!nullAwareEqualsKeys(before, after) || holds(before) != holds(after)) {
      remove(before);
      add(after, position, collection);
    }
  }
}
