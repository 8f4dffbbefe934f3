import { join } from 'node:path'
import { type Index, Meilisearch, type Settings } from 'meilisearch'
import { meiliKey, startServer, stop } from '../support/run-servers.js'
import { memoryOf } from './footprint.js'
import { batchesOf, type RecordSet } from './record-sets.js'
import { httpSystem, type OccupyingSystem, type SearchSystem } from './search-system.js'

/** Documents of one request. */
const batchSize = 5_000

/** Filling an index with more than 62,500 records takes minutes. */
const fillTimeoutMs = 60 * 60_000

/**
 * Starts a Meilisearch with the records of a set, and with default settings except for the searchable attributes, searched
 * through its own API.
 *
 * @param folder an empty one for its data
 */
export async function startRawMeilisearch(set: RecordSet, folder: string): Promise<OccupyingSystem> {
  await fillRawMeilisearch(set, folder)
  // As the service, it has built nothing in this process.
  const server = await startServer('meilisearch', folder)
  const process = { memory: () => memoryOf(server.child.pid) }
  return { ...rawMeilisearch(server.url, {}), process, path: join(folder, 'db') }
}

/** Fills a Meilisearch with the records of a set. @returns the milliseconds from its start until all can be found */
export async function fillRawMeilisearch(set: RecordSet, folder: string): Promise<number> {
  const startedAt = performance.now()
  const server = await startServer('meilisearch', folder)
  try {
    await fill(new Meilisearch({ host: server.url, apiKey: meiliKey }), set)
    return performance.now() - startedAt
  } finally {
    await stop(server)
  }
}

/**
 * The search of a Meilisearch in its index `skills`, through its own API: the baseline of comparisons.
 *
 * @param parameters of the search, apart from the query and the limit of 20
 */
export const rawMeilisearch = (url: string, parameters: Record<string, unknown>): SearchSystem => {
  const headers = {
    Authorization: `Bearer ${meiliKey}`,
    'Content-Type': 'application/json',
    'Accept-Encoding': 'identity',
  }
  const system = httpSystem('raw Meilisearch', url, (q) => ({
    path: '/indexes/skills/search',
    body: JSON.stringify({ q, limit: 20, ...parameters }),
    headers,
  }))
  return { ...system, isBaseline: true }
}

/**
 * Makes an index of documents, without waiting between the posts.
 *
 * @param primaryKey of the documents
 * @throws Error when Meilisearch refuses them
 */
export async function fillIndex<T extends Record<string, unknown>>(
  client: Meilisearch,
  name: string,
  primaryKey: string,
  settings: Settings,
  batches: AsyncIterable<T[]> | T[][],
): Promise<Index<T>> {
  await client.createIndex(name, { primaryKey }).waitTask()
  const index = client.index<T>(name)
  await index.updateSettings(settings).waitTask()
  const tasks = []
  for await (const batch of batches) {
    tasks.push(await index.addDocuments(batch))
  }
  for (const task of tasks) {
    const { status, error } = await client.tasks.waitForTask(task, { timeout: 600_000 })
    if (status !== 'succeeded') {
      throw new Error(`Meilisearch has not filled ${name}: ${error?.message}`)
    }
  }
  return index
}

async function fill(client: Meilisearch, set: RecordSet): Promise<void> {
  await client.createIndex('skills', { primaryKey: 'key' }).waitTask()
  const index = client.index('skills')
  await index.updateSearchableAttributes(['name', 'repo', 'topics', 'description', 'owner']).waitTask()
  let key = 0
  let last = -1
  for await (const lines of batchesOf(set, batchSize)) {
    // An id has characters that a primary key must not have.
    const documents = lines.map((line) => `{"key":${key++},${line.slice(1)}`)
    last = (await index.addDocumentsFromString(documents.join('\n'), 'application/x-ndjson')).taskUid
  }
  await client.tasks.waitForTask(last, { timeout: fillTimeoutMs, interval: 250 })
  const { numberOfDocuments } = await index.getStats()
  if (numberOfDocuments !== set.records) {
    throw new Error(`Meilisearch has ${numberOfDocuments} documents instead of ${set.records}`)
  }
}
