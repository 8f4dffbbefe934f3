import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from '@jest/globals'
import { clientAddress, clientKey, clientNetwork } from '../../services/query/http/client-key.js'

describe('clientKey', () => {
  test.each([
    ['an IPv4 address is unchanged', '203.0.113.7', '203.0.113.7'],
    ['a port is ignored', '203.0.113.7:51234', '203.0.113.7'],
    ['surrounding spaces are ignored', '  203.0.113.7 ', '203.0.113.7'],
    ['IPv4-mapped, dotted', '::ffff:203.0.113.7', '203.0.113.7'],
    ['IPv4-mapped, hexadecimal', '::ffff:cb00:7107', '203.0.113.7'],
    ['IPv4-mapped, in capitals', '::FFFF:CB00:7107', '203.0.113.7'],
    ['IPv4-mapped, written out', '0:0:0:0:0:ffff:cb00:7107', '203.0.113.7'],
    ['IPv4-mapped, with brackets and port', '[::ffff:203.0.113.7]:443', '203.0.113.7'],
    ['IPv6 counts by its /64', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['leading zeros are ignored', '2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['zeros in the network', '2001:db8::1', '2001:db8:0:0::/64'],
    ['brackets and port', '[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
    ['brackets without port', '[2001:db8:1:2::9]', '2001:db8:1:2::/64'],
    ['a zone is ignored', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['loopback', '::1', '0:0:0:0::/64'],
    ['not mapped, though it ends with an IPv4 address', '64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    ['nothing', '', 'unknown'],
    ['a word', 'unknown', 'unknown'],
    ['a number too large', '203.0.113.256', 'unknown'],
    ['leading zeros in IPv4, which some parse as octal', '203.0.113.010', 'unknown'],
    ['too many groups', '1:2:3:4:5:6:7:8:9', 'unknown'],
    ['markup', '<script>', 'unknown'],
    ['the name of a prototype', '__proto__', 'unknown'],
  ])('%s', (_, address, key) => {
    expect(clientKey(address)).toBe(key)
  })
})

describe('clientAddress', () => {
  const request = (remoteAddress: string, forwarded?: string) =>
    ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage

  test.each([
    ['no proxies: the header is ignored', 0, '198.51.100.9', '10.0.0.1'],
    ['one proxy: the last entry, which it appended', 1, '198.51.100.9, 203.0.113.7', '203.0.113.7'],
    ['two proxies: the last but one', 2, '198.51.100.9, 203.0.113.7, 10.0.0.2', '203.0.113.7'],
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
