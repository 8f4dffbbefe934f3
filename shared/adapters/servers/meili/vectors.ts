import { hash } from 'node:crypto'
import type { Vector } from '../../../ports/embedder.js'

/** A name for the vectors of a model: those of different models have different names, and are never compared. */
export const embedderName = (model: string): string => `e${hash('sha256', model).slice(0, 16)}`

/** The vectors of a document by embedder; null: none of this embedder. */
export type StoredVectors = Record<string, { embeddings: number[][]; regenerate: false } | null>

/** What an index stores. */
export interface IndexedVectors {
  /** The embedders of the index. */
  embedders: string[]
  /** The embedder of the vectors that are written; null: none are. */
  own: string | null
}

/** Decimals of a stored number: with more, requests are larger and no neighbour changes. */
const scale = 10_000

/** A vector as requests have it. */
export const roundedVector = (vector: Vector): number[] =>
  Array.from(vector, (each) => Math.round(each * scale) / scale)

/**
 * A vector as a document stores it. Meilisearch refuses documents that do not mention each embedder of their index, also
 * those of a model that was used before.
 */
export const storedVectors = (vector: Vector | null, { embedders, own }: IndexedVectors): StoredVectors =>
  Object.fromEntries(
    embedders.map((name) => [
      name,
      name !== own || vector === null || isZero(vector)
        ? null
        : { embeddings: [roundedVector(vector)], regenerate: false },
    ]),
  )

/** Whether a vector has no direction: Meilisearch considers it equal to every other one. */
export const isZero = (vector: Vector): boolean => vector.every((each) => each === 0)

/** The vector of a document; null: it has none of this embedder. */
export function readVector(vectors: StoredVectors | undefined, embedder: string): Vector | null {
  const stored = vectors?.[embedder]?.embeddings[0]
  return stored === undefined ? null : new Float32Array(stored)
}

/** The cosine of two vectors from the score that Meilisearch gives it: 0 for opposite directions, 1 for equal ones. */
export const cosineOf = (rankingScore: number): number => 2 * rankingScore - 1
