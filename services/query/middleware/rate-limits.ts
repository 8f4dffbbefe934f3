import type { RateLimitDecision, RateLimiter, RateLimitPolicy } from '../../../shared/ports/rate-limiter.js'
import { clientAddress, clientKey } from '../client-key.js'
import { tooManyRequests } from '../errors.js'
import type { QueryMiddleware } from './state.js'

export interface RateLimitsOptions {
  limiter: RateLimiter
  /** Every quota there is, the narrowest first. A request consumes those of its endpoint, any other the default one. */
  policies: RateLimitPolicy[]
  /** How many proxies stand in front, see `clientAddress`. */
  trustedProxies: number
  /** Epoch milliseconds. */
  clock: () => number
  /** Hears of every count. */
  onDecision: (decision: RateLimitDecision) => void
}

/** However slow the limiter is, a request does not wait longer for all of its counts together. */
const timeForAllMs = 220

/**
 * Counts the request and shows the limits on its answer, whatever that will be. Refusing is left to
 * `refuseOverLimit`, below the cross-origin headers: a page must be able to read its 429, so preflights count but are
 * always answered.
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
 * Counts a request against all of its quotas, or against none when one of them refuses it: a client that hammers at
 * the export does not use up its searches by it, nor its downloads by what was refused for another reason.
 */
async function decide(limiter: RateLimiter, policies: RateLimitPolicy[], client: string): Promise<RateLimitDecision[]> {
  const untilMs = performance.now() + timeForAllMs
  const leftMs = () => Math.max(1, untilMs - performance.now())
  if (policies.length > 1) {
    const seen = await Promise.all(policies.map((policy) => limiter.peek(policy, client, leftMs())))
    if (seen.some(({ admitted }) => !admitted)) {
      return seen
    }
  }
  const decisions: RateLimitDecision[] = []
  for (const policy of policies) {
    const decision = await limiter.consume(policy, client, leftMs())
    decisions.push(decision)
    // Others may have come in between: the narrowest quota is the first to be used up.
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

/** A refusal first, then the fewest requests left, then the longest wait. */
const byTightness = (a: RateLimitDecision, b: RateLimitDecision): number =>
  Number(a.admitted) - Number(b.admitted) || a.remaining - b.remaining || b.resetAtMs - a.resetAtMs
