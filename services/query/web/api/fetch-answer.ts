import { parseJson } from '../../../../shared/runtime/http-answers.js'
import { visibleText } from '../../../../shared/text/clean-text.js'
import { apiRequest } from '../../../../shared/text/parse-url.js'
import type { Problem } from '../../request/problems.js'
import { type Explanation, explainProblem } from '../text/format.js'

/** A request without an answer that can be shown. */
export class Refusal extends Error {
  /** 0: the service was not reached. */
  readonly status: number
  /** What happened, in the reader's words. */
  readonly explanation: Explanation
  /** Seconds until another request may succeed; null: a repetition would fail as well. */
  readonly retryAfterSeconds: number | null
  /** Epoch milliseconds: when the answer was missed. */
  readonly atMs = Date.now()

  constructor(status: number, { code = '', errors = [] }: Partial<Problem>, retryAfterSeconds: number | null) {
    super(`${status} ${code}`)
    this.status = status
    this.explanation = explainProblem(status, code, { refused: errors.map(({ parameter }) => parameter) })
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Seconds after which an unreachable service is tried again. */
const unreachableRetrySeconds = 10

/**
 * Fetches an address of the API, without characters that nobody sees, and notes the reader's quota.
 *
 * @throws Refusal when the answer is an error, or there is none; the abort's reason when `signal` aborts
 */
export async function fetchAnswer<Answer>(address: string, signal: AbortSignal | null = null): Promise<Answer> {
  const request = apiRequest(address)
  const response = await fetch(request.address, {
    signal,
    headers: { Accept: 'application/json', ...(request.body !== null && { 'Content-Type': 'application/json' }) },
    ...(request.body !== null && { method: 'POST', body: request.body }),
  }).catch(() => refuse(signal))
  noteQuota(response.headers)
  if (response.ok) {
    const answer = await response.text().then(
      (text) => parseJson(visibleText(text)),
      () => refuse(signal),
    )
    // A proxy in between has its own answers.
    return Object(answer).data === undefined ? refuse(signal) : (answer as Answer)
  }
  const retryAfter = Number(response.headers.get('Retry-After') ?? 0)
  const problem: Partial<Problem> = await response.json().catch(() => ({}))
  throw new Refusal(response.status, problem, retryAfter || null)
}

/** @throws Refusal of a service that was not reached; the abort's reason */
function refuse(signal: AbortSignal | null): never {
  signal?.throwIfAborted()
  throw new Refusal(0, {}, unreachableRetrySeconds)
}

/** The requests that the reader may still send, by the headers of the latest answer. */
export interface Quota {
  limit: number
  remaining: number
  /** Epoch milliseconds: from then on all of them are available again. */
  resetAtMs: number
}

const key = 'quota'

/** Notes the quota in the headers of an answer. It is kept for the tab: the next page begins with it. */
function noteQuota(headers: Headers): void {
  const read = (name: string) => Number(headers.get(`X-RateLimit-${name}`) ?? Number.NaN)
  const quota: Quota = { limit: read('Limit'), remaining: read('Remaining'), resetAtMs: read('Reset') * 1_000 }
  if (Object.values(quota).some(Number.isNaN)) {
    return
  }
  try {
    sessionStorage.setItem(key, JSON.stringify(quota))
  } catch {
    // The browser stores nothing for this site.
  }
}

/** The latest quota; null: none is known, or its minute is over. */
export function currentQuota(): Quota | null {
  try {
    const quota = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Quota | null
    return quota !== null && quota.resetAtMs > Date.now() ? quota : null
  } catch {
    return null
  }
}
