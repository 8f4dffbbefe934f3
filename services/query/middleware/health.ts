import { answerHealth, type ReadinessCheck } from '../../../shared/readiness.js'
import { openToAll } from './cross-origin.js'
import type { QueryMiddleware } from './state.js'

/**
 * `/healthz`: the process lives. `/readyz`: each dependency by name, 503 when one is down.
 *
 * The second is for people and monitors: since every endpoint goes on that does not need what is down, a load
 * balancer does better to ask the first.
 */
export const health =
  (check: ReadinessCheck): QueryMiddleware =>
  async (ctx, next) => {
    const reads = ctx.method === 'GET' || ctx.method === 'HEAD'
    const answer = reads ? await answerHealth(ctx.path, check) : null
    if (answer === null) {
      return next()
    }
    ctx.status = answer.status
    ctx.set({ 'Cache-Control': 'no-store', ...openToAll })
    ctx.body = answer.body
  }
