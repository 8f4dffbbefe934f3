import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { AppError, operatorError } from '../../../shared/runtime/errors.js'
import { fetchFailure, parseJson, readRetryAfter } from '../../../shared/runtime/http-answers.js'
import { printableLine, shorten } from '../../../shared/text/clean-text.js'
import {
  catalogAddress,
  type ExpectedFile,
  type RequestOptions,
  readText,
  receiveFile,
  requestSource,
  type SourceResponse,
  sizeOf,
} from './request-source.js'

export interface SourceOptions {
  /** Stops all requests and waits. */
  signal: AbortSignal
  /** Prints the reason of a delay for the operator. */
  report: (line: string) => void
  /** A request fails after this many failures in a row; default 6. */
  attempts?: number
  /** Milliseconds before the second attempt, doubled for each further one; also the shortest wait. Default 1,000. */
  retryMs?: number
  /** Milliseconds without a received byte; default 30,000. */
  maxIdleMs?: number
  /** Milliseconds for a complete response; a download gets more, by its size. Default 60,000. */
  maxResponseMs?: number
  /** Bytes of a decompressed JSON response; default 8 MiB: parsing the worst such text takes some 500 MB. */
  maxResponseBytes?: number
}

const defaults = {
  attempts: 6,
  retryMs: 1_000,
  maxIdleMs: 30_000,
  maxResponseMs: 60_000,
  maxResponseBytes: 8 * 1024 * 1024,
}

/** Limits the waits that the source asks for; much longer timers would overflow (32 bits). */
const maxWaitMs = 120_000

/** A shorter wait for the rate limit is not reported. */
const reportedWaitMs = 5_000

/** Repetitions of one request after the status 429. */
const maxWaits = 30

/** A slower download is aborted; the next attempt resumes it. */
const minBytesPerSecond = 16_384

/** Limits for problem details. */
const maxProblemBytes = 65_536
const maxDetailCharacters = 300

/** Statuses after which the same request may succeed. */
const temporaryStatuses = [408, 425, 429, 500, 502, 503, 504]

/** An attempt without a result. */
interface Failure {
  reason: string
  /** From `Retry-After`; null without one. */
  waitMs: number | null
  /** Whether the source has limited the rate of requests (429). */
  rateLimited: boolean
}

/** The public API of another catalog, which is not trusted: the sizes of responses and all waits are limited. */
export class SourceCatalog {
  /** Without a trailing slash. */
  readonly url: string
  /** Aborted with an AppError when the command is stopped. */
  readonly signal: AbortSignal
  readonly #options: Required<SourceOptions>

  /** @throws AppError `bad_arguments` as `catalogAddress` */
  constructor(url: string, options: SourceOptions) {
    this.url = catalogAddress(url)
    this.signal = options.signal
    this.#options = { ...defaults, ...options }
  }

  /**
   * Requests the JSON at a path.
   *
   * @throws AppError with the status and code of the problem details; `source_unavailable`, `source_not_understood`,
   *   `source_redirects`, `answer_too_large`
   */
  async get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
    const parsed = schema.safeParse(parseJson(await this.getText(path)))
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      throw this.notUnderstood(path, [...(issue?.path ?? []), issue?.message].join(': '))
    }
    return parsed.data
  }

  /** Requests the text at a path. @throws AppError as `get` */
  getText(path: string): Promise<string> {
    const { maxResponseMs, maxResponseBytes } = this.#options
    return this.#repeat(
      path,
      maxResponseMs,
      () => ({}),
      (response) => readText(response, maxResponseBytes),
    )
  }

  /**
   * Downloads a file that never changes; a partly downloaded file is resumed with a range request (RFC 9110, 14).
   *
   * @throws AppError as `get`; `download_damaged` when the size is not the announced one, `copy_not_written`
   */
  async download(remote: ExpectedFile & { path: string }, toFile: string): Promise<void> {
    const headers = (): Record<string, string> => {
      const have = sizeOf(toFile)
      return {
        // A compressed representation has another size and hash.
        'Accept-Encoding': 'identity',
        ...(have > 0 && have < remote.bytes ? { Range: `bytes=${have}-`, 'If-Range': `"${remote.sha256}"` } : {}),
      }
    }
    const maxMs = this.#options.maxResponseMs + (remote.bytes / minBytesPerSecond) * 1_000
    if (sizeOf(toFile) !== remote.bytes || remote.bytes === 0) {
      await this.#repeat(remote.path, maxMs, headers, (response) => receiveFile(response, remote, toFile))
    }
  }

  /** An error for a response that breaks the contract of the API. */
  notUnderstood(path: string, reason: string): AppError {
    return operatorError(
      'source_not_understood',
      `${this.url}${path} is not a response of a Skill Catalog: ${printableLine(reason)}`,
    )
  }

  /** Waits. @throws the signal's reason when the command is stopped */
  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.signal }).catch(() => this.signal.throwIfAborted())
  }

  async #repeat<T>(
    path: string,
    maxMs: number,
    headers: () => Record<string, string>,
    read: (response: SourceResponse) => Promise<T>,
  ): Promise<T> {
    const { attempts, retryMs, report, maxIdleMs } = this.#options
    let failures = 0
    let waits = 0
    for (;;) {
      const outcome = await this.#attempt(path, { headers: headers(), maxMs, maxIdleMs, signal: this.signal }, read)
      if ('result' in outcome) {
        return outcome.result
      }
      const { reason, rateLimited, waitMs } = outcome
      failures += rateLimited ? 0 : 1
      waits += rateLimited ? 1 : 0
      if (failures >= attempts || waits >= maxWaits) {
        throw operatorError(
          'source_unavailable',
          `${this.url} does not answer (${reason}). Run the command again later to continue.`,
        )
      }
      if (failures === 1 && !rateLimited) {
        report(`${this.url} does not answer (${reason}): retrying.`)
      }
      const backoffMs = retryMs * 2 ** Math.max(0, failures - 1)
      const pauseMs = Math.min(maxWaitMs, Math.max(retryMs, waitMs ?? backoffMs))
      if (rateLimited && pauseMs >= reportedWaitMs) {
        report(`${this.url} limits the requests: the next one follows in ${Math.ceil(pauseMs / 1_000)} s.`)
      }
      await this.pause(pauseMs)
    }
  }

  async #attempt<T>(
    path: string,
    options: RequestOptions,
    read: (response: SourceResponse) => Promise<T>,
  ): Promise<{ result: T } | Failure> {
    const headers = { 'User-Agent': 'skill-catalog-mirror', ...options.headers }
    try {
      return await requestSource(`${this.url}${path}`, { ...options, headers }, async (response) => {
        const { status } = response
        if (status >= 200 && status < 300) {
          return { result: await read(response) }
        }
        const { code, detail } = await readProblem(response)
        if (!temporaryStatuses.includes(status)) {
          const reason = foreignCodes.includes(code)
            ? `${response.statusText}. Check that this is the address of a catalog.`
            : detail
          throw new AppError(status, code, `${this.url}${path} answered ${status}: ${reason}`)
        }
        return { reason: detail, waitMs: readRetryAfter(response.headers), rateLimited: status === 429 }
      })
    } catch (error) {
      options.signal.throwIfAborted()
      if (error instanceof AppError) {
        throw error
      }
      return { reason: fetchFailure(error), waitMs: null, rateLimited: false }
    }
  }
}

/** The code of a refusal without problem details. */
const notAProblem = 'source_refused'

/** The codes of refusals where no catalog is below the address. */
const foreignCodes = [notAProblem, 'unknown_path']

/** Code and detail of problem details (RFC 9457), or a default code and the status text of any other response. */
async function readProblem(response: SourceResponse): Promise<{ code: string; detail: string }> {
  const { code, detail } = Object(parseJson(await readText(response, maxProblemBytes).catch(() => '')))
  return {
    code: typeof code === 'string' ? code : notAProblem,
    detail: shorten(printableLine(typeof detail === 'string' ? detail : response.statusText), maxDetailCharacters),
  }
}
