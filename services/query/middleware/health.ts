import { answerHealth, type ReadinessCheck } from '../../../shared/runtime/readiness.js'
import { openToAll } from './cross-origin.js'
import type { QueryMiddleware } from './state.js'

/**
 * `/healthz`: the process is alive. `/readyz`: the state of each dependency, 503 when one is down.
 *
 * A load balancer should use `/healthz`: with a dependency down, the endpoints that do not need it still work.
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
