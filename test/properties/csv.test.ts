import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { toCsv } from '../../services/indexer/exports/export-files.js'
import { SkillSchema } from '../../shared/records/schemas.js'
import { toPublicSkill } from '../../shared/records/skill.js'
import { joinList } from '../../shared/text/values-in-text.js'
import { aSkill } from '../support/factories.js'
import { runProgram, whenProgram } from '../support/programs.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { anyContent, anyText } from './any-skill.js'

const columns = Object.keys(SkillSchema.shape)

/** Skills with any text that the schema of records allows. */
const anyRows = fc.array(
  fc
    .tuple(anyContent, anyText, anyText, fc.array(anyText, { maxLength: 3 }))
    .map(([content, name, more, topics]) =>
      toPublicSkill(aSkill({ ...content, name, description: more, version: more, topics })),
    ),
  { maxLength: 120 },
)

/** Formulas of a spreadsheet, also after skipped characters, and words for no value get a prefix. */
const special = /^'*(?:[=+\-@＝＋－＠\t\r\n\0]|(?:null|-?nan|none|n\/a)$)/i

const asText = (cell: string): string => (special.test(cell) ? `'${cell}` : cell)

const cellOf = (value: unknown): string => {
  if (value === null) {
    return ''
  }
  return Array.isArray(value) ? asText(joinList(value)) : typeof value === 'string' ? asText(value) : String(value)
}

const printRows = `
import csv, json, sys
with open(sys.argv[1], newline='', encoding='utf-8') as file:
    json.dump(list(csv.reader(file, strict=True)), sys.stdout)
`

// Older versions refuse NUL.
whenProgram('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'], () => {
  test('a file of any skills is read back equal by another CSV reader', async () => {
    const file = join(temporaryFolder(), 'skills.csv')
    await fc.assert(
      fc.asyncProperty(anyRows, async (rows) => {
        writeFileSync(file, [...toCsv(columns, rows)].join(''))

        const { stdout } = await runProgram('python3', ['-c', printRows, file])

        expect(JSON.parse(stdout)).toEqual([
          columns,
          ...rows.map((row) => columns.map((column) => cellOf(Reflect.get(row, column)))),
        ])
      }),
      { numRuns: 3 },
    )
  })
})
