import { setTimeout as sleep } from 'node:timers/promises'
import { isHonest, longestAnswerMs } from '../faults/support/watch-api.js'
import type { History, Reading } from './history.js'
import type { SoakCatalog } from './soak-catalog.js'
import type { SoakLog } from './soak-log.js'

/** An answer, with what must be known to judge it. */
export interface Answer {
  status: number
  headers: Headers
  body: Uint8Array
  /** The body, read as JSON. */
  json(): unknown
  /** When it was asked for and when it had come. */
  reading: Omit<Reading, 'source'>
}

/** Nothing that comes so late is waited for. */
const givenUpMs = 60_000

/** Before a service that was away is asked again. */
const awayMs = 200

/** Answers other than 200 and 304 that say something about what was asked for, by how its path begins. */
const meaningful: [pathPrefix: string, statuses: number[]][] = [
  ['/api/skills/', [308, 404, 410]],
  ['/api/v1/export', [206, 410, 428]],
]

/** Asks the API as a client, and notes every answer that no client should get. */
export class ApiClient {
  readonly #catalog: Pick<SoakCatalog, 'url' | 'api'>
  readonly #history: Pick<History, 'confirmed'>
  readonly #log: SoakLog
  /** How often there was which status; 0: no answer, because the service was away. */
  readonly answers = new Map<number, number>()
  slowestMs = 0

  constructor(catalog: Pick<SoakCatalog, 'url' | 'api'>, history: Pick<History, 'confirmed'>, log: SoakLog) {
    this.#catalog = catalog
    this.#history = history
    this.#log = log
  }

  /** @returns null when there was no answer, or one that asks to come back later */
  async ask(path: string, headers: Record<string, string> = {}): Promise<Answer | null> {
    const { confirmed } = this.#history
    const from = performance.now()
    const answer = await this.#fetch(path, headers, from)
    if (answer === null) {
      this.#count(0)
      await sleep(awayMs)
      return null
    }
    const to = performance.now()
    this.#count(answer.status)
    if (!this.#catalog.api.wasAway(from, to)) {
      this.slowestMs = Math.max(this.slowestMs, to - from)
      if (to - from > longestAnswerMs) {
        this.#log.complain('slow', `${path} was answered after ${Math.round(to - from)} ms`)
      }
    }
    if (isHonest(answer)) {
      return null
    }
    const { status } = answer
    if (status !== 200 && status !== 304 && !isMeaningful(path, status)) {
      this.#log.complain('status', `${path}: ${status} ${Buffer.from(answer.body).toString().slice(0, 500)}`)
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
        signal: AbortSignal.timeout(givenUpMs),
      })
      const body = new Uint8Array(await response.arrayBuffer())
      return { status: response.status, headers: response.headers, body }
    } catch (error) {
      if (!this.#catalog.api.wasAway(from, performance.now())) {
        this.#log.complain('no answer', `${path}: ${error} ${String(Object(error).cause)}`)
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
