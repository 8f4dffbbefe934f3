import { setTimeout as sleep } from 'node:timers/promises'

/** What the service takes at most: 5 seconds for a backend, a quarter of a second for its limits. */
const documentedMs = 5_250

/** What a busy machine may add, here and there. */
const machineMs = 1_000

/** No answer comes later, whatever has befallen what the service stands on. */
export const longestAnswerMs = documentedMs + machineMs

/** Nothing that comes so late is waited for. */
const givenUpMs = 30_000

/** Between two questions for the same thing. */
const pauseMs = 100

/** What is asked for. */
export const watchedPaths = [
  '/healthz',
  '/openapi.json',
  '/api/skills?limit=5',
  '/api/v1/skills/search?q=tool',
  '/api/v1/skills/suggest?q=to',
  '/api/v1/stats',
  '/api/v1/changes?limit=5',
  '/api/v1/exports',
  '/api/v1/export?type=skills&format=ndjson',
]

/** What was seen of an API while something else was done. */
interface ApiVerdict {
  /** Answers that no client should get, each with why: there should be none. */
  faults: string[]
  /** How often each path was answered with each status: `/healthz 200`. */
  answers: Record<string, number>
  slowestMs: number
}

export interface ApiWatch {
  /** Asks no more, and tells what there was to see. */
  stop(): Promise<ApiVerdict>
}

/**
 * Asks several endpoints of a service, all the while, as clients with and without a copy of their own. Whatever befalls
 * what the service stands on, it answers in time with 200, 304, a 429 or a 503 that say when to come back.
 *
 * @param url of the service; where it trusts one proxy, each request comes from a client of its own
 */
export function watchApi(url: string): ApiWatch {
  const verdict: ApiVerdict = { faults: [], answers: {}, slowestMs: 0 }
  const end = new AbortController()
  let client = 0
  const watching = watchedPaths.map(async (path) => {
    let etag: string | null = null
    while (!end.signal.aborted) {
      client += 1
      const from = `198.18.${(client >> 8) % 256}.${client % 256}`
      const kept: string | null = client % 2 === 0 ? etag : null
      const headers = { 'X-Forwarded-For': from, ...(kept === null ? {} : { 'If-None-Match': kept }) }
      const beganMs = performance.now()
      try {
        const answer = await fetch(url + path, { headers, signal: AbortSignal.timeout(givenUpMs) })
        const text = await answer.text()
        etag = answer.headers.get('etag') ?? etag
        note(verdict, path, answer, text, performance.now() - beganMs)
      } catch (error) {
        const ms = Math.round(performance.now() - beganMs)
        verdict.faults.push(`${path}: no answer after ${ms} ms (${reasonOf(error)})`)
      }
      await sleep(pauseMs, undefined, { signal: end.signal }).catch(() => undefined)
    }
  })
  return {
    stop: async () => {
      end.abort()
      await Promise.all(watching)
      return verdict
    },
  }
}

function note(verdict: ApiVerdict, path: string, answer: Response, text: string, tookMs: number): void {
  const { status } = answer
  const key = `${path} ${status}`
  verdict.answers[key] = (verdict.answers[key] ?? 0) + 1
  verdict.slowestMs = Math.max(verdict.slowestMs, tookMs)
  if (tookMs > longestAnswerMs) {
    verdict.faults.push(`${key}: answered after ${Math.round(tookMs)} ms`)
  }
  const isAnswer = status === 200 || status === 304
  if (!isAnswer && !isHonest(answer)) {
    verdict.faults.push(`${key}: ${text.slice(0, 500)}`)
  }
}

/** Whether a client is told why it got nothing, and when to come back. */
export function isHonest({ status, headers }: Pick<Response, 'status' | 'headers'>): boolean {
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json') === true
  return [429, 503].includes(status) && isProblem && Number(headers.get('retry-after')) >= 1
}

const reasonOf = (error: unknown): string => {
  const { cause } = Object(error)
  return `${error}${cause === undefined ? '' : `: ${cause}`}`
}
