import { answerHealth, type ReadinessCheck } from '../../../shared/runtime/readiness.js'
import { send } from '../http/send.js'
import type { RequestContext } from './state.js'

/**
 * Answers `/healthz`: the process is alive; and `/readyz`: the state of each dependency, 503 when one is down.
 *
 * A load balancer should use `/healthz`: with a dependency down, the endpoints that do not need it still work.
 *
 * @returns whether the request was one of them
 */
export async function sendHealth(ctx: RequestContext, check: ReadinessCheck): Promise<boolean> {
  const answer = ctx.method === 'GET' || ctx.method === 'HEAD' ? await answerHealth(ctx.path, check) : null
  if (answer === null) {
    return false
  }
  const headers = ['Cache-Control', 'no-store', 'Content-Type', 'application/json; charset=utf-8']
  send(ctx, answer.status, headers, JSON.stringify(answer.body))
  return true
}
