import { describe, expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { toCsv, toJson } from '../../services/indexer/exports/export-files.js'
import { fromCell } from '../../shared/text/format-numbers.js'

const csv = (columns: string[], rows: object[]): string => [...toCsv(columns, rows)].join('')

describe('toCsv', () => {
  test('no rows: only the header', () => {
    expect(csv(['id', 'name'], [])).toBe('id,name\r\n')
  })

  test('lists are joined, absent values empty, booleans words', () => {
    expect(
      csv(['topics', 'none', 'stars', 'archived'], [{ topics: ['a', 'b'], none: null, stars: 0, archived: false }]),
    ).toBe('topics,none,stars,archived\r\na|b,,0,false\r\n')
  })

  test('delimiters, quotes and line breaks are quoted', () => {
    expect(csv(['text'], [{ text: 'a "b", c\r\nd' }])).toBe('text\r\n"a ""b"", c\r\nd"\r\n')
    expect(csv(['text'], [{ text: 'a\nb' }, { text: 'c\rd' }])).toBe('text\r\n"a\nb"\r\n"c\rd"\r\n')
  })

  test.each(['=', '+', '-', '@', '\t', '\0', '\r', '\n', '＝', '＋', '－', '＠'])(
    'a cell that begins with %j is no formula to a spreadsheet',
    (begin) => {
      const [cell] = parse(csv(['text'], [{ text: `${begin}1+1` }]), { from: 2, relax_quotes: false })[0] ?? []

      expect(cell).toBe(`'${begin}1+1`)
    },
  )

  // The words that pandas takes for no value by default.
  test.each(
    '#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null'.split('|'),
  )('a cell with the word %s is a text to data frames', (word) => {
    expect(csv(['text'], [{ text: word }])).toBe(`text\r\n'${word}\r\n`)
  })

  test('a list that begins with a formula is no formula either', () => {
    expect(csv(['topics'], [{ topics: ['=1+1', 'b'] }])).toBe("topics\r\n'=1+1|b\r\n")
    expect(csv(['topics'], [{ topics: ['\n=1+1'] }])).toBe('topics\r\n"\'\n=1+1"\r\n')
  })

  test('several chunks have one header', () => {
    const rows = Array.from({ length: 1_234 }, (_, place) => ({ id: String(place) }))

    expect(csv(['id'], rows).split('\r\n')).toEqual(['id', ...rows.map(({ id }) => id), ''])
  })

  test('any text is read back unchanged, without the prefix of formulas', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (texts) => {
        const rows = texts.map((text, place) => ({ place: String(place), text }))

        const read = parse(csv(['place', 'text'], rows), { columns: true }) as { place: string; text: string }[]

        expect(read.map(({ text }) => fromCell(text))).toEqual(texts)
      }),
    )
  })
})

test.each([
  [[]],
  [
    [
      { id: 'a', text: '=1+1' },
      { id: 'b', text: 'line\nbreak' },
    ],
  ],
])('toJson is the envelope with the rows as data: %j', (data) => {
  expect(JSON.parse([...toJson({ type: 'skills', count: 2 }, data)].join(''))).toEqual({
    type: 'skills',
    count: 2,
    data,
  })
})
