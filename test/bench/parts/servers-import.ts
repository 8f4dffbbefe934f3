import type { Meilisearch } from 'meilisearch'
import { runCommand } from '../processes.js'
import { fillIndex } from '../raw-meilisearch.js'
import { batchesOf, type RecordSet, writeSeeded } from '../record-sets.js'
import { type Measure, median, type Part, perSecond, ratio, row } from '../report.js'
import { fillCatalog, type ServersBench, withServersBench } from '../servers-bench.js'

const imported = 20_000

/** With vectors Meilisearch takes a second for 1,000; in a smaller catalog the start of the command is most of the difference. */
const rebuilt = 10_000

/** Rounds in which each measure and its baseline alternate. */
const rounds = 3

/** Documents that the bare script sends at a time. */
const bareBatch = 1_000

const aimPerSecond = 5_000

export const serversImport: Part = {
  name: 'servers-import',
  summary: `import of ${imported.toLocaleString('en')} seeded skills into MongoDB, and rebuild of an index of ${rebuilt.toLocaleString('en')}`,
  async measure(folder) {
    const set = await writeSeeded(imported, folder)
    return [
      ...(await withServersBench(imported, folder, (bench) => measureImports(bench, set))),
      ...(await withServersBench(rebuilt, folder, measureRebuilds)),
    ]
  },
}

async function measureRebuilds(bench: ServersBench): Promise<Measure[]> {
  await fillCatalog(bench)
  const { rebuildMs, bareScriptMs } = await measureRebuild(bench)
  const rate = (ms: number) => Math.round((rebuilt / ms) * 1_000)
  const detail = `${rate(rebuildMs)} and ${rate(bareScriptMs)} a second`
  return [{ name: 'rebuild', value: bareScriptMs / rebuildMs, unit: '× a bare script', aim: { atLeast: 0.9 }, detail }]
}

/** How fast the built command imports a set into an empty collection, next to a bare script that inserts the lines. */
async function measureImports({ env, skills }: ServersBench, set: RecordSet): Promise<Measure[]> {
  const ours: number[] = []
  const again: number[] = []
  const bare: number[] = []
  const run = async () =>
    Number((await runCommand(env, ['import', set.path, '--type', 'skills', '--no-update']))['importMs'])
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await bareImport(skills, set))
    await skills.deleteMany({})
    ours.push(await run())
    again.push(await run())
    await skills.deleteMany({})
  }
  const rate = (times: number[]) => (set.records / median(times)) * 1_000
  const [importRate, againRate, bareRate] = [rate(ours), rate(again), rate(bare)]
  const ofBare = `${Math.round((importRate / bareRate) * 100)} % of a bare script that inserts the lines: ${Math.round(bareRate)} a second`
  return [
    {
      name: 'import of new records',
      value: importRate,
      unit: 'a second',
      aim: { atLeast: aimPerSecond },
      detail: ofBare,
    },
    {
      name: 'import of the same again',
      value: againRate,
      unit: 'a second',
    },
  ]
}

/** Parses the lines and inserts them with the official driver, a batch after the other. */
async function bareImport(skills: ServersBench['skills'], set: RecordSet): Promise<number> {
  const startedAt = performance.now()
  for await (const lines of batchesOf(set, bareBatch)) {
    await skills.insertMany(lines.map((line) => JSON.parse(line)))
  }
  return performance.now() - startedAt
}

/** How long a rebuild takes, next to a bare script that pushes the same documents: medians, in milliseconds. */
export async function measureRebuild(bench: ServersBench): Promise<{ rebuildMs: number; bareScriptMs: number }> {
  const { size, env, meilisearch } = bench
  const settings = await meilisearch.index('skills').getSettings()
  const documents = await readyMadeDocuments(bench)
  const ours: number[] = []
  const bare: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await bareFill(meilisearch, settings, documents))
    const { recordsPerSecond } = await runCommand(env, ['rebuild', '--local'])
    ours.push((size / Number(recordsPerSecond)) * 1_000)
  }
  const [rebuildMs, bareScriptMs] = [median(ours), median(bare)]
  const compared = `${ratio(bareScriptMs, rebuildMs)} of a bare script: ${perSecond(size, bareScriptMs)}`
  row('rebuild', perSecond(size, rebuildMs), compared)
  return { rebuildMs, bareScriptMs }
}

/** Reads the index with its vectors, to be pushed again by a bare script. */
async function readyMadeDocuments({ meilisearch, size }: ServersBench): Promise<Record<string, unknown>[][]> {
  const index = meilisearch.index('skills')
  const batches: Record<string, unknown>[][] = []
  for (let offset = 0; offset < size; offset += 5_000) {
    batches.push((await index.getDocuments({ offset, limit: 5_000, retrieveVectors: true })).results)
  }
  return batches
}

/** Fills a fresh index with the official client. */
async function bareFill(client: Meilisearch, settings: object, batches: Record<string, unknown>[][]): Promise<number> {
  const startedAt = performance.now()
  await fillIndex(client, 'bare', 'key', settings, batches)
  const ms = performance.now() - startedAt
  await client.deleteIndex('bare').waitTask()
  return ms
}
