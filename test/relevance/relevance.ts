/**
 * Measures how well the search finds what is wanted, on records of your choice:
 *
 *   npm run relevance -- FILE… [--judged FILE] [--text-field text] [--mode servers] [--compare] [--seed 1]
 *     [--queries 200] [--json FILE]
 *
 * The built command imports the files into a new catalog, and the built service is asked over HTTP: queries that are made
 * from the records, whose answer is known, and the judged queries for these records, by words, by meaning and by both.
 * `--compare` asks the same of a bare BM25 and of a Meilisearch with default settings, with and without texts, and of its
 * hybrid search with the vectors of the built-in embedder. `--judged` adds judged queries from outside the project.
 */
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Skill } from '../../shared/records/skill.js'
import { formatCount } from '../../shared/text/format-numbers.js'
import { startProcess, withFolder } from '../bench/processes.js'
import { print } from '../bench/report.js'
import { runCatalogOn } from '../support/catalog-command.js'
import { meiliKey, type ServerKind, servers, startServer } from '../support/run-servers.js'
import { bareBm25 } from './bare-bm25.js'
import { acceptedText, type Engine, readSkills, readTexts, serviceEngines } from './engine.js'
import { readJudged } from './judged.js'
import { makeKnownItems } from './known-items.js'
import { formatSet, jsonOf, type MeasuredSet, measureSet } from './measure.js'
import { knownItemMeasures, type QuerySet } from './metrics.js'
import { startRawMeilisearch } from './raw-meilisearch.js'
import type { RelevanceSkill } from './words.js'

/** The engines to compare with, and a line about those that are missing. */
async function enginesToCompare(folder: string, url: string, skills: Skill[]): Promise<Engine[]> {
  const texts = await readTexts(url, skills)
  const described = ({ name, description }: RelevanceSkill): string => `${name} ${description ?? ''}`
  const bare = [
    bareBm25('BM25', skills, described),
    ...(texts.size === 0
      ? []
      : [bareBm25('BM25 texts', skills, (skill) => `${described(skill)} ${texts.get(skill.id) ?? ''}`)]),
  ]
  const { found, remedy } = servers.meilisearch
  if (!found()) {
    print(`skipped: the comparison with meilisearch, which is missing: ${remedy}`)
    return bare
  }
  return [...bare, ...(await startRawMeilisearch(join(folder, 'raw'), skills, texts))]
}

const { values, positionals: files } = parseArgs({
  options: {
    judged: { type: 'string', multiple: true, default: [] },
    'text-field': { type: 'string', default: 'text' },
    mode: { type: 'string', default: 'embedded' },
    compare: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    queries: { type: 'string', default: '200' },
    json: { type: 'string' },
  },
  allowPositionals: true,
})
const { mode, compare, json } = values
const [seed, perKind] = [Number(values.seed), Number(values.queries)]
if (
  files.length === 0 ||
  !['embedded', 'servers'].includes(mode) ||
  !Number.isSafeInteger(seed) ||
  !(Number.isSafeInteger(perKind) && perKind >= 0)
) {
  process.stderr.write('Name files of records. --mode takes embedded or servers, --seed and --queries whole numbers.\n')
  process.exit(2)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(1))
}
/**
 * Imports the files into a new catalog, and starts the service on it.
 *
 * @param folder for its data
 * @returns the URL of the service, and the result of the import
 */
async function openCatalog(folder: string) {
  const env = {
    ...(mode === 'embedded' ? { DATA_DIR: join(folder, 'data') } : await startServers(folder)),
    CATALOG_MODE: mode,
    SAMPLE_CATALOG: 'off',
    PORT: '0',
    RATE_LIMIT_PER_MINUTE: '1000000',
    LOG_LEVEL: 'error',
  }
  const run = await runCatalogOn(env, [
    'import',
    ...files,
    '--type',
    'skills',
    '--text-field',
    values['text-field'],
    '--json',
  ])
  // 1: some records were rejected, as an operator may accept.
  if (run.status !== 0 && run.status !== 1) {
    throw new Error(`the import ended with ${run.status}: ${run.stderr}`)
  }
  const service = await startProcess(`dist/services/${mode === 'embedded' ? 'standalone' : 'query'}/main.js`, [], env)
  return { url: service.url, imported: run.json }
}

/** New servers, even where the environment names some: an operator's own catalog must not be written to. */
async function startServers(folder: string): Promise<Record<string, string>> {
  const start = async (kind: ServerKind) => (await startServer(kind, join(folder, kind))).url
  const redis = await start('redis')
  return {
    MONGODB_URL: `${await start('mongodb')}/relevance`,
    MEILI_URL: await start('meilisearch'),
    MEILI_KEY: meiliKey,
    REDIS_URL: redis,
    RATE_LIMIT_REDIS_URL: redis,
    EXPORT_CACHE_DIR: join(folder, 'exports'),
  }
}

await withFolder(async (folder) => {
  const catalog = await openCatalog(folder)
  const skills = await readSkills(catalog.url)
  const { sets: judged, skipped } = readJudged(new Set(skills.map(({ id }) => id)), values.judged)
  const knownItems: QuerySet = {
    name: 'known items',
    heldOut: false,
    queries: makeKnownItems(skills, seed, perKind),
    measures: knownItemMeasures,
    worstBy: 'MRR@10',
  }
  const names = files.map((file) => basename(file))
  print(`${formatCount(skills.length, 'skills')} of ${names.join(', ')}; mode ${mode}, seed ${seed}`)
  if (Number(catalog.imported['rejected']) > 0) {
    print(`${catalog.imported['rejected']} records were rejected by the import`)
  }
  for (const reason of skipped) {
    print(`skipped: ${reason}`)
  }
  const engines = [
    ...serviceEngines(mode, catalog.url),
    ...(compare ? await enginesToCompare(folder, catalog.url, skills) : []),
  ]
  const measured: MeasuredSet[] = []
  for (const set of [knownItems, ...judged].filter(({ queries }) => queries.length > 0)) {
    const each = await measureSet(set, engines, seed)
    measured.push(each)
    print(`\n${formatSet(each)}`)
    const shortened = set.queries.filter(({ text }) => acceptedText(text) !== text).length
    if (shortened > 0) {
      print(
        `${shortened} of ${set.queries.length} queries of ${set.name} were too long for the service, and sent without their end`,
      )
    }
  }
  if (json !== undefined) {
    const report = { mode, seed, files: names, skills: skills.length, skipped, sets: measured.map(jsonOf) }
    writeFileSync(json, `${JSON.stringify(report, null, 1)}\n`)
  }
})
