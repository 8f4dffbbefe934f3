import { expect, test } from '@jest/globals'
import { formatBytes, formatCount, formatResult } from '../../shared/text/format-numbers.js'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [27_980_579, '28.0 MB'],
  [1_500_000_000, '1.5 GB'],
])('%i bytes', (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words)
})

test.each([
  [1, 'skills', '1 skill'],
  [0, 'skills', '0 skills'],
  [2_300, 'organizations', '2,300 organizations'],
  [1, 'late writes', '1 late write'],
  [1, 'missing', '1 missing'],
])('%i %s', (value, word, words) => {
  expect(formatCount(value, word)).toBe(words)
})

test('the text of a result has words in place of field names', () => {
  expect(formatResult({ files: 1, rows: 2, sizeBytes: 27_980_579, rebuilt: true, resumed: false, lateWrites: 1 })).toBe(
    '1 file, 2 rows, 28.0 MB, rebuilt, 1 late write',
  )
})
