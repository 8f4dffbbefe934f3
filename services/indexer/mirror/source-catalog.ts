import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { AppError, operatorError } from '../../../shared/errors.js'
import { shorten } from '../../../shared/text/clean-text.js'
import { parseHttpDate } from '../../../shared/text/parse-http-date.js'
import { type ExpectedFile, receiveFile, sizeOf } from './receive-file.js'
import { type RequestOptions, readText, requestSource, type SourceAnswer } from './request-source.js'

export interface SourceOptions {
  /** Stops all requests and waits. */
  signal: AbortSignal
  /** Logs what explains a delay to the operator. */
  tell: (line: string) => void
  /** How many times in a row a request may fail; default 6. */
  attempts?: number
  /** Milliseconds before the second attempt, doubled before each further one; also the shortest wait. Default 1,000. */
  retryMs?: number
  /** Milliseconds without a byte of an answer; default 30,000. */
  maxIdleMs?: number
  /** Milliseconds for a whole answer; a download gets more by its size. Default 60,000. */
  maxAnswerMs?: number
  /** Bytes of a JSON answer, decompressed; default 8 MiB: parsing the worst such text takes some 500 MB. */
  maxAnswerBytes?: number
}

const defaults = {
  attempts: 6,
  retryMs: 1_000,
  maxIdleMs: 30_000,
  maxAnswerMs: 60_000,
  maxAnswerBytes: 8 * 1024 * 1024,
}

/** The longest wait between two attempts, whatever the source asks for; longer timers would overflow (32 bits). */
const maxWaitMs = 120_000

/** How many times in a row one request is repeated because the source asks for a wait (429). */
const maxWaits = 30

/** A slower download is ended; the next attempt continues it. */
const minBytesPerSecond = 16_384

/** Of a problem document. */
const maxProblemBytes = 65_536
const maxDetailCharacters = 300

/** Statuses after which the same request may succeed. */
const temporaryStatuses = [408, 425, 429, 500, 502, 503, 504]

/** An attempt without a result. */
interface Failure {
  reason: string
  /** As the source asks for; null: it does not say. */
  waitMs: number | null
  /** Whether the source has only asked for a wait (429). */
  limited: boolean
}

/** The public API of another catalog, which is not trusted: every answer and every wait has a bound. */
export class SourceCatalog {
  /** Without a slash at its end. */
  readonly url: string
  /** Aborted when the command is stopped, with the reason as an AppError. */
  readonly signal: AbortSignal
  readonly #options: Required<SourceOptions>

  /** @throws AppError `bad_arguments` when the address is none */
  constructor(url: string, options: SourceOptions) {
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
      throw operatorError('bad_arguments', `${url} is not the address of a catalog. It looks like https://host:port`)
    }
    this.url = url.replace(/[/?#]+$/, '')
    this.signal = options.signal
    this.#options = { ...defaults, ...options }
  }

  /**
   * The JSON at a path.
   *
   * @throws AppError with the problem's own status and code; `source_unavailable`, `source_not_understood`,
   *   `source_redirects`, `answer_too_large`
   */
  async get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
    const { maxAnswerMs, maxAnswerBytes } = this.#options
    const text = await this.#repeat(
      path,
      maxAnswerMs,
      () => ({}),
      (answer) => readText(answer, maxAnswerBytes),
    )
    const parsed = schema.safeParse(parseJson(text))
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      throw this.notUnderstood(path, [...(issue?.path ?? []), issue?.message].join(': '))
    }
    return parsed.data
  }

  /**
   * Downloads a file that never changes; what the local file holds already is not asked for again (RFC 9110, 14).
   *
   * @throws AppError as `get`; `download_damaged` when its size is not the announced one, `copy_not_written`
   */
  async download(remote: ExpectedFile & { path: string }, toFile: string): Promise<void> {
    const headers = (): Record<string, string> => {
      const have = sizeOf(toFile)
      return {
        // Compressed bytes would be another representation, with another size and hash.
        'Accept-Encoding': 'identity',
        ...(have > 0 && have < remote.bytes ? { Range: `bytes=${have}-`, 'If-Range': `"${remote.sha256}"` } : {}),
      }
    }
    const maxMs = this.#options.maxAnswerMs + (remote.bytes / minBytesPerSecond) * 1_000
    if (sizeOf(toFile) !== remote.bytes || remote.bytes === 0) {
      await this.#repeat(remote.path, maxMs, headers, (answer) => receiveFile(answer, remote, toFile))
    }
  }

  /** An error for an answer that breaks the contract of the API. */
  notUnderstood(path: string, reason: string): AppError {
    return operatorError('source_not_understood', `${this.url}${path} is not what a Skill Catalog answers: ${reason}`)
  }

  /** Waits. @throws the reason for which the command was stopped */
  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.signal }).catch(() => this.signal.throwIfAborted())
  }

  async #repeat<T>(
    path: string,
    maxMs: number,
    headers: () => Record<string, string>,
    read: (answer: SourceAnswer) => Promise<T>,
  ): Promise<T> {
    const { attempts, retryMs, tell, maxIdleMs } = this.#options
    let failures = 0
    let waits = 0
    for (;;) {
      const outcome = await this.#attempt(path, { headers: headers(), maxMs, maxIdleMs, signal: this.signal }, read)
      if ('result' in outcome) {
        return outcome.result
      }
      const { reason, limited, waitMs } = outcome
      failures += limited ? 0 : 1
      waits += limited ? 1 : 0
      if (failures >= attempts || waits >= maxWaits) {
        throw operatorError(
          'source_unavailable',
          `${this.url} does not answer (${reason}). Run the command again later: it continues from here.`,
        )
      }
      if (failures === 1 && !limited) {
        tell(`${this.url} does not answer (${reason}): trying again.`)
      }
      const backoffMs = retryMs * 2 ** Math.max(0, failures - 1)
      await this.pause(Math.min(maxWaitMs, Math.max(retryMs, waitMs ?? backoffMs)))
    }
  }

  async #attempt<T>(
    path: string,
    options: RequestOptions,
    read: (answer: SourceAnswer) => Promise<T>,
  ): Promise<{ result: T } | Failure> {
    const headers = { 'User-Agent': 'skill-catalog-mirror', ...options.headers }
    try {
      return await requestSource(`${this.url}${path}`, { ...options, headers }, async (answer) => {
        const { status } = answer
        if (status >= 200 && status < 300) {
          return { result: await read(answer) }
        }
        const { code, detail } = await readProblem(answer)
        if (!temporaryStatuses.includes(status)) {
          throw new AppError(status, code, `${this.url}${path} answered ${status}: ${detail}`)
        }
        return { reason: detail, waitMs: readRetryAfter(answer), limited: status === 429 }
      })
    } catch (error) {
      options.signal.throwIfAborted()
      if (error instanceof AppError) {
        throw error
      }
      return { reason: reasonOf(error), waitMs: null, limited: false }
    }
  }
}

/** Undefined for text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** fetch names the cause of a failure in its error's `cause`. */
function reasonOf(error: unknown): string {
  const cause = Object(error).cause ?? error
  return String(Object(cause).code ?? Object(cause).message ?? cause)
}

/** Seconds or a date (RFC 9110, 10.2.3), in milliseconds; null when it does not say. */
function readRetryAfter({ headers }: SourceAnswer): number | null {
  const given = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(given)) {
    return Number(given) * 1_000
  }
  const dateMs = parseHttpDate(given)
  return dateMs === null ? null : dateMs - Date.now()
}

/** The code and the detail of a problem document (RFC 9457); those of any other answer by its status. */
async function readProblem(answer: SourceAnswer): Promise<{ code: string; detail: string }> {
  const { code, detail } = Object(parseJson(await readText(answer, maxProblemBytes).catch(() => '')))
  return {
    code: typeof code === 'string' ? code : 'source_refused',
    detail: shorten(typeof detail === 'string' ? detail : answer.statusText, maxDetailCharacters),
  }
}
