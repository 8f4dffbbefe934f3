import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.bson.Document;
import java.util.List;

/**
 * An index that is not unique. It has every document, also where it is sparse or partial: it finds no fewer by that. As
 * in MongoDB, a partial one answers the queries alone that ask for nothing outside of its filter.
 */
final class OrderedIndex extends Index<Integer> implements Ordered {
  private final Order order;

  /** @param partialFilter null: it is an index of all documents */
  OrderedIndex(String name, List<IndexKey> keys, Document partialFilter) {
    // Sparse to the library: it must not expect the position of each document from here.
    super(name, keys, true);
    order = new Order(keys, partialFilter);
  }

  @Override
  public Order order() {
    return order;
  }

  @Override
  public Integer getPosition(Document document) {
    return null;
  }

  @Override
  public void checkAdd(Document document, MongoCollection<Integer> collection) {}

  @Override
  public void add(Document document, Integer position, MongoCollection<Integer> collection) {
    order.add(document, position);
  }

  @Override
  public Integer remove(Document document) {
    order.remove(document);
    return null;
  }

  @Override
  public boolean canHandle(Document query) {
    // Collections ask `order` instead.
    return false;
  }

  @Override
  public Iterable<Integer> getPositions(Document query) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long getCount() {
    return order.size();
  }

  @Override
  public long getDataSize() {
    return order.size();
  }

  @Override
  public void checkUpdate(Document before, Document after, MongoCollection<Integer> collection) {}

  @Override
  public void updateInPlace(Document before, Document after, Integer position, MongoCollection<Integer> collection) {
    order.update(before, after, position);
  }

  @Override
  public void drop() {}
}
