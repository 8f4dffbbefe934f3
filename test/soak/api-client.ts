import { setTimeout as sleep } from 'node:timers/promises'
import { isRetryable, maxResponseMs } from '../faults/support/watch-api.js'
import type { History, Reading } from './history.js'
import type { SoakCatalog } from './soak-catalog.js'
import type { SoakLog } from './soak-log.js'

/** A response, with the time of its request. */
export interface Answer {
  status: number
  headers: Headers
  body: Uint8Array
  json(): unknown
  /** From the request to the end of the response. */
  reading: Omit<Reading, 'source'>
}

const timeoutMs = 60_000

/** Before the next request to an unavailable service. */
const pauseMs = 200

/** Statuses other than 200 and 304 that are valid responses, by the prefix of the path. */
const meaningful: [pathPrefix: string, statuses: number[]][] = [
  ['/api/skills/', [308, 404, 410]],
  ['/api/v1/export', [206, 410, 428]],
]

/** A client of the API that reports every response which breaks a guarantee. */
export class ApiClient {
  readonly #catalog: Pick<SoakCatalog, 'url' | 'api'>
  readonly #history: Pick<History, 'confirmed'>
  readonly #log: SoakLog
  /** Number of responses by status; 0: no response, because the service was unavailable. */
  readonly answers = new Map<number, number>()
  slowestMs = 0

  constructor(catalog: Pick<SoakCatalog, 'url' | 'api'>, history: Pick<History, 'confirmed'>, log: SoakLog) {
    this.#catalog = catalog
    this.#history = history
    this.#log = log
  }

  /** @returns null without a response, or after a 429 or 503 with `Retry-After` */
  async ask(path: string, headers: Record<string, string> = {}): Promise<Answer | null> {
    const { confirmed } = this.#history
    const from = performance.now()
    const answer = await this.#fetch(path, headers, from)
    if (answer === null) {
      this.#count(0)
      await sleep(pauseMs)
      return null
    }
    const to = performance.now()
    this.#count(answer.status)
    if (!this.#catalog.api.wasUnavailable(from, to)) {
      this.slowestMs = Math.max(this.slowestMs, to - from)
      if (to - from > maxResponseMs) {
        this.#log.violation('slow', `${path} was answered after ${Math.round(to - from)} ms`)
      }
    }
    if (isRetryable(answer)) {
      return null
    }
    const { status } = answer
    if (status !== 200 && status !== 304 && !isMeaningful(path, status)) {
      this.#log.violation('status', `${path}: ${status} ${Buffer.from(answer.body).toString().slice(0, 500)}`)
      return null
    }
    return {
      ...answer,
      json: () => JSON.parse(Buffer.from(answer.body).toString()),
      reading: { from, to, confirmed },
    }
  }

  async #fetch(
    path: string,
    headers: Record<string, string>,
    from: number,
  ): Promise<Pick<Answer, 'status' | 'headers' | 'body'> | null> {
    try {
      const response = await fetch(`${this.#catalog.url}${path}`, {
        headers,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const body = new Uint8Array(await response.arrayBuffer())
      return { status: response.status, headers: response.headers, body }
    } catch (error) {
      if (!this.#catalog.api.wasUnavailable(from, performance.now())) {
        this.#log.violation('no answer', `${path}: ${error} ${String(Object(error).cause)}`)
      }
      return null
    }
  }

  #count(status: number): void {
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1)
  }
}

const isMeaningful = (path: string, status: number): boolean =>
  meaningful.some(([prefix, statuses]) => path.startsWith(prefix) && statuses.includes(status))
