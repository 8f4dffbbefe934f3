import type { IncomingMessage } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'
import type { RateLimitDecision, RateLimiter, RateLimitPolicy } from '../../../shared/ports/rate-limiter.js'
import type { AppError } from '../../../shared/runtime/errors.js'
import { readByteRange } from './download.js'
import type { RequestContext } from './endpoint.js'
import { tooManyRequests } from './problems.js'

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

/** The policies of an endpoint, and the value of their header. */
interface Limits {
  policies: RateLimitPolicy[]
  header: string
}

/** Counts requests, and adds the limit headers to their answers. */
export class RateLimits {
  readonly #options: RateLimitsOptions
  /** By the list of names of an endpoint (`limits`). */
  readonly #limits = new Map<readonly string[], Limits>()

  constructor(options: RateLimitsOptions) {
    this.#options = options
  }

  /**
   * Counts a request.
   *
   * @returns the refusal of a client that is over a limit; null: the request is admitted. Preflights count but are always
   * answered: a page must be able to read its 429
   */
  async count({ req, state }: RequestContext): Promise<AppError | null> {
    const { trustedProxies, clock, onDecision } = this.#options
    const counts = countsWithin(this.#options.limiter, timeForAllMs)
    const client = clientKey(clientAddress(req, trustedProxies))
    state.client = client
    const names = state.found?.endpoint.limits ?? defaultOnly
    const part = names.includes('export') ? partOf(req) : null
    const isFree = part === 'none' || (part !== null && (await isFurtherPart(counts, client, part)))
    const { policies, header } = this.#limitsOf(isFree ? defaultOnly : names)
    const decisions = await decide(counts, policies, client)
    if (part !== null && !isFree && decisions.every(({ admitted }) => admitted)) {
      await counts.consume(firstPart, `${client} ${part}`)
    }
    const refusals = decisions.filter(({ admitted }) => !admitted)
    for (const decision of refusals.length > 0 ? refusals : decisions) {
      onDecision(decision)
    }
    const [tightest] = decisions.sort(byTightness)
    if (tightest === undefined) {
      return null
    }
    const { policy, admitted, remaining, resetAtMs } = tightest
    const waitSeconds = Math.max(1, Math.ceil((resetAtMs - clock()) / 1_000))
    state.headers.push(
      'RateLimit-Policy',
      header,
      'RateLimit',
      `"${policy.name}";r=${remaining};t=${waitSeconds}`,
      'X-RateLimit-Limit',
      String(policy.quota),
      'X-RateLimit-Remaining',
      String(remaining),
      'X-RateLimit-Reset',
      String(Math.ceil(resetAtMs / 1_000)),
    )
    return admitted ? null : tooManyRequests(policy, waitSeconds)
  }

  #limitsOf(names: readonly string[]): Limits {
    let limits = this.#limits.get(names)
    if (limits === undefined) {
      const policies = this.#options.policies.filter(({ name }) => names.includes(name))
      const header = policies.map(({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`)
      limits = { policies, header: header.reverse().join(', ') }
      this.#limits.set(names, limits)
    }
    return limits
  }
}

const defaultOnly: readonly string[] = ['default']

/** The first part of a file that a client requests within a minute counts as a download. */
const firstPart: RateLimitPolicy = { name: 'export', quota: 1, windowSeconds: 60 }

/** Further parts, of any files, that do not count; each one beyond does: a part may be nearly the whole file. */
const furtherParts: RateLimitPolicy = { name: 'export', quota: 30, windowSeconds: 60 }

const isFurtherPart = async (counts: Counts, client: string, part: string): Promise<boolean> =>
  !(await counts.peek(firstPart, `${client} ${part}`)).admitted &&
  (await counts.consume(furtherParts, `${client} parts`)).admitted

/**
 * Which file a request for a part of an export belongs to; `none` for HEAD, which downloads nothing. Null for a request
 * for a whole file, also as a range.
 */
function partOf({ method, url = '/', headers }: RequestContext['req']): string | null {
  if (method === 'HEAD') {
    return 'none'
  }
  const range = readByteRange(headers.range ?? '', Number.MAX_SAFE_INTEGER)
  if (range === null || (range !== 'unsatisfiable' && range.start === 0 && range.end + 1 === Number.MAX_SAFE_INTEGER)) {
    return null
  }
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const name = pathname.slice(pathname.lastIndexOf('/') + 1)
  const file = name === 'export' ? `${searchParams.get('type')}.${searchParams.get('format') ?? 'json'}` : name
  return /^(?:skills|prompts|organizations)\.(?:json|csv|ndjson)$/.test(file) ? file : null
}

type Counts = Pick<RateLimiter, 'consume' | 'peek'>

/** The counts of one request, which together take no longer than this. */
function countsWithin(limiter: RateLimiter, timeLimitMs: number): Counts {
  const untilMs = performance.now() + timeLimitMs
  const leftMs = () => Math.max(1, untilMs - performance.now())
  return {
    consume: (policy, client) => limiter.consume(policy, client, leftMs()),
    peek: (policy, client) => limiter.peek(policy, client, leftMs()),
  }
}

/**
 * Counts a request against all of its quotas, or against none when one refuses it: refused downloads do not use up the
 * default quota, and refused requests do not use up the export quota.
 */
async function decide(counts: Counts, policies: RateLimitPolicy[], client: string): Promise<RateLimitDecision[]> {
  if (policies.length > 1) {
    const peeked = await Promise.all(policies.map((policy) => counts.peek(policy, client)))
    if (peeked.some(({ admitted }) => !admitted)) {
      return peeked
    }
  }
  const decisions: RateLimitDecision[] = []
  for (const policy of policies) {
    const decision = await counts.consume(policy, client)
    decisions.push(decision)
    // Concurrent requests may have consumed the quota in between: the narrowest is used up first.
    if (!decision.admitted) {
      break
    }
  }
  return decisions
}

/** A refusal first, then the fewest remaining requests, then the longest wait. */
const byTightness = (a: RateLimitDecision, b: RateLimitDecision): number =>
  Number(a.admitted) - Number(b.admitted) || a.remaining - b.remaining || b.resetAtMs - a.resetAtMs

/** Key of all clients without a readable address: a shared one, so that an invalid header gains no quota. */
const unknownClient = 'unknown'

/**
 * The key under which a client is counted: an IPv4 address as it is, an IPv6 address by its /64, since one household
 * or server has all of it. Port and zone are ignored.
 *
 * IPv4-mapped addresses are unmapped before masking; otherwise all of IPv4 would share one quota.
 *
 * @param address as in a socket or `X-Forwarded-For`
 */
export function clientKey(address: string): string {
  const bare = withoutPortAndZone(address.trim())
  if (isIPv4(bare)) {
    return bare
  }
  if (!isIPv6(bare)) {
    return unknownClient
  }
  const groups = ipv6Groups(bare)
  const [fifth = 0, sixth = 0, seventh = 0, eighth = 0] = groups.slice(4)
  if (groups.slice(0, 4).every((group) => group === 0) && fifth === 0 && sixth === 0xffff) {
    return [seventh >> 8, seventh & 255, eighth >> 8, eighth & 255].join('.')
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/**
 * The address of the client: that of the connection or, behind trusted proxies, the one that the outermost of them
 * connected to. Each proxy appends the address of its client, so it is the nth entry from the right; entries further
 * left were sent by the client and are not trusted.
 *
 * @param trustedProxies number of proxies in front of the service; 0 ignores the header
 */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string {
  const forwarded = request.headers['x-forwarded-for']
  if (trustedProxies === 0 || forwarded === undefined) {
    return request.socket.remoteAddress ?? ''
  }
  const hops = String(forwarded).split(',')
  return hops[Math.max(0, hops.length - trustedProxies)] ?? ''
}

/** A client's network, for the log: coarse enough not to identify the client. */
export function clientNetwork(key: string): string {
  if (isIPv4(key)) {
    return key.replace(/\.\d+$/, '.0/24')
  }
  return key === unknownClient ? key : `${key.split(':').slice(0, 3).join(':')}::/48`
}

function withoutPortAndZone(address: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1]
  const dotted = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1]
  return (bracketed ?? dotted ?? address).replace(/%.*$/, '')
}

/** The eight groups of a valid IPv6 address in any notation, of which URLs have one. */
function ipv6Groups(address: string): number[] {
  const { hostname } = new URL(`http://[${address}]`)
  const [left = [], right = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':')))
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
}
