/**
 * Measures the embedded mode, on record sets: seeded ones of the sizes given as arguments (default 10,000 and 250,000),
 * and one of the skills in given files, repeated up to 62,500 records (see `writeRepeated`):
 *
 *   npm run bench:embedded -- 10000 250000
 *   npm run bench:embedded -- skills.ndjson more-skills.csv --json results.json --svg chart.svg
 *   npm run bench:embedded -- 2000000 --searches
 *
 * Everything is measured from outside, on the built commands and the built service, as an operator would see it. Import
 * and rebuild are compared with SQLite with one bare table, and its FTS5 with one bare index. Searches are compared with
 * raw Meilisearch, that FTS5, and a bare HTTP handler, in turn; see `compareSearches`. `--searches` measures only these,
 * without the bare SQLite.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureEmbedded } from './measure-embedded.js'
import { writeRepeated, writeSeeded } from './record-sets.js'
import { print } from './report.js'
import { describeMachine, installedMeilisearch, outputOptions, writeResults } from './results.js'

const { values, positionals } = parseArgs({
  options: { ...outputOptions, searches: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const isSize = (argument: string) => /^[1-9]\d*$/.test(argument)
const files = positionals.filter((argument) => !isSize(argument))
for (const file of files.filter((each) => !existsSync(each))) {
  process.stderr.write(`${file} is neither a number of skills nor a file.\n`)
  process.exit(2)
}
const sizes = positionals.length === 0 ? [10_000, 250_000] : positionals.filter(isSize).map(Number)
const writers = [
  ...sizes.map((size) => (folder: string) => writeSeeded(size, folder)),
  ...(files.length === 0 ? [] : [(folder: string) => writeRepeated(files, folder)]),
]

const meilisearch = installedMeilisearch()
const machine = describeMachine(meilisearch)
const sets = []
for (const write of writers) {
  const folder = mkdtempSync(join(tmpdir(), 'skill-catalog-bench-'))
  try {
    const set = await write(folder)
    print(`\n${set.label}`)
    sets.push(
      await measureEmbedded(set, folder, { hasMeilisearch: meilisearch !== null, searchesOnly: values.searches }),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
writeResults(
  values,
  { machine, sets },
  sets.map(({ set, search }) => ({ ...search, title: `${set.label}, ${search.title}` })),
)
