import type { IncomingMessage } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'

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

/** The eight groups of a valid IPv6 address in any notation. */
function ipv6Groups(address: string): number[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((group) => group.toString(16)).join(':'),
  )
  const [left = [], right = []] = hex.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
}
