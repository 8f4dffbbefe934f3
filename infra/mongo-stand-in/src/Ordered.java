/** An index whose order finds and sorts documents. */
interface Ordered {
  /** Null where it does not hold every document. */
  Order order();
}
