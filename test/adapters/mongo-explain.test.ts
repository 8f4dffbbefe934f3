import { expect, test } from '@jest/globals'
import { type Document, MongoClient } from 'mongodb'
import { ingest } from '../../services/indexer/jobs/ingest.js'
import { reconcile } from '../../services/indexer/jobs/reconcile.js'
import { jobs } from '../../services/indexer/jobs.js'
import { GridFsExportStore } from '../../shared/adapters/servers/exports/gridfs-export-store.js'
import { catalogIn } from '../../shared/adapters/servers/mongo/catalog/catalog.js'
import { ensureIndexes } from '../../shared/adapters/servers/mongo/indexes.js'
import type { SkillFilters } from '../../shared/ports/filter-table.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { recordTypes } from '../../shared/records/records.js'
import { contents, recordsWith } from '../equality/catalog.js'
import { documentRequests } from '../equality/requests/documents.js'
import { listRequests } from '../equality/requests/lists.js'
import { skillRequests } from '../equality/requests/skills.js'
import { openIndexBench } from '../support/job-bench.js'
import { keepContents } from '../support/keep-contents.js'
import { freshDatabase } from '../support/mongo-database.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { postBody, startTestApp } from '../support/test-app.js'
import { silentLog } from '../support/test-log.js'

const requests = Object.values({ ...listRequests, ...skillRequests, ...documentRequests }).flat()

/** Members of a command that say what is found, and in which order. */
const parts = ['filter', 'query', 'sort', 'key', 'pipeline', 'hint']

/** Collections that hold a handful of documents, or are read whole by a job. */
const small = /^(change_log|locks|state|exports\.files|dataset\.files)$/

/** The queries of a command. A write finds what it changes as a query does; MongoDB explains no batch of writes. */
function queriesOf(commandName: string, command: Document): Document[] {
  const collection = command[commandName]
  const writes: Document[] = command['updates'] ?? command['deletes'] ?? []
  if (writes.length > 0) {
    return writes.map(({ q }) => ({ find: collection, filter: q }))
  }
  if (commandName === 'findAndModify') {
    return [{ find: collection, filter: command['query'], ...(command['sort'] && { sort: command['sort'] }) }]
  }
  const isStream = command['pipeline']?.[0]?.['$changeStream'] !== undefined
  return ['find', 'count', 'distinct', 'aggregate'].includes(commandName) && !isStream
    ? [
        Object.fromEntries(
          [commandName, ...parts].filter((name) => command[name] !== undefined).map((name) => [name, command[name]]),
        ),
      ]
    : []
}

/** Queries that differ only in their values have one shape. */
const shapeOf = (query: Document): string =>
  JSON.stringify(query, (_, value) =>
    Array.isArray(value) && value.length > 2
      ? value.slice(0, 2)
      : typeof value === 'string' && /\d|\//.test(value)
        ? ''
        : value,
  )

/** The indexes that the chosen plan reads. */
function indexesIn(plan: unknown): string[] {
  return typeof plan !== 'object' || plan === null
    ? []
    : Object.entries(plan).flatMap(([name, value]) =>
        name === 'indexName' ? [String(value)] : name === 'rejectedPlans' ? [] : indexesIn(value),
      )
}

/** The members that a query asks for or sorts by. */
const membersIn = (query: Document): Set<string> =>
  new Set(namesIn([query['filter'] ?? query['query'] ?? query['pipeline']?.[0]?.['$match'], query['sort']]))

function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) {
    return []
  }
  const entries = value instanceof Map ? [...value] : Object.entries(value)
  const names = Array.isArray(value)
    ? []
    : entries.map(([name]) => String(name)).filter((name) => !name.startsWith('$'))
  return [...names, ...entries.flatMap(([, each]) => namesIn(each))]
}

/** Whether a job reads a whole collection. */
const isWholeRead = ({ filter }: Document): boolean => filter !== undefined && namesIn(filter).length === 0

/**
 * Whether an index leads to what a query asks for: any index can also be read whole, which is a scan. Most rows have one
 * state, so that an index of it needs its second member.
 */
const leads = ([first = '', second = '']: string[], asked: ReadonlySet<string>): boolean =>
  asked.has(first) && (first !== 'state' || asked.has(second) || asked.size === 1)

/** Each filter of the list, which some of the records match and others do not. */
const filters: Required<SkillFilters> = {
  owner: 'acme',
  topics: ['pdf'],
  license: 'mit',
  language: 'python',
  archived: true,
  minStars: 100,
  updatedSince: '2025-06-01T00:00:00.000Z',
}

// The stand-in has no plans to explain.
const url = process.env['MONGODB_URL']

;(url === undefined ? test.skip : test)(
  'with a MongoDB that explains its plans (MONGODB_URL): every query is served by an index',
  async () => {
    const address = freshDatabase(String(url))
    const crawler = await MongoClient.connect(address)
    const client = await new MongoClient(address, {
      monitorCommands: true,
      ignoreUndefined: true,
    }).connect()
    try {
      const db = client.db()
      await ensureIndexes(db, defaultDocumentSettings.changedField)
      const catalog = catalogIn({ client, db }, defaultDocumentSettings)
      const sent = new Map<string, Document>()
      client.on('commandStarted', ({ commandName, command }) => {
        const queries = small.test(String(command[commandName])) ? [] : queriesOf(commandName, command)
        for (const query of queries.filter((each) => !isWholeRead(each))) {
          sent.set(shapeOf(query), query)
        }
      })
      const bench = await openIndexBench()
      const stores = {
        catalog,
        changes: catalog.changes,
        ingest: catalog.documents,
        exports: new GridFsExportStore({ db, log: silentLog() }),
        datasets: new GridFsExportStore({ db, log: silentLog(), bucketName: 'dataset' }),
        workFolder: temporaryFolder(),
        index: bench.index,
        embedder: bench.embedder,
      }
      const records = recordsWith(20)
      for (const type of recordTypes) {
        await catalog.put(type, records[type])
      }
      await keepContents(catalog, contents)
      await crawler
        .db()
        .collection('skills')
        .updateOne({ repo: 'beta' }, { $set: { repo: 'beta-2' } })
      for (const job of [ingest, reconcile, ...jobs.servers]) {
        await bench.run(job, stores)
      }
      const app = await startTestApp({ replace: () => ({ ...stores }) })
      for (const { method, path, headers } of requests) {
        await app.send(method, path, headers)
      }
      for (const sort of ['updated', 'stars', 'created', 'name', 'trending'] as const) {
        for (const order of ['asc', 'desc'] as const) {
          for (const filter of [{}, ...Object.entries(filters).map(([name, value]) => ({ [name]: value }))]) {
            const list = { filters: filter, sort, order, limit: 1 }
            const { next } = await catalog.listSkills(list)
            await (next && catalog.listSkills({ ...list, after: next }))
          }
        }
      }
      await postBody(`${app.url}/api/v1/resolve`, { skills: [{ id: 'acme/kumquat', digest: '0'.repeat(64) }] })

      const unserved: Document[] = []
      for (const query of sent.values()) {
        const asked = membersIn(query)
        const plan = await db.command({ explain: query, verbosity: 'queryPlanner' })
        const used = indexesIn(plan)
        const known = used.length === 0 ? [] : await db.collection(String(Object.values(query)[0])).indexes()
        const keys = known.filter(({ name }) => used.includes(String(name))).map(({ key }) => Object.keys(key))
        const isScan = JSON.stringify(plan).includes('"COLLSCAN"')
        // A plan without an index has one document by its id, or none.
        if (isScan || (used.length > 0 && !keys.some((key) => leads(key, asked)))) {
          unserved.push({ query, used })
        }
      }
      expect(unserved).toEqual([])
      expect(sent.size).toBeGreaterThan(300)
    } finally {
      await client.close()
      await crawler.close()
    }
  },
  300_000,
)
