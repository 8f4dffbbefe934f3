import { expect, test } from '@jest/globals'
import { chooseEncoding } from '../../services/query/request/sendable-text.js'

test.each([
  ['', null],
  ['identity', null],
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['GZIP', 'gzip'],
  ['br;q=0.5, gzip', 'gzip'],
  ['br;q=0.5, gzip;q=0.5', 'br'],
  ['br; q=0, gzip', 'gzip'],
  ['gzip;q=0', null],
  ['*', 'br'],
  ['*;q=0', null],
  ['br;q=0, *', 'gzip'],
  ['identity;q=0', null],
  ['identity;q=1, gzip;q=0.5', null],
  ['identity;q=0.5, gzip;q=1', 'gzip'],
  ['gzip;q=nonsense', null],
  ['deflate, zstd', null],
  [', ;, ;;q=1', null],
] as const)('Accept-Encoding: %s is answered with %s', (header, encoding) => {
  expect(chooseEncoding(header)).toBe(encoding)
})

test('of the available ones', () => {
  expect(chooseEncoding('gzip, br', ['gzip'])).toBe('gzip')
  expect(chooseEncoding('br', ['gzip'])).toBe(null)
})
