import { describe, expect, test } from '@jest/globals'
import { chooseEncoding, entityTag, isNotModified, SendableText } from '../../services/query/request/sendable-text.js'

const long = 'all the same '.repeat(200)

test('is compressed as the client prefers, above a minimum size', () => {
  expect(new SendableText(long).encodingFor('gzip, br')).toBe('br')
  expect(new SendableText('short').encodingFor('gzip')).toBe(null)
  expect(new SendableText('é'.repeat(600)).encodingFor('gzip')).toBe('gzip')
})

test('is compressed once, however often it is sent', async () => {
  const text = new SendableText(long)

  const [one, other] = await Promise.all([text.encoded('br'), text.encoded('br')])

  expect(one).toBe(other)
})

test('its tag is computed from the whole text, or from a part', () => {
  expect(new SendableText('a').entityTag(null)).not.toBe(new SendableText('b').entityTag(null))
  expect(new SendableText('a', 'same').entityTag('br')).toBe(new SendableText('b', 'same').entityTag('br'))
})

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

test('an encoding is chosen of the available ones', () => {
  expect(chooseEncoding('gzip, br', ['gzip'])).toBe('gzip')
  expect(chooseEncoding('br', ['gzip'])).toBe(null)
})

describe('entityTag', () => {
  test('is strong, equal for equal texts, and different for another text or encoding', () => {
    const tags = [entityTag('a', null), entityTag('b', null), entityTag('a', 'br'), entityTag('a', 'gzip')]

    expect(entityTag('a', null)).toBe(tags[0])
    expect(new Set(tags).size).toBe(4)
    expect(tags.every((tag) => /^"[\w-]{43}(-br|-gzip)?"$/.test(tag))).toBe(true)
  })
})

describe('isNotModified', () => {
  const lastModified = new Date('2026-01-01T12:00:00.900Z')
  const state = { etag: '"abc"', lastModified }

  test.each([
    ['the tag', '"abc"', true],
    ['another tag', '"xyz"', false],
    ['one of several', '"x", "abc" ,"y"', true],
    ['a weakened tag', 'W/"abc"', true],
    ['a weakened one of several', '"x",W/"abc"', true],
    ['any', ' * ', true],
    ['a star as a tag', '"*"', false],
    ['a tag in another case', '"ABC"', false],
    ['a tag without quotes', 'abc', false],
    ['a comma in a tag', '"abc,"', false],
    ['nothing', '', false],
  ])('If-None-Match with %s', (_, value, expected) => {
    expect(isNotModified({ 'if-none-match': value }, state)).toBe(expected)
  })

  test.each([
    ['the same second', 'Thu, 01 Jan 2026 12:00:00 GMT', true],
    ['later', 'Thu, 01 Jan 2026 12:00:01 GMT', true],
    ['earlier', 'Thu, 01 Jan 2026 11:59:59 GMT', false],
    ['nonsense', 'some day', false],
  ])('If-Modified-Since: %s', (_, value, expected) => {
    expect(isNotModified({ 'if-modified-since': value }, state)).toBe(expected)
    expect(isNotModified({ 'if-modified-since': value }, { etag: '"abc"' })).toBe(false)
  })

  test('the tag takes precedence over the date', () => {
    const since = 'Thu, 01 Jan 2026 12:00:00 GMT'

    expect(isNotModified({ 'if-none-match': '"xyz"', 'if-modified-since': since }, state)).toBe(false)
    expect(isNotModified({ 'if-none-match': '"abc"', 'if-modified-since': 'some day' }, state)).toBe(true)
  })

  test.each(['"abc"', 'W/"abc"', '*'])('a weak tag is compared weakly: %s', (value) => {
    expect(isNotModified({ 'if-none-match': value }, { etag: 'W/"abc"' })).toBe(true)
    expect(isNotModified({ 'if-none-match': 'W/"xyz"' }, { etag: 'W/"abc"' })).toBe(false)
  })

  test('without a condition it is modified', () => {
    expect(isNotModified({}, state)).toBe(false)
  })
})
