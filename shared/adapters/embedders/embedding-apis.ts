import { z } from 'zod'
import type { HttpEmbedderConfig } from '../../runtime/embedder-config.js'

/** How a kind of servers is asked for vectors: both take `{ model, input: [text, …] }`. */
export interface EmbeddingApi {
  /** After `EMBEDDER_URL`. */
  path: string
  /** Reads the vectors, in the order of the texts, from a parsed response. */
  answer: z.ZodType<number[][]>
}

const Embedding = z.array(z.number()).min(1)

/** https://platform.openai.com/docs/api-reference/embeddings/create; some servers leave `index` out. */
const OpenAiAnswer = z
  .object({ data: z.array(z.object({ index: z.int().optional(), embedding: Embedding })) })
  .transform(({ data }) => data.map(({ index, embedding }, position) => ({ index: index ?? position, embedding })))
  .transform((data) => data.sort((a, b) => a.index - b.index))
  .refine((data) => data.every(({ index }, position) => index === position), 'data: an index is missing or repeated')
  .transform((data) => data.map(({ embedding }) => embedding))

/** https://docs.ollama.com/api/embed */
const OllamaAnswer = z.object({ embeddings: z.array(Embedding) }).transform(({ embeddings }) => embeddings)

export const embeddingApis: Record<HttpEmbedderConfig['kind'], EmbeddingApi> = {
  openai: { path: '/embeddings', answer: OpenAiAnswer },
  ollama: { path: '/api/embed', answer: OllamaAnswer },
}

const ErrorAnswer = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
])

/** The message in the body of an error: of its JSON, in the forms of common servers, else the body itself. */
export function errorMessageOf(body: string): string {
  try {
    return ErrorAnswer.parse(JSON.parse(body))
  } catch {
    return body
  }
}
