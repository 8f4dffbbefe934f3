/**
 * Measures the embedded mode, on seeded catalogs of the sizes given as arguments (default 10,000 and 250,000):
 *
 *   npm run bench -- 10000 250000
 *
 * Everything is measured from outside, on the built commands and the built service, as an operator would see it. Ratios
 * compare with a minimal baseline in the same run: SQLite with one bare table, and its FTS5 with one bare index,
 * queried in the process for the best 20 by bm25.
 */
import { createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { generateSkills } from '../../services/indexer/seed/generate-skills.js'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { toPublicSkill } from '../../shared/records/skill.js'
import { tokenize } from '../../shared/text/analyze.js'
import { type RunningProcess, runBuilt, startProcess } from './processes.js'
import { perSecond, print, ratio, row, spread } from './report.js'
import { atOnce, makeQueries, serial } from './searches.js'

const sizes = process.argv.slice(2).map(Number)
const searches = 1_000
const parallel = 16

async function measure(size: number, folder: string): Promise<void> {
  print(`\n${size.toLocaleString('en')} seeded skills`)
  const source = join(folder, 'skills.ndjson')
  await pipeline(skillLines(size), createWriteStream(source))

  const imported = await catalog(folder, ['import', source, '--type', 'skills', '--no-update', '--json'])
  const bareImportMs = await bareImport(source, join(folder, 'bare.db'))
  row('import', perSecond(size, imported.ms), `${ratio(bareImportMs, imported.ms)} of one bare table, command included`)

  await catalog(folder, ['sync', '--json'])
  const rebuilt = await catalog(folder, ['rebuild', '--json'])
  const bare = bareIndex(source, join(folder, 'bare.db'))
  row('rebuild', perSecond(size, rebuilt.ms), `${ratio(bare.ms, rebuilt.ms)} of one bare FTS5 index, command included`)
  await catalog(folder, ['stats'])
  await catalog(folder, ['export'])

  const service = await startService(folder)
  row('start-up', `${Math.round(service.startMs)} ms`, 'from the command to the address printed')
  const queries = makeQueries(size, searches)
  const bareTimes = queries.map((query) => timed(() => bare.search(query))).sort(ascending)
  await serial(service.url, queries.slice(0, 100))
  const times = await serial(service.url, queries)
  row('search, one at a time', spread(times), `bare FTS5 in the process: ${spread(bareTimes)}`)
  row(`search, ${parallel} at once`, perSecond(searches, await atOnce(service.url, queries, parallel)), '')
  row('memory after the searches', `${service.memoryMb()} MB`, 'resident, including the memory-mapped file')
  row('on disk', `${Math.round(statSync(join(folder, 'data', 'catalog.db')).size / 1e6)} MB`, 'records and index')
  await service.stop()
  bare.close()
}

function* skillLines(size: number): Generator<string> {
  for (const skill of generateSkills(size, 1)) {
    yield `${JSON.stringify(toPublicSkill(skill))}\n`
  }
}

/** Runs a command of the catalog to its end. */
async function catalog(folder: string, args: string[]): Promise<{ ms: number }> {
  const startedAt = performance.now()
  await runBuilt('services/indexer/cli/main.js', args, { DATA_DIR: join(folder, 'data') })
  return { ms: performance.now() - startedAt }
}

async function bareImport(source: string, path: string): Promise<number> {
  const db = new SqliteDatabase(path)
  db.exec('CREATE TABLE skills (id TEXT PRIMARY KEY, record TEXT NOT NULL)')
  const startedAt = performance.now()
  const lines = readFileSync(source, 'utf8').trimEnd().split('\n')
  for (let at = 0; at < lines.length; at += 1_000) {
    db.write(() => {
      for (const line of lines.slice(at, at + 1_000)) {
        db.run('INSERT OR REPLACE INTO skills VALUES (?, ?)', [(JSON.parse(line) as { id: string }).id, line])
      }
    })
  }
  const ms = performance.now() - startedAt
  db.close()
  return ms
}

function bareIndex(source: string, path: string) {
  const db = new SqliteDatabase(path)
  db.exec(
    `CREATE VIRTUAL TABLE words USING fts5 (name, repo, topics, description, owner, content = '', prefix = '1 2 3')`,
  )
  const startedAt = performance.now()
  const lines = readFileSync(source, 'utf8').trimEnd().split('\n')
  for (let at = 0; at < lines.length; at += 1_000) {
    db.write(() => {
      for (const line of lines.slice(at, at + 1_000)) {
        const { name, repo, topics, description, owner } = JSON.parse(line) as ReturnType<typeof toPublicSkill>
        db.run('INSERT INTO words (name, repo, topics, description, owner) VALUES (?, ?, ?, ?, ?)', [
          name,
          repo,
          topics.join(' '),
          description,
          owner,
        ])
      }
    })
  }
  return {
    ms: performance.now() - startedAt,
    search(text: string) {
      const words = tokenize(text).map((token) => `"${token.text}"`)
      db.all('SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, 10, 8, 3, 2, 1) LIMIT 20', [
        `${words.join(' AND ')}*`,
      ])
    },
    close: () => db.close(),
  }
}

const startService = (folder: string): Promise<RunningProcess> =>
  startProcess('dist/services/standalone/main.js', [], {
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    RATE_LIMIT_PER_MINUTE: '1000000',
    LOG_LEVEL: 'error',
  })

function timed(work: () => void): number {
  const startedAt = performance.now()
  work()
  return performance.now() - startedAt
}

const ascending = (a: number, b: number): number => a - b

for (const size of sizes.length > 0 ? sizes : [10_000, 250_000]) {
  const folder = mkdtempSync(join(tmpdir(), 'skill-catalog-bench-'))
  try {
    await measure(size, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
