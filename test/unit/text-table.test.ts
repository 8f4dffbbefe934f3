import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from '@jest/globals'
import { formatMoment, screenOf, textTable } from '../../services/indexer/cli/output/screen.js'

/** A terminal of this width; null: a pipe. */
const screen = (columns: number | null) =>
  screenOf(Object.assign(new PassThrough(), columns === null ? {} : { isTTY: true, columns }))

const rows = [
  ['skill', 'reason', 'since'],
  ['a/日本', 'the description is longer than the index accepts', 'today'],
]

test.each([
  [
    'without a terminal a row is one line, and wide characters count twice',
    null,
    'skill   reason                                            since\n' +
      'a/日本  the description is longer than the index accepts  today',
  ],
  [
    'on a terminal the text of one column is wrapped',
    45,
    'skill   reason                          since\n' +
      'a/日本  the description is longer than  today\n' +
      '        the index accepts',
  ],
  [
    'on a narrow terminal the text follows its row',
    30,
    'skill   since\n' + 'a/日本  today\n' + '    the description is longer\n' + '    than the index accepts',
  ],
])('%s', (_, columns, table) => {
  expect(stripVTControlCharacters(textTable(rows, screen(columns), 1))).toBe(table)
})

test.each([
  ['2026-01-01T11:59:59.700Z', 'now'],
  ['2026-01-01T11:59:15.000Z', '45 s ago'],
  ['2026-01-01T12:05:00.000Z', 'in 5 min'],
  ['2025-12-31T11:00:00.000Z', '1 d ago'],
  ['2025-11-10T12:00:00.000Z', '52 d ago'],
  ['2024-06-01T12:00:00.000Z', '19 months ago'],
  ['2020-06-01T12:00:00.000Z', '5 years ago'],
  ['never', 'never'],
])('on a terminal %s is %s', (iso, shown) => {
  const now = new Date('2026-01-01T12:00:00.000Z')

  expect(formatMoment(iso, now, screen(80))).toBe(shown)
  expect(formatMoment(iso, now, screen(null))).toBe(iso)
})
