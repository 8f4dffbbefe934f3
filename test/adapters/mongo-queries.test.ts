import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { type Db, MongoClient } from 'mongodb'
import { ingest } from '../../services/indexer/jobs/ingest.js'
import { reconcile } from '../../services/indexer/jobs/reconcile.js'
import { recordHistory } from '../../services/indexer/jobs/record-history.js'
import { writeDataset } from '../../services/indexer/jobs/write-dataset.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import { jobs } from '../../services/indexer/jobs.js'
import { GridFsExportStore } from '../../shared/adapters/servers/exports/gridfs-export-store.js'
import { MongoCatalog } from '../../shared/adapters/servers/mongo/catalog/catalog.js'
import { MongoChangeLog } from '../../shared/adapters/servers/mongo/change-log/change-log.js'
import { connectMongo } from '../../shared/adapters/servers/mongo/connection.js'
import { ensureIndexes } from '../../shared/adapters/servers/mongo/indexes.js'
import { MongoIngest } from '../../shared/adapters/servers/mongo/ingest/ingest.js'
import { takeLease } from '../../shared/adapters/servers/mongo/locks/lock.js'
import type { Lock } from '../../shared/ports/locks.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { recordTypes } from '../../shared/records/records.js'
import { stateKeys } from '../../shared/state-keys.js'
import { contents, recordsWith } from '../equality/catalog.js'
import { documentRequests } from '../equality/requests/documents.js'
import { listRequests } from '../equality/requests/lists.js'
import { skillRequests } from '../equality/requests/skills.js'
import { aFence } from '../support/a-fence.js'
import { aSkill } from '../support/factories.js'
import { openIndexBench } from '../support/job-bench.js'
import type { KnownQuery } from '../support/known-query.js'
import { freshDatabase } from '../support/mongo-database.js'
import {
  type CreatedIndex,
  createdIndexes,
  hasAllOf,
  isServed,
  knownQueries,
  rowsOf,
} from '../support/mongo-queries.js'
import { monitored, recordQueries, type SentQuery } from '../support/mongo-sent-queries.js'
import { whenServer } from '../support/servers.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { postJson, startTestApp } from '../support/test-app.js'
import { silentLog } from '../support/test-log.js'

const asked = Object.values({ ...listRequests, ...skillRequests, ...documentRequests }).flat()

const records = recordsWith(100)

/** Records of every kind, some pages of each order, and some pages of skills without what they are ordered by. */
const some = {
  skills: [
    ...records.skills.slice(0, 60),
    ...records.skills.slice(-60),
    ...Array.from({ length: 25 }, () => aSkill({ owner: 'bare' })),
  ],
  prompts: records.prompts.slice(0, 20),
  organizations: records.organizations.slice(0, 20),
}

/** After the removals of today are no longer kept in the change log. */
const later = () => new Date(Date.now() + 400 * 86_400_000)

whenServer('mongodb', (url) => {
  /** The parts of a catalog in a fresh database, as `openServers` puts them together. */
  async function open() {
    const address = freshDatabase(url())
    const connection = await connectMongo(monitored(address))
    const { db } = connection
    await ensureIndexes(db, defaultDocumentSettings.changedField)
    opened.push(connection.client)
    const catalog = new MongoCatalog(connection, defaultDocumentSettings)
    const changes = new MongoChangeLog(db)
    const documents = new MongoIngest(db, defaultDocumentSettings, changes)
    // Old files are removed at once.
    const exports = new GridFsExportStore({ db, log: silentLog(), keepMs: -60_000 })
    const datasets = new GridFsExportStore({ db, log: silentLog(), bucketName: 'dataset', keepMs: -60_000 })
    return { db, address, catalog, changes, ingest: documents, exports, datasets, workFolder: temporaryFolder() }
  }

  test('every query is known, and served by its index', async () => {
    const { sent, during } = recordQueries()
    const { db, address, ...parts } = await open()
    const { catalog } = parts
    const bench = await openIndexBench()
    const stores = { ...parts, index: bench.index, embedder: bench.embedder }
    // A rebuild takes the log for complete, which it is again after the reconciliation.
    const ordered = [ingest, reconcile, ...jobs.servers]
    const runJobs = async (clock = () => new Date()) => {
      for (const job of ordered) {
        during('job')
        await bench.run(job, { ...stores, clock })
        during('tick')
        await job.hasWork?.(stores)
      }
    }

    during('job')
    for (const type of recordTypes) {
      await catalog.put(type, some[type])
      await catalog.listIds(type, null, 100)
    }
    await runJobs()
    during('job')
    await keepTexts(catalog)
    await catalog.remove('skills', ['acme/kumquat'])
    await catalog.put('skills', [aSkill({ owner: 'twins', repo: 'alpha', stars: 1 })])
    await asOthers(address)
    await runJobs()
    await runJobs(later)
    during('job')
    // Snapshots that were replaced long ago are removed; the dataset is published when a record has changed.
    for (const day of [2, 3, 4, 5]) {
      const clock = () => new Date(Date.now() + day * 86_400_000)
      await catalog.put('skills', [aSkill({ owner: 'twins', repo: 'alpha', stars: day })])
      await bench.run(writeExports, { ...stores, clock })
      await bench.run(writeDataset, { ...stores, clock })
    }
    // As the end of a long run does.
    await catalog.writeState(stateKeys.jobRunningSince(writeExports.name), null)
    // More of them than a page has.
    const trending = (await catalog.listIds('skills', 'bare/', 25)).map((id) => ({ id, days: [], trend: 5 }))
    const historyLock = await catalog.lock(recordHistory.name)
    await catalog.writeHistories(trending, historyLock ?? aFence())
    await historyLock?.release()
    const lock = await lockOf(db)
    await sleep(200)
    await lock.release()

    during('request')
    const app = await startTestApp({ replace: () => ({ ...stores }) })
    await app.get('/api/skills/orchard/kit@peel/SKILL.md')
    for (const { method, path, headers } of asked) {
      await app.send(method, path, headers)
    }
    for (const sort of ['updated', 'stars', 'created', 'name', 'trending']) {
      for (const order of ['asc', 'desc']) {
        await walk(app, `/api/v1/skills?limit=20&sort=${sort}&order=${order}`)
        await app.get(`/api/v1/skills?limit=20&sort=${sort}&order=${order}&page=1`)
        await app.get(`/api/v1/skills?limit=20&sort=${sort}&order=${order}&page=30`)
      }
    }
    await app.get('/api/v1/changes')
    const resolved = await postJson(`${app.url}/api/v1/resolve`, {
      skills: [
        { id: 'orchard/kit@peel', digest: '0'.repeat(64) },
        { id: 'acme/kumquat', digest: '0'.repeat(64) },
      ],
    })
    expect(resolved.status).toBe(200)
    const [dataset] = await stores.datasets.snapshots()
    await app.get(`/api/v1/exports/${dataset?.snapshot}/skills.parquet`)
    const indexes = await indexesOf(db)

    expect({
      unknown: unknown(sent),
      partlyServed: partlyServed(sent, indexes),
      unseen: knownQueries.filter((known) => !sent.some((query) => rowsOf(query).includes(known))),
      faults: knownQueries.flatMap((known) => faultsOf(known, indexes)),
    }).toEqual({ unknown: [], partlyServed: [], unseen: [], faults: [] })
  }, 300_000)
})

const opened: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const each of opened.splice(0)) {
    await each.close()
  }
})

/** A lock that is renewed after a moment. */
async function lockOf(db: Db): Promise<Lock> {
  const lock = await takeLease(db, 'renewed', { leaseMs: 10_000, renewEveryMs: 50 })
  if (lock === null) {
    throw new Error('nobody else is to have this lock')
  }
  return lock
}

/** What another application writes: skills that are new, changed, renamed, hidden, no skills, and gone. */
async function asOthers(url: string): Promise<void> {
  const client = await MongoClient.connect(url)
  opened.push(client)
  const skills = client.db().collection('skills')
  const now = new Date().toISOString()
  await skills.insertMany([
    { owner: 'others', repo: 'new', name: 'New', description: 'A new one.', updatedAt: now },
    { owner: 'others', repo: 'twice', name: 'Twice', description: 'The same id.', updatedAt: now },
    { owner: 'others', repo: 'twice', name: 'Twice', description: 'The same id.', updatedAt: now },
    { owner: 'others', repo: 'nothing', updatedAt: now },
  ])
  await skills.updateOne({ '_catalog.id': 'twins/beta' }, { $set: { repo: 'beta-2', updatedAt: now } })
  await skills.updateOne({ '_catalog.id': 'twins/gamma' }, { $set: { state: 'hidden', updatedAt: now } })
  await skills.deleteOne({ '_catalog.id': 'twins/delta' })
}

async function walk(app: Awaited<ReturnType<typeof startTestApp>>, path: string): Promise<void> {
  const { headers } = await app.get(path)
  const next = /<([^>]+)>; rel="next"/.exec(String(headers['link']))?.[1]
  if (next !== undefined) {
    await walk(app, next)
  }
}

async function indexesOf(db: Db): Promise<Map<string, CreatedIndex[]>> {
  const collections = await db.listCollections().toArray()
  return new Map(
    await Promise.all(
      collections.map(
        async ({ name }): Promise<[string, CreatedIndex[]]> => [name, await createdIndexes(db.collection(name))],
      ),
    ),
  )
}

/** The queries that no row describes, or none for what they were sent for; each once. */
function unknown(sent: SentQuery[]): string[] {
  const found = sent.filter(
    (query) => !rowsOf(query).some(({ purposes }) => purposes.some((each) => each === query.during)),
  )
  return [...new Set(found.map((query) => JSON.stringify(query)))]
}

/** The queries whose every row names an index that leaves out some of what they find; each once. */
function partlyServed(sent: SentQuery[], indexes: Map<string, CreatedIndex[]>): string[] {
  const found = sent.filter((query) => {
    const named = (indexes.get(query.collection) ?? []).filter(({ name }) =>
      rowsOf(query).some(({ index }) => index === name),
    )
    return named.length > 0 && !named.some((index) => hasAllOf(query, index))
  })
  return [...new Set(found.map(({ collection, asked, sort }) => JSON.stringify({ collection, asked, sort })))]
}

/** Why a row must not be in the table. */
function faultsOf(known: KnownQuery, indexes: Map<string, CreatedIndex[]>): string[] {
  const row = JSON.stringify(known)
  if (known.index === 'none') {
    const readsNone = known.reads.startsWith('no document')
    const isForOthers = known.purposes.some((purpose) => purpose !== 'job')
    return isForOthers && !readsNone ? [`reads a collection for a request or a tick: ${row}`] : []
  }
  const unlimitedCount = known.commands.includes('count') && !known.isLimited && known.purposes.includes('request')
  return [
    ...(unlimitedCount ? [`counts without an end for a request: ${row}`] : []),
    ...known.collections.flatMap((collection) => {
      const index = (indexes.get(collection) ?? []).find(({ name }) => name === known.index)
      return index !== undefined && isServed(known, index) ? [] : [`${collection} has no such index for ${row}`]
    }),
  ]
}

/** Keeps the texts of two skills, and replaces one of them. */
async function keepTexts(catalog: MongoCatalog): Promise<void> {
  const [content] = contents
  if (content !== undefined) {
    const digest = content.digest
    await catalog.put('skills', [aSkill({ owner: 'orchard', repo: 'kit', skill: 'peel', digest })])
    await catalog.keepContents([content, { ...content, id: 'orchard/kit@peel' }])
    await catalog.keepContents([{ ...content, text: 'Another text.' }])
  }
}
