import { createWriteStream, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { AppError, operatorError } from '../../../shared/errors.js'

export interface SourceOptions {
  /** Ends what is under way. */
  signal: AbortSignal
  /** How often in a row one thing is asked for in vain; a wait that the source asks for by 429 does not count. */
  attempts: number
  /** Hears what a person should know who wonders why nothing happens. */
  tell: (line: string) => void
  /** Milliseconds before the second attempt, doubled before each further one. Default 1,000. */
  retryMs?: number
}

/** An answer that has not come for so long is asked for again. */
const answerMs = 60_000

/** The longest wait between two attempts, unless the source asks for a longer one. */
const longestRetryMs = 60_000

/** What is worth being asked again. */
const passing = [408, 425, 429, 500, 502, 503, 504]

/** How one attempt ended that brought nothing. */
interface Failure {
  reason: string
  /** As the source asks for; null: it does not say. */
  waitMs: number | null
  /** False when the source is there and has only asked to be asked later. */
  counts: boolean
}

/** The public API of another catalog, asked as anybody may: at its pace, and again when something went wrong. */
export class SourceCatalog {
  /** Without a slash at its end. */
  readonly url: string
  readonly #options: SourceOptions

  /** @throws AppError `bad_arguments` when the address is none */
  constructor(url: string, options: SourceOptions) {
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
      throw operatorError('bad_arguments', `${url} is not the address of a catalog. It looks like https://host:port`)
    }
    this.url = url.replace(/[/?#]+$/, '')
    this.#options = options
  }

  /**
   * The JSON at a path.
   *
   * @throws AppError with the problem's own status and code; `source_unavailable`, `source_not_understood`
   */
  async get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
    return this.understand(path, schema, await this.#ask(path, (response) => response.text()))
  }

  /**
   * The value that a text from a path stands for, as JSON.
   *
   * @throws AppError `source_not_understood`
   */
  understand<Schema extends z.ZodType>(path: string, schema: Schema, text: string): z.output<Schema> {
    const parsed = schema.safeParse(parseJson(text))
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      throw operatorError(
        'source_not_understood',
        `${this.url}${path} is not what a Skill Catalog answers: ${[...(issue?.path ?? []), issue?.message].join(': ')}`,
      )
    }
    return parsed.data
  }

  /**
   * Downloads a file that never changes, and goes on where a download broke off (RFC 9110, 14).
   *
   * @param remote.sha256 of its bytes, which is its entity tag as well
   * @throws AppError as `get`
   */
  async download(remote: { path: string; bytes: number; sha256: string }, toFile: string): Promise<void> {
    const have = () => statSync(toFile, { throwIfNoEntry: false })?.size ?? 0
    const headers = (): Record<string, string> => ({
      // The bytes as they are: what is packed on the way would be another file with another hash.
      'Accept-Encoding': 'identity',
      ...(have() > 0 && have() < remote.bytes ? { Range: `bytes=${have()}-`, 'If-Range': `"${remote.sha256}"` } : {}),
    })
    const write = async (response: Response) => {
      if (response.body !== null) {
        const flags = response.status === 206 ? 'a' : 'w'
        await pipeline(Readable.fromWeb(response.body), createWriteStream(toFile, { flags }))
      }
    }
    if (have() !== remote.bytes || remote.bytes === 0) {
      await this.#ask(remote.path, write, headers)
    }
  }

  /** Waits. @throws whatever ended the command */
  async pause(ms: number): Promise<void> {
    const { signal } = this.#options
    await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
  }

  async #ask<T>(
    path: string,
    read: (response: Response) => Promise<T>,
    headers: () => Record<string, string> = () => ({}),
  ): Promise<T> {
    const { attempts, retryMs = 1_000, tell } = this.#options
    let failures = 0
    for (;;) {
      const outcome = await this.#attempt(path, read, headers())
      if ('result' in outcome) {
        return outcome.result
      }
      failures += outcome.counts ? 1 : 0
      if (failures >= attempts) {
        throw operatorError(
          'source_unavailable',
          `${this.url} does not answer (${outcome.reason}). Run it again later: it goes on where it was.`,
        )
      }
      if (failures === 1 && outcome.counts) {
        tell(`${this.url} does not answer (${outcome.reason}): trying again.`)
      }
      await this.pause(outcome.waitMs ?? Math.min(longestRetryMs, retryMs * 2 ** (failures - 1)))
    }
  }

  async #attempt<T>(
    path: string,
    read: (response: Response) => Promise<T>,
    headers: Record<string, string>,
  ): Promise<{ result: T } | Failure> {
    const { signal } = this.#options
    let response: Response
    try {
      response = await fetch(`${this.url}${path}`, {
        headers: { 'User-Agent': 'skill-catalog-mirror', ...headers },
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      })
      if (response.ok) {
        return { result: await read(response) }
      }
    } catch (error) {
      signal.throwIfAborted()
      return { reason: reasonOf(error), waitMs: null, counts: true }
    }
    const { code, detail } = await problemOf(response)
    if (!passing.includes(response.status)) {
      throw new AppError(response.status, code, `${this.url}${path} answered ${response.status}: ${detail}`)
    }
    return { reason: detail, waitMs: retryAfterMs(response), counts: response.status !== 429 }
  }
}

/** Undefined for what is no JSON, which no answer is. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What fetch says of a failure is in its cause. */
function reasonOf(error: unknown): string {
  const cause = Object(error).cause ?? error
  return String(Object(cause).code ?? Object(cause).message ?? cause)
}

/** Seconds or a date (RFC 9110, 10.2.3); null when it does not say. */
function retryAfterMs({ headers }: Response): number | null {
  const given = headers.get('retry-after')
  if (given === null) {
    return null
  }
  const ms = /^\d+$/.test(given) ? Number(given) * 1_000 : Date.parse(given) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

/** What a refusal says (RFC 9457), as far as it is one of a catalog's. */
async function problemOf(response: Response): Promise<{ code: string; detail: string }> {
  const body: unknown = await response.json().catch(() => null)
  const { code, detail } = Object(body)
  return {
    code: typeof code === 'string' ? code : 'source_refused',
    detail: typeof detail === 'string' ? detail : response.statusText,
  }
}
