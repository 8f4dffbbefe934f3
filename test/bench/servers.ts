/**
 * Measures the servers mode, on a seeded catalog (default 20,000 skills):
 *
 *   npm run bench:servers -- 60000 --minutes 10 --json results.json --svg chart.svg
 *
 * Uses the servers of MONGODB_URL, MEILI_URL and REDIS_URL (with MEILI_KEY), else starts its own. Everything is measured
 * from outside, on the built commands and services, and compared with minimal baselines in the same run. `--minutes` adds
 * the memory of both services under load for that time.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startProcess } from './processes.js'
import { print } from './report.js'
import { describeMachine, outputOptions, writeResults } from './results.js'
import { catalog, insertSkills, type ServersBench, withServersBench } from './servers-bench.js'
import { measureChanges } from './servers-changes.js'
import { measureMemory } from './servers-memory.js'
import { measureRebuild } from './servers-rebuild.js'
import { measureSearches } from './servers-searches.js'

const { values, positionals } = parseArgs({
  options: { ...outputOptions, minutes: { type: 'string', default: '0' } },
  allowPositionals: true,
})

async function measure(bench: ServersBench, minutes: number): Promise<void> {
  const { size, env, meilisearch } = bench
  const machine = describeMachine((await meilisearch.getVersion()).pkgVersion)
  const label = `${size.toLocaleString('en')} seeded skills`
  print(`\n${label}`)
  await insertSkills(bench)
  await catalog(env, ['sync', '--local'])
  const rebuild = await measureRebuild(bench)

  const indexer = await startProcess('dist/services/indexer/main.js', [], env)
  const query = await startProcess('dist/services/query/main.js', [], env)
  try {
    const changes = await measureChanges(bench, query.url)
    const searches = await measureSearches(bench, query.url)
    const memory = await measureMemory(bench, { indexer, query }, minutes)
    writeResults(
      values,
      { machine, size, rebuild, changes, searches, memory },
      searches.map((search) => ({ ...search, title: `${label}, ${search.title}` })),
    )
  } finally {
    await query.stop()
    await indexer.stop()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'skill-catalog-bench-'))
try {
  await withServersBench(Number(positionals[0] ?? 20_000), folder, (bench) => measure(bench, Number(values.minutes)))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
