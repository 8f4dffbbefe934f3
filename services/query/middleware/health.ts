import { stateKeys } from '../../../shared/state-keys.js'
import type { Backends } from '../backends.js'
import type { QueryMiddleware } from './state.js'

/** One look at the dependencies serves everybody who asks within this time: these paths have no limits. */
const keptMs = 1_000

interface Readiness {
  ready: boolean
  dependencies: Record<string, 'up' | 'down'>
}

/**
 * `/healthz`: the process lives. `/readyz`: each dependency by name, 503 when one is down.
 *
 * The second is for people and monitors: since every endpoint goes on that does not need what is down, a load
 * balancer does better to ask the first.
 */
export function health({ catalog, index, exports }: Backends, clock: () => number): QueryMiddleware {
  let look: { at: number; readiness: Promise<Readiness> } | null = null

  const readiness = (): Promise<Readiness> => {
    if (look === null || clock() - look.at >= keptMs) {
      look = { at: clock(), readiness: askAll() }
    }
    return look.readiness
  }

  const askAll = async (): Promise<Readiness> => {
    const questions = {
      catalog: catalog.readState(stateKeys.stats),
      search: index.status(),
      exports: exports.current(),
    }
    const answers = await Promise.allSettled(Object.values(questions))
    const names = Object.keys(questions)
    return {
      ready: answers.every(({ status }) => status === 'fulfilled'),
      dependencies: Object.fromEntries(
        answers.map(({ status }, position) => [names[position], status === 'fulfilled' ? 'up' : 'down']),
      ),
    }
  }

  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      return next()
    }
    if (ctx.path === '/healthz') {
      ctx.set('Cache-Control', 'no-store')
      ctx.body = { status: 'alive' }
    } else if (ctx.path === '/readyz') {
      const { ready, dependencies } = await readiness()
      ctx.status = ready ? 200 : 503
      ctx.set('Cache-Control', 'no-store')
      ctx.body = { status: ready ? 'ready' : 'not_ready', dependencies }
    } else {
      await next()
    }
  }
}
