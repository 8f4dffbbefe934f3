import { describe, expect, test } from '@jest/globals'
import { readByteRange } from '../../services/query/request/download.js'

describe('readByteRange, of a file of 1,000 bytes', () => {
  test.each([
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=0-999', { start: 0, end: 999 }],
    ['bytes=500-', { start: 500, end: 999 }],
    ['bytes=999-', { start: 999, end: 999 }],
    ['bytes=10-19', { start: 10, end: 19 }],
    ['bytes=10-99999', { start: 10, end: 999 }],
    ['bytes=-1', { start: 999, end: 999 }],
    ['bytes=-1000', { start: 0, end: 999 }],
    ['bytes=-99999', { start: 0, end: 999 }],
    ['Bytes= 10-19 ', { start: 10, end: 19 }],
  ])('%s', (header, range) => {
    expect(readByteRange(header, 1_000)).toEqual(range)
  })

  test.each(['bytes=1000-', 'bytes=1000-2000', 'bytes=-0', `bytes=${'9'.repeat(400)}-`])(
    '%s is unsatisfiable',
    (header) => {
      expect(readByteRange(header, 1_000)).toBe('unsatisfiable')
    },
  )

  test.each([
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'bytes=0x1-2',
    'bytes=1.5-2',
    'bytes=--1',
    'bytes=5-2',
    'bytes=0-1,3-4',
    'bytes=0-1, -1',
    'items=0-5',
    'bytes 0-5',
  ])('%j is ignored', (header) => {
    expect(readByteRange(header, 1_000)).toBeNull()
  })
})

test('an empty file has no ranges', () => {
  expect(readByteRange('bytes=0-', 0)).toBe('unsatisfiable')
  expect(readByteRange('bytes=-5', 0)).toBe('unsatisfiable')
})
