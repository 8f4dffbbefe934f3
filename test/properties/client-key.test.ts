import type { IncomingMessage } from 'node:http'
import { isIPv4 } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { clientAddress, clientKey, clientNetwork } from '../../services/query/request/rate-limits.js'

/** A notation of one IPv6 address. */
interface Style {
  capitals: boolean
  /** Whether groups are written with their leading zeros. */
  padded: boolean
  /** The start of the run of zeros that is written as `::`; null: none is. */
  shortened: number | null
}

/** Port, brackets and zone, as proxies and sockets add them. */
interface Wrapping {
  space: string
  zone: string
  brackets: boolean
  port: number | null
}

const groups = (count: number) =>
  fc.array(fc.oneof(fc.constantFrom(0, 0, 1, 0xffff), fc.nat(0xffff)), { minLength: count, maxLength: count })

const anyStyle: fc.Arbitrary<Style> = fc.record({
  capitals: fc.boolean(),
  padded: fc.boolean(),
  shortened: fc.option(fc.nat(7)),
})

/** An IPv6 address in one of its notations. */
function spelled(address: number[], style: Style): string {
  const hex = address.map((group) => group.toString(16).padStart(style.padded ? 4 : 1, '0'))
  const from = style.shortened ?? 0
  const length = address.slice(from).findIndex((group) => group !== 0)
  const end = length === -1 ? address.length : from + length
  const text =
    style.shortened === null || end === from
      ? hex.join(':')
      : `${hex.slice(0, from).join(':')}::${hex.slice(end).join(':')}`
  return style.capitals ? text.toUpperCase() : text
}

const anyWrapping: fc.Arbitrary<Wrapping> = fc.record({
  space: fc.constantFrom('', ' ', '\t'),
  zone: fc.constantFrom('', '%eth0', '%1', '%en-0.5'),
  brackets: fc.boolean(),
  port: fc.option(fc.nat(65_535)),
})

function wrapped(address: string, { space, zone, brackets, port }: Wrapping): string {
  const inner = `${address}${zone}`
  const enclosed = brackets || port !== null ? `[${inner}]` : inner
  return `${space}${enclosed}${port === null ? '' : `:${port}`}${space}`
}

const anyIpv4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))

test('an IPv4 address is one client in every notation, and other addresses are other clients', () => {
  fc.assert(
    fc.property(
      anyIpv4,
      anyIpv4,
      anyStyle,
      anyWrapping,
      fc.option(fc.nat(65_535)),
      (bytes, other, style, around, port) => {
        const dotted = bytes.join('.')
        const [a, b, c, d] = bytes
        const mapped = [0, 0, 0, 0, 0, 0xffff]
        const hex = spelled([...mapped, a * 256 + b, c * 256 + d], style)
        const mixed = `${spelled(mapped, { ...style, shortened: style.shortened && style.shortened % 5 })}:${dotted}`

        for (const written of [
          `${dotted}${port === null ? '' : `:${port}`}`,
          wrapped(hex, around),
          wrapped(mixed, around),
        ]) {
          expect([written, clientKey(written)]).toEqual([written, dotted])
        }
        expect(clientKey(other.join('.')) === dotted).toBe(other.join('.') === dotted)
      },
    ),
  )
})

test('an IPv6 network of 64 bits is one client in every notation, and other networks are other clients', () => {
  const network = groups(4)
  fc.assert(
    fc.property(
      network,
      groups(4),
      groups(4),
      network,
      anyStyle,
      anyWrapping,
      (net, host, another, else_, style, around) => {
        fc.pre(!isMapped([...net, ...host]) && !isMapped([...net, ...another]) && !isMapped([...else_, ...host]))
        const key = clientKey(spelled([...net, ...host], { ...style, shortened: null }))

        expect(key).toBe(`${net.map((group) => group.toString(16)).join(':')}::/64`)
        expect(clientKey(wrapped(spelled([...net, ...another], style), around))).toBe(key)
        expect(clientKey(spelled([...else_, ...host], style)) === key).toBe(String(else_) === String(net))
      },
    ),
  )
})

const isMapped = (address: number[]): boolean =>
  address.slice(0, 5).every((group) => group === 0) && address[5] === 0xffff

/** Invalid addresses, made of parts of addresses. */
const junk = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .array(
      fc.constantFrom('[', ']', ':', '::', '.', '%', '/', ' ', '0', '1', '255', '256', 'ffff', '0x7f', '-', 'fe80'),
      {
        maxLength: 16,
      },
    )
    .map((pieces) => pieces.join('')),
  fc.constantFrom('__proto__', 'constructor', '0', '127.1', '2130706433', '0177.0.0.1', '::ffff:1.2.3', '[::1', '::1]'),
)

test('invalid addresses share one key, and a client cannot choose its key', () => {
  fc.assert(
    fc.property(junk, (text) => {
      const key = clientKey(text)

      expect(key).toMatch(/^(unknown|\d{1,3}(\.\d{1,3}){3}|[0-9a-f]{1,4}(:[0-9a-f]{1,4}){3}::\/64)$/)
      expect(clientNetwork(key)).toMatch(
        /^(unknown|\d{1,3}(\.\d{1,3}){2}\.0\/24|[0-9a-f]{1,4}(:[0-9a-f]{1,4}){2}::\/48)$/,
      )
      expect(key.includes('.')).toBe(isIPv4(key))
    }),
    { numRuns: 300 },
  )
})

test('with trusted proxies a client cannot change its key by the header', () => {
  const hops = fc.array(
    anyIpv4.map((bytes) => bytes.join('.')),
    { minLength: 1, maxLength: 4 },
  )
  const request = (remoteAddress: string, forwarded: string | undefined) =>
    ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage
  fc.assert(
    fc.property(
      hops,
      fc.option(fc.array(junk, { maxLength: 5 })),
      fc.constantFrom(',', ', ', ' ,\t'),
      (trail, written, comma) => {
        // Each proxy appends the address of its client: the first one that of the real client.
        const [client = '', ...seen] = trail
        const header = [...(written === null ? [] : [written.join(',')]), client, ...seen].join(comma)

        expect(clientKey(clientAddress(request('10.0.0.1', header), trail.length))).toBe(client)
        expect(clientAddress(request('10.0.0.1', header), 0)).toBe('10.0.0.1')
      },
    ),
  )
})

describe('clientKey', () => {
  test.each([
    ['loopback', '::1', '0:0:0:0::/64'],
    ['not mapped, though it ends with an IPv4 address', '64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    ['nothing', '', 'unknown'],
    ['a number too large', '203.0.113.256', 'unknown'],
    ['leading zeros in IPv4, which some parse as octal', '203.0.113.010', 'unknown'],
    ['too many groups', '1:2:3:4:5:6:7:8:9', 'unknown'],
  ])('%s', (_, address, key) => {
    expect(clientKey(address)).toBe(key)
  })
})

describe('clientAddress', () => {
  const request = (remoteAddress: string, forwarded?: string) =>
    ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage

  test.each([
    ['fewer entries than proxies: the first', 3, '203.0.113.7, 10.0.0.2', '203.0.113.7'],
    ['no header: the connection', 2, undefined, '10.0.0.1'],
    ['an empty entry is no address', 1, '203.0.113.7,', ''],
  ])('%s', (_, trustedProxies, forwarded, expected) => {
    expect(clientAddress(request('10.0.0.1', forwarded), trustedProxies).trim()).toBe(expected)
  })
})

test.each([
  ['203.0.113.7', '203.0.113.0/24'],
  ['2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['unknown', 'unknown'],
])('clientNetwork: %s is logged as %s', (key, network) => {
  expect(clientNetwork(key)).toBe(network)
})
