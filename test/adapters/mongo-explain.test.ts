import { expect, test } from '@jest/globals'
import { type Document, MongoClient } from 'mongodb'
import { ingest } from '../../services/indexer/jobs/ingest.js'
import { reconcile } from '../../services/indexer/jobs/reconcile.js'
import { jobs } from '../../services/indexer/jobs.js'
import { GridFsExportStore } from '../../shared/adapters/servers/exports/gridfs-export-store.js'
import { MongoCatalog } from '../../shared/adapters/servers/mongo/catalog/catalog.js'
import { ensureIndexes } from '../../shared/adapters/servers/mongo/indexes.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { recordTypes } from '../../shared/records/records.js'
import { contents, recordsWith } from '../equality/catalog.js'
import { documentRequests } from '../equality/requests/documents.js'
import { listRequests } from '../equality/requests/lists.js'
import { skillRequests } from '../equality/requests/skills.js'
import { openIndexBench } from '../support/job-bench.js'
import { freshDatabase } from '../support/mongo-database.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { postJson, startTestApp } from '../support/test-app.js'
import { silentLog } from '../support/test-log.js'

const asked = Object.values({ ...listRequests, ...skillRequests, ...documentRequests }).flat()

/** Commands that MongoDB explains, and the members of them that say what is found. */
const explainable = ['find', 'count', 'distinct', 'aggregate', 'update', 'delete', 'findAndModify']
const parts = ['filter', 'query', 'sort', 'key', 'pipeline', 'updates', 'deletes', 'update', 'hint']

/** Collections that hold a handful of documents, or are read whole by a job. */
const small = /^(change_log|locks|state|dead_letters|exports\.files|dataset\.files)$/

// The stand-in has no plans to explain.
const url = process.env['MONGODB_URL']

;(url === undefined ? test.skip : test)(
  'with a MongoDB that explains its plans (MONGODB_URL): every query is served by an index',
  async () => {
    const client = await new MongoClient(freshDatabase(String(url)), {
      monitorCommands: true,
      ignoreUndefined: true,
    }).connect()
    try {
      const db = client.db()
      await ensureIndexes(db, defaultDocumentSettings.changedField)
      const catalog = new MongoCatalog({ client, db }, defaultDocumentSettings)
      const sent = new Map<string, Document>()
      client.on('commandStarted', ({ commandName, command }) => {
        const isOwn = command['pipeline']?.[0]?.['$changeStream'] !== undefined
        if (explainable.includes(commandName) && !small.test(String(command[commandName])) && !isOwn) {
          const kept = [commandName, ...parts].filter((name) => command[name] !== undefined)
          const query = Object.fromEntries(kept.map((name) => [name, command[name]]))
          const shape = JSON.stringify(query, (_, value) =>
            typeof value === 'string' && /\d|\//.test(value) ? '' : value,
          )
          sent.set(shape, query)
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
      const records = recordsWith(100)
      for (const type of recordTypes) {
        await catalog.put(type, records[type].slice(0, 100))
      }
      await catalog.keepContents(contents)
      await db.collection('skills').updateOne({ repo: 'beta' }, { $set: { repo: 'beta-2' } })
      for (const job of [ingest, reconcile, ...jobs.servers]) {
        await bench.run(job, stores)
      }
      const app = await startTestApp({ replace: () => ({ ...stores }) })
      for (const { method, path, headers } of asked) {
        await app.send(method, path, headers)
      }
      await postJson(`${app.url}/api/v1/resolve`, { skills: [{ id: 'acme/kumquat', digest: '0'.repeat(64) }] })

      const scanning: Document[] = []
      for (const query of sent.values()) {
        const plan = JSON.stringify(await db.command({ explain: query, verbosity: 'queryPlanner' }))
        if (plan.includes('"COLLSCAN"')) {
          scanning.push(query)
        }
      }
      expect(scanning).toEqual([])
      expect(sent.size).toBeGreaterThan(50)
    } finally {
      await client.close()
    }
  },
  300_000,
)
