import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from '@jest/globals'
import { clientAddress, clientKey, clientNetwork } from '../../services/query/request/rate-limits.js'

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
