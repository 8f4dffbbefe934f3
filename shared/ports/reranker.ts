/** A model that reads a query together with a text: slower than comparing vectors, and better at order. */
export interface Reranker {
  /** Milliseconds that a search waits for it. */
  readonly timeLimitMs: number
  /**
   * How well each text fits a query, in the order of the texts: the higher, the better.
   *
   * @param signal ends the call
   * @throws AppError `reranker_unavailable` (503) or `reranker_refused`; the reason of `signal`
   */
  fits(query: string, texts: string[], signal: AbortSignal): Promise<number[]>
}
