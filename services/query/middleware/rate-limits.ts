import type { RateLimitDecision, RateLimiter, RateLimitPolicy } from '../../../shared/ports/rate-limiter.js'
import { clientAddress, clientKey } from '../http/client-key.js'
import { tooManyRequests } from '../problems/errors.js'
import type { QueryMiddleware } from './state.js'

export interface RateLimitsOptions {
  limiter: RateLimiter
  /** Every policy, the narrowest first. A request consumes those of its endpoint, any other request the default one. */
  policies: RateLimitPolicy[]
  /** Number of proxies in front of the service, see `clientAddress`. */
  trustedProxies: number
  /** Epoch milliseconds. */
  clock: () => number
  /** Called for every decision. */
  onDecision: (decision: RateLimitDecision) => void
}

/** Time limit of all counts of a request together. */
const timeForAllMs = 220

/**
 * Counts the request and sets the limit headers. `refuseOverLimit` refuses, below the cross-origin headers: a page must
 * be able to read its 429, so preflights count but are always answered.
 */
export const countRequest =
  ({ limiter, policies: all, trustedProxies, clock, onDecision }: RateLimitsOptions): QueryMiddleware =>
  async (ctx, next) => {
    const client = clientKey(clientAddress(ctx.req, trustedProxies))
    ctx.state.client = client
    const names = ctx.state.found?.endpoint.limits ?? ['default']
    const policies = all.filter(({ name }) => names.includes(name))
    const decisions = await decide(limiter, policies, client)
    const refusals = decisions.filter(({ admitted }) => !admitted)
    for (const decision of refusals.length > 0 ? refusals : decisions) {
      onDecision(decision)
    }
    const [tightest] = decisions.sort(byTightness)
    if (tightest !== undefined) {
      const { policy, admitted, remaining, resetAtMs } = tightest
      const waitSeconds = Math.max(1, Math.ceil((resetAtMs - clock()) / 1_000))
      ctx.set({
        'RateLimit-Policy': policies
          .map(({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`)
          .reverse()
          .join(', '),
        RateLimit: `"${policy.name}";r=${remaining};t=${waitSeconds}`,
        'X-RateLimit-Limit': String(policy.quota),
        'X-RateLimit-Remaining': String(remaining),
        'X-RateLimit-Reset': String(Math.ceil(resetAtMs / 1_000)),
      })
      if (!admitted) {
        ctx.state.overLimit = tooManyRequests(policy, waitSeconds)
      }
    }
    await next()
  }

/**
 * Counts a request against all of its quotas, or against none when one refuses it: refused downloads do not use up the
 * default quota, and refused requests do not use up the export quota.
 */
async function decide(limiter: RateLimiter, policies: RateLimitPolicy[], client: string): Promise<RateLimitDecision[]> {
  const untilMs = performance.now() + timeForAllMs
  const leftMs = () => Math.max(1, untilMs - performance.now())
  if (policies.length > 1) {
    const peeked = await Promise.all(policies.map((policy) => limiter.peek(policy, client, leftMs())))
    if (peeked.some(({ admitted }) => !admitted)) {
      return peeked
    }
  }
  const decisions: RateLimitDecision[] = []
  for (const policy of policies) {
    const decision = await limiter.consume(policy, client, leftMs())
    decisions.push(decision)
    // Concurrent requests may have consumed the quota in between: the narrowest is used up first.
    if (!decision.admitted) {
      break
    }
  }
  return decisions
}

/** @throws AppError `rate_limited` (429) when the client is over a limit */
export const refuseOverLimit = (): QueryMiddleware => (ctx, next) => {
  if (ctx.state.overLimit !== undefined) {
    throw ctx.state.overLimit
  }
  return next()
}

/** A refusal first, then the fewest remaining requests, then the longest wait. */
const byTightness = (a: RateLimitDecision, b: RateLimitDecision): number =>
  Number(a.admitted) - Number(b.admitted) || a.remaining - b.remaining || b.resetAtMs - a.resetAtMs
