/** A vector of unit length: the closer the meaning of two texts, the larger the dot product of theirs. */
export type Vector = Float32Array

/** `document`: a text that is searched; `query`: a text that searches. Some models read them differently. */
export type TextPurpose = 'document' | 'query'

/**
 * Turns texts into vectors by a model of sentences. Texts that are longer than the model reads are cut.
 *
 * Every method throws AppError `embedder_unavailable` (503) when the model does not answer in time, and
 * `embedder_refused` (an operator's message) when it answers with something else than vectors of its dimensions.
 */
export interface Embedder {
  /** Names the model and all that its vectors depend on: only vectors of equal models can be compared. */
  readonly model: string

  /**
   * `table`: it adds up the vectors of words, which costs no more than reading a kept vector. `model`: a model of
   * sentences, which says more about a text; what it made once is kept.
   */
  readonly kind: 'table' | 'model'

  /** The length of its vectors. */
  dimensions(): Promise<number>

  /** The vectors of texts, in their order. A text without any known word has a vector of zeros. */
  embed(texts: string[], purpose: TextPurpose, signal?: AbortSignal): Promise<Vector[]>

  close(): Promise<void>
}

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
