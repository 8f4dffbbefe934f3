/**
 * The figures of the embedded mode, on seeded catalogs of the sizes given as arguments (default 10,000 and 250,000):
 *
 *   npm run bench -- 10000 250000
 *
 * Everything is measured from outside, on the built commands and the built service, as an operator would see it. The
 * ratios set it against the least that could do the same in the same run: SQLite with one bare table, and its FTS5
 * with one bare index, asked in the process for the best 20 by bm25.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { generateSkills } from '../../services/indexer/seed/generate-skills.js'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite-database.js'
import { projectRoot } from '../../shared/project-root.js'
import { toPublicSkill } from '../../shared/records/skill.js'
import { tokenize } from '../../shared/text/analyze.js'

const sizes = process.argv.slice(2).map(Number)
const searches = 1_000
const parallel = 16

async function measure(size: number, folder: string): Promise<void> {
  tell(`\n${size.toLocaleString('en')} seeded skills`)
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
  const queries = makeQueries(size)
  const bareTimes = queries.map((query) => timed(() => bare.search(query))).sort(ascending)
  await serial(service.url, queries.slice(0, 100))
  const times = await serial(service.url, queries)
  row('search, one at a time', spread(times), `bare FTS5 in the process: ${spread(bareTimes)}`)
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: parallel }, (_, lane) =>
      serial(
        service.url,
        queries.filter((_query, place) => place % parallel === lane),
      ),
    ),
  )
  row(`search, ${parallel} at once`, perSecond(searches, performance.now() - startedAt), '')
  row('memory after that', service.memory(), 'resident; of it the file mapped into memory counts too')
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
  const command = spawn(process.execPath, [join(projectRoot(), 'dist/services/indexer/cli/main.js'), ...args], {
    env: { ...process.env, DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [status] = await once(command, 'exit')
  if (status !== 0) {
    throw new Error(`catalog ${args.join(' ')} ended with ${status}`)
  }
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

async function startService(folder: string) {
  const startedAt = performance.now()
  const service = spawn(process.execPath, [join(projectRoot(), 'dist/services/standalone/main.js')], {
    env: {
      ...process.env,
      DATA_DIR: join(folder, 'data'),
      PORT: '0',
      RATE_LIMIT_PER_MINUTE: '1000000',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface(service.stdout)) {
    const url = /http:\S+/.exec(line)?.[0]
    if (url !== undefined) {
      return {
        url,
        startMs: performance.now() - startedAt,
        memory: () =>
          `${Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1_000)} MB`,
        async stop() {
          service.kill('SIGTERM')
          await once(service, 'exit')
        },
      }
    }
  }
  throw new Error('the service did not start')
}

/** What people type: a word, two words, three, the beginning of one, one with a typo; all from the records. */
function makeQueries(size: number): string[] {
  const texts = [...generateSkills(Math.min(size, 10_000), 1)].map((skill) =>
    tokenize(`${skill.name} ${skill.description}`).map((token) => token.text),
  )
  return Array.from({ length: searches }, (_, n) => {
    const words = texts[(n * 7_919) % texts.length] ?? []
    const word = (at: number) => words[(n + at) % words.length] ?? 'pdf'
    switch (n % 5) {
      case 0:
        return word(0)
      case 1:
        return `${word(0)} ${word(1)}`
      case 2:
        return `${word(0)} ${word(1)} ${word(3)}`
      case 3:
        return word(0).slice(0, 3)
      default:
        return `${word(1)} ${word(0).slice(0, 2)}${word(0).slice(3)}`
    }
  })
}

/** Asks one query after the other. @returns the milliseconds of each, ascending */
async function serial(url: string, queries: string[]): Promise<number[]> {
  const agent = new Agent({ keepAlive: true })
  const times: number[] = []
  for (const query of queries) {
    const startedAt = performance.now()
    await new Promise<void>((resolve, reject) => {
      get(`${url}/api/v1/skills/search?q=${encodeURIComponent(query)}`, { agent }, (answer) => {
        if (answer.statusCode !== 200) {
          reject(new Error(`${query}: ${answer.statusCode}`))
        }
        answer.resume().on('end', resolve)
      }).on('error', reject)
    })
    times.push(performance.now() - startedAt)
  }
  agent.destroy()
  return times.sort(ascending)
}

function timed(work: () => void): number {
  const startedAt = performance.now()
  work()
  return performance.now() - startedAt
}

const ascending = (a: number, b: number): number => a - b
const percentile = (times: number[], share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1)
const spread = (times: number[]): string => `p50 ${percentile(times, 0.5)} ms, p95 ${percentile(times, 0.95)} ms`
const perSecond = (count: number, ms: number): string =>
  `${Math.round((count / ms) * 1_000).toLocaleString('en')} a second`
const ratio = (baselineMs: number, ms: number): string => `${(baselineMs / ms).toFixed(2)} ×`
const row = (what: string, figure: string, beside: string): void =>
  tell(`${what.padEnd(24)}${figure.padEnd(34)}${beside}`)
function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}

for (const size of sizes.length > 0 ? sizes : [10_000, 250_000]) {
  const folder = mkdtempSync(join(tmpdir(), 'skill-catalog-bench-'))
  try {
    await measure(size, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
