import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { writeDataset } from '../../services/indexer/jobs/write-dataset.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import { type RecordType, recordId, type StoredRecords } from '../../shared/records/records.js'
import { saveFile } from '../support/dataset.js'
import { openImportBench } from '../support/import-bench.js'
import type { JobBench } from '../support/job-bench.js'
import { runProgram, whenProgram } from '../support/programs.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { anyText } from './any-skill.js'

const convert = fileURLToPath(new URL('../support/convert-files.py', import.meta.url))

const oddTexts = [
  ...[
    "'=x",
    '=x',
    "''=x",
    '@acme',
    '-1',
    '+1',
    '＝1',
    "'＋1",
    "'",
    "'quoted'",
    '"',
    '""',
    'null',
    'NaN',
    'none',
    'N/A',
    "'null",
  ],
  ...[
    'true',
    '[x]',
    '{y}',
    '[a, b]',
    "['a']",
    '["a"]',
    '\\',
    '\\n',
    'a,b',
    'a|b',
    'a;b',
    'one\ntwo',
    ' spaced ',
    'é',
    '世界 🦀',
  ],
  ...['#N/A', '<NA>', '\\N', 'a\\,b', '(a)', '|', ',', ';', 'x]y', "it's", 'say "hi"', 'a b', '&amp;x;y', '<b>'],
]
const odd = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...oddTexts) }, { weight: 1, arbitrary: anyText })
const oddTime = fc.option(
  fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2030, 0) }).map((ms) => new Date(ms).toISOString()),
)
const topics = fc.array(odd, { maxLength: 5 })

/** Records of any odd values, as a source would give them; the tools guess types, so that one of each has plain ones. */
const inputs: Record<RecordType, { plain: object; any: fc.Arbitrary<object> }> = {
  skills: {
    plain: {
      owner: 'acme',
      repo: 'plain',
      name: 'Plain',
      description: 'Plain.',
      topics: ['pdf'],
      license: 'MIT',
      language: 'Go',
      version: 'v1.0',
      stars: 1,
      forks: 1,
      createdAt: '2024-07-01',
      updatedAt: '2024-07-01',
      publishedAt: '2024-07-01',
      homepage: 'https://acme.example/',
    },
    any: fc.record({
      owner: fc.constantFrom('Acme', 'null', 'nan', '-x', '007'),
      repo: fc.constantFrom('a', 'none', '-', '1e5', 'N-A'),
      name: odd,
      description: odd,
      topics,
      license: odd,
      language: odd,
      version: odd,
      stars: fc.option(fc.nat()),
      archived: fc.boolean(),
      createdAt: oddTime,
      updatedAt: oddTime,
    }),
  },
  prompts: {
    plain: {
      id: 'plain',
      title: 'Plain',
      description: 'Plain.',
      content: 'Plain.',
      topics: ['pdf'],
      author: 'jane',
      license: 'MIT',
      url: 'https://acme.example/',
      createdAt: '2024-07-01',
      updatedAt: '2024-07-01',
    },
    any: fc.record({
      id: odd,
      title: odd,
      description: odd,
      content: odd,
      topics,
      author: odd,
      license: odd,
      createdAt: oddTime,
    }),
  },
  organizations: {
    plain: {
      login: 'acme',
      name: 'Plain',
      description: 'Plain.',
      url: 'https://acme.example/',
      avatarUrl: 'https://acme.example/x',
      createdAt: '2024-07-01',
      updatedAt: '2024-07-01',
    },
    any: fc.record({
      login: fc.constantFrom('null', 'nan', '-x', 'labs'),
      name: odd,
      description: odd,
      updatedAt: oddTime,
    }),
  },
}

/** The stored records of a catalog, without what only other members of their input would be. */
async function storedIn<T extends RecordType>({ catalog }: JobBench, type: T): Promise<Map<string, unknown>> {
  const ids = await catalog.listIds(type, null, 10_000)
  const found = await catalog.findStored(type, ids)
  return new Map(
    found.map(({ id, stored }) => [
      recordId(type, stored as StoredRecords[T]),
      { id, ...(stored as object), indexedAt: null },
    ]),
  )
}

whenProgram(
  'python3',
  ['-c', 'import duckdb, pandas, polars, pyarrow, subprocess; subprocess.run(["sqlite3", "--version"], check=True)'],
  () => {
    test.each<RecordType>(['skills', 'prompts', 'organizations'])(
      '%s of any odd values are equal after an import of every file, and from what DuckDB, pandas, polars and sqlite3 make of it',
      async (type) => {
        await fc.assert(
          fc.asyncProperty(fc.array(inputs[type].any, { minLength: 10, maxLength: 40 }), async (records) => {
            const bench = await openImportBench()
            const text = [inputs[type].plain, ...records].map((record) => `${JSON.stringify(record)}\n`).join('')
            await bench.importFiles({ 'all.ndjson': text }, { type })
            // Organizations are those that have skills.
            const owners = (await bench.catalog.listIds('organizations', null, 100)).map(
              (owner) => `${JSON.stringify({ owner, repo: 'any' })}\n`,
            )
            await bench.importFiles({ 'skills.ndjson': owners.join('') })
            await bench.run(writeExports)
            await bench.run(writeDataset)
            const expected = await storedIn(bench, type)
            const [files, results] = [temporaryFolder(), temporaryFolder()]
            for (const format of ['csv', 'json', 'ndjson'] as const) {
              copyFileSync(await saveFile(bench.exports, type, format), join(files, `${type}.${format}`))
            }
            copyFileSync(await saveFile(bench.datasets, type, 'parquet'), join(files, `${type}.parquet`))
            copyFileSync(await saveFile(bench.datasets, 'catalog', 'sqlite'), join(files, 'catalog.sqlite'))
            mkdirSync(results, { recursive: true })

            expect(await runProgram('python3', [convert, files, type, results])).toMatchObject({ status: 0 })
            const paths = [
              ...['csv', 'json', 'ndjson'].map((format) => join(files, `${type}.${format}`)),
              ...readdirSync(results).map((name) => join(results, name)),
            ]
            expect(paths).toHaveLength(3 + 9 + 20 + 9 + 2)
            for (const path of paths) {
              const copy = await openImportBench()
              await copy.importFiles({ [basename(path)]: readFileSync(path) }, { type })
              expect({ path, records: await storedIn(copy, type) }).toEqual({ path, records: expected })
            }
          }),
          { numRuns: 2, endOnFailure: true },
        )
      },
    )
  },
)
