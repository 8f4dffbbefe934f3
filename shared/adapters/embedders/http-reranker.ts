import { z } from 'zod'
import type { Reranker } from '../../ports/embedder.js'
import { type AppError, operatorError, unavailable } from '../../runtime/errors.js'
import { fetchFailure, parseJson } from '../../runtime/http-answers.js'
import type { RerankerConfig } from '../../runtime/query-config.js'
import { BodyTooLarge, errorMessageOf, type PostedAnswer, postJson, shownText } from './http-request.js'

/** Some servers answer with the texts, too. */
const maxAnswerBytes = 1024 * 1024

/** https://docs.cohere.com/reference/rerank, which Jina, vLLM, llama.cpp, Infinity and LocalAI answer alike. */
const Answer = z.object({
  results: z.array(z.object({ index: z.int().min(0), relevance_score: z.number() })),
})

const unavailableFor = (reason: string, cause?: unknown): AppError =>
  unavailable('reranker_unavailable', `The reranker is unavailable: ${reason}.`, 5, cause)

const refused = (message: string): AppError => operatorError('reranker_refused', message)

/** A reranker on a server that answers `POST RERANKER_URL/rerank` as Cohere does. Requests are not repeated. */
export class HttpReranker implements Reranker {
  readonly timeLimitMs: number
  readonly #config: RerankerConfig
  readonly #url: string

  constructor(config: RerankerConfig) {
    this.timeLimitMs = config.timeLimitMs
    this.#config = config
    this.#url = `${config.url}/rerank`
  }

  async fits(query: string, texts: string[], signal: AbortSignal): Promise<number[]> {
    const { model, key } = this.#config
    const posted = await this.#post({ model, query, documents: texts, top_n: texts.length }, signal)
    if (posted.status !== 200) {
      throw this.#refusal(posted, [key ?? '', query, ...texts])
    }
    const parsed = Answer.safeParse(parseJson(posted.body))
    if (!parsed.success) {
      throw refused(`${this.#url} answered with something else than results. Check RERANKER_URL.`)
    }
    const fits = new Map(parsed.data.results.map(({ index, relevance_score }) => [index, relevance_score]))
    const found = texts.flatMap((_, at) => fits.get(at) ?? [])
    if (found.length !== texts.length || parsed.data.results.length !== texts.length) {
      throw refused(
        `${this.#url} answered with ${parsed.data.results.length} results for ${texts.length} texts, or with an ` +
          'index twice. Check the server and its model.',
      )
    }
    return found
  }

  async #post(content: object, signal: AbortSignal): Promise<PostedAnswer> {
    try {
      return await postJson(this.#url, content, { key: this.#config.key, maxBytes: maxAnswerBytes, signal })
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof BodyTooLarge) {
        throw refused(`${this.#url} answered with ${error.message}. Check that RERANKER_URL is that of a reranker.`)
      }
      throw unavailableFor(`${this.#url} does not answer (${fetchFailure(error)})`, error)
    }
  }

  /** @param secrets must not appear in messages: query and texts are those of a client */
  #refusal({ status, body }: PostedAnswer, secrets: string[]): AppError {
    const message = `${this.#url} answered ${status} (${shownText(errorMessageOf(body), secrets)})`
    if (status >= 500 || status === 408 || status === 429) {
      return unavailableFor(message)
    }
    const remedy =
      status === 401 || status === 403
        ? 'Check RERANKER_KEY.'
        : 'Check RERANKER_URL, and that the server has the model RERANKER_MODEL.'
    return refused(`${message}. ${remedy}`)
  }
}
