import { apiRequest } from '../../../../shared/text/api-request.js'
import { visibleText } from '../../../../shared/text/clean-text.js'
import type { Problem } from '../../problems/problem.js'
import { type Explanation, explainProblem } from '../text/explain-problem.js'
import { noteQuota } from './quota.js'

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
  }).catch(() => {
    signal?.throwIfAborted()
    throw new Refusal(0, {}, unreachableRetrySeconds)
  })
  noteQuota(response.headers)
  if (response.ok) {
    return JSON.parse(visibleText(await response.text())) as Answer
  }
  const retryAfter = Number(response.headers.get('Retry-After') ?? 0)
  const problem: Partial<Problem> = await response.json().catch(() => ({}))
  throw new Refusal(response.status, problem, retryAfter || null)
}
