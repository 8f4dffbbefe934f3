import { describe, expect, test } from '@jest/globals'
import { entityTag, isNotModified } from '../../services/query/request/sendable-text.js'

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
