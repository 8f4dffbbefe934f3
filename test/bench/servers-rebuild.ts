import type { Meilisearch } from 'meilisearch'
import { perSecond, ratio, row } from './report.js'
import { catalog, type ServersBench } from './servers-bench.js'
import { median } from './statistics.js'

/** Rounds in which the rebuild and its baseline alternate. */
const rounds = 3

/** How long a rebuild takes, next to a bare script that pushes the same documents: medians, in milliseconds. */
export async function measureRebuild(bench: ServersBench): Promise<{ rebuildMs: number; bareScriptMs: number }> {
  const { size, env, meilisearch } = bench
  const settings = await meilisearch.index('skills').getSettings()
  const documents = await readyMadeDocuments(bench)
  const ours: number[] = []
  const bare: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await bareFill(meilisearch, settings, documents))
    const { recordsPerSecond } = await catalog(env, ['rebuild', '--local'])
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

/** Fills a fresh index with the official client, without waiting between the posts. */
async function bareFill(client: Meilisearch, settings: object, batches: Record<string, unknown>[][]): Promise<number> {
  const startedAt = performance.now()
  await client.createIndex('bare', { primaryKey: 'key' }).waitTask()
  const index = client.index('bare')
  await index.updateSettings(settings).waitTask()
  const tasks = []
  for (const batch of batches) {
    tasks.push(await index.addDocuments(batch))
  }
  for (const task of tasks) {
    const { status, error } = await client.tasks.waitForTask(task, { timeout: 600_000 })
    if (status !== 'succeeded') {
      throw new Error(`a task of the bare script ended as ${status}: ${error?.message}`)
    }
  }
  const ms = performance.now() - startedAt
  await client.deleteIndex('bare').waitTask()
  return ms
}
