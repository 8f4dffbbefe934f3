import { setTimeout as sleep } from 'node:timers/promises'

/** The service's documented maximum: 5 seconds for a backend, a quarter of a second for rate limits. */
const documentedMs = 5_250

/** Tolerance for a busy machine. */
const toleranceMs = 1_000

/** The maximum time of a response during any fault of the servers. */
export const maxResponseMs = documentedMs + toleranceMs

const timeoutMs = 30_000

/** Between two requests for the same path. */
const pauseMs = 100

/** The requested paths. */
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

/** The responses of an API during a fault. */
interface ApiVerdict {
  /** Responses that break a guarantee, with the reason. */
  faults: string[]
  /** Number of responses by path and status: `/healthz 200`. */
  answers: Record<string, number>
  slowestMs: number
}

export interface ApiWatch {
  /** Stops the requests. */
  stop(): Promise<ApiVerdict>
}

/**
 * Requests several endpoints continuously, with and without conditional requests. During any fault of the servers the
 * service answers in time with 200, 304, or with 429 or 503 and `Retry-After`.
 *
 * @param url of the service; when it trusts one proxy, each request comes from another client
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
      const condition: string | null = client % 2 === 0 ? etag : null
      const headers: Record<string, string> = {
        'X-Forwarded-For': from,
        ...(condition === null ? {} : { 'If-None-Match': condition }),
      }
      const startedMs = performance.now()
      try {
        const response = await fetch(url + path, { headers, signal: AbortSignal.timeout(timeoutMs) })
        const text = await response.text()
        etag = response.headers.get('etag') ?? etag
        judge(verdict, path, response, text, performance.now() - startedMs)
      } catch (error) {
        const ms = Math.round(performance.now() - startedMs)
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

function judge(verdict: ApiVerdict, path: string, response: Response, text: string, tookMs: number): void {
  const { status } = response
  const key = `${path} ${status}`
  verdict.answers[key] = (verdict.answers[key] ?? 0) + 1
  verdict.slowestMs = Math.max(verdict.slowestMs, tookMs)
  if (tookMs > maxResponseMs) {
    verdict.faults.push(`${key}: answered after ${Math.round(tookMs)} ms`)
  }
  const isSuccess = status === 200 || status === 304
  if (!isSuccess && !isRetryable(response)) {
    verdict.faults.push(`${key}: ${text.slice(0, 500)}`)
  }
}

/** Whether it is a 429 or 503 with problem details and `Retry-After`. */
export function isRetryable({ status, headers }: Pick<Response, 'status' | 'headers'>): boolean {
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json') === true
  return [429, 503].includes(status) && isProblem && Number(headers.get('retry-after')) >= 1
}

const reasonOf = (error: unknown): string => {
  const { cause } = Object(error)
  return `${error}${cause === undefined ? '' : `: ${cause}`}`
}
