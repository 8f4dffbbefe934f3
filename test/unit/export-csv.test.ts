import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { toCsv } from '../../services/indexer/exports/export-files.js'
import { joinList } from '../../shared/text/split-list.js'
import { runProgram, whenProgram } from '../support/programs.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Texts that have broken CSV readers, or run as formulas in spreadsheets. */
const nasty = [
  "=cmd|' /C calc'!A0",
  '=HYPERLINK("https://a.example";"click")',
  '+1+1',
  '-2+3',
  '@SUM(A1:A9)',
  '＝1+1',
  '＋1',
  '－1',
  '＠x',
  '=',
  '"',
  '""',
  '",',
  "'",
  ',',
  ';',
  '|',
  '\r\n',
  '\n',
  '\r',
  '\t',
  '\0',
  '\u001a',
  '\u2028',
  '\u00a0',
  '\ufeff',
  ' ',
  '\\',
  'é',
  '世界',
  '👩‍💻',
  '\u202e',
  'NULL',
  'x'.repeat(300),
]

const printCells = `
import csv, json, sys
with open(sys.argv[1], newline='', encoding='utf-8') as file:
    for row in csv.reader(file, strict=True):
        sys.stdout.write(json.dumps(row) + '\\n')
`

// Older versions refuse NUL.
whenProgram('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'], () => {
  test('ten thousand rows of such texts are read back unchanged, and none begins as a formula', async () => {
    const rows = Array.from({ length: 10_000 }, (_, place) => ({
      id: `a/${place}`,
      name: worst(place, 1),
      topics: [worst(place, 2), worst(place, 3)],
      description: place % 7 === 0 ? null : worst(place, 4),
    }))
    const file = join(temporaryFolder(), 'worst.csv')
    writeFileSync(file, [...toCsv(['id', 'name', 'topics', 'description'], rows)].join(''))

    const { status, stdout } = await runProgram('python3', ['-c', printCells, file])

    expect(status).toBe(0)
    const [header, ...read] = stdout
      .trimEnd()
      .split('\n')
      .map((line): string[] => JSON.parse(line))
    expect(header).toEqual(['id', 'name', 'topics', 'description'])
    expect(read).toEqual(
      rows.map(({ id, name, topics, description }) => [
        id,
        asText(name),
        asText(joinList(topics)),
        asText(description ?? ''),
      ]),
    )
    expect(read.flat().filter((cell) => formula.test(cell))).toEqual([])
  })
})

/** Formulas of a spreadsheet, also after skipped characters. */
const formula = /^[=+\-@＝＋－＠\t\r\n\0]/

/** Formulas and words for no value, and what could be taken for one with its apostrophe. */
const special = /^'*(?:[=+\-@＝＋－＠\t\r\n\0]|NULL$)/

const asText = (cell: string): string => (special.test(cell) ? `'${cell}` : cell)

/** One to four of these texts, always the same ones for the same numbers. */
function worst(row: number, column: number): string {
  let state = (row * 31 + column) >>> 0
  const next = () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return state >>> 7
  }
  return Array.from({ length: 1 + (next() % 4) }, () => nasty[next() % nasty.length]).join('')
}
