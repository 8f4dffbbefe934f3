import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type Collection, type Document, type Filter, type FindOptions, MongoClient } from 'mongodb'
import { computeStats } from '../../services/indexer/jobs/compute-stats.js'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { syncSkills } from '../../services/indexer/jobs/sync-skills.js'
import { verifyIndex } from '../../services/indexer/jobs/verify-index.js'
import { MongoCatalogStore } from '../../shared/adapters/servers/mongo-catalog-store.js'
import { connectMongo } from '../../shared/adapters/servers/mongo-connection.js'
import { defaultDocumentSettings } from '../../shared/document-settings.js'
import { overlaid } from '../../shared/overlaid.js'
import { type JobBench, openJobBench } from '../support/job-bench.js'
import { freshDatabase, openMongoCatalog } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'

whenServer('mongodb', (url) => {
  let address: string
  let catalog: MongoCatalogStore
  let crawler: MongoClient
  let bench: JobBench
  beforeEach(async () => {
    address = freshDatabase(url())
    catalog = await openMongoCatalog(address)
    crawler = await MongoClient.connect(address)
    bench = await openJobBench()
  })
  afterEach(async () => {
    await catalog.close()
    await crawler.close()
  })

  const skills = () => crawler.db().collection('skills')
  const sync = () => bench.run(syncSkills, { catalog })
  const verify = () => bench.run(verifyIndex, { catalog })
  const indexed = async () => (await bench.index.list(null, 100)).map(({ id }) => id)

  test('what a crawler does to its documents reaches the index, and no more', async () => {
    await skills().insertMany(
      ['One', 'Two', 'Three', 'Four'].map((repo) => ({ owner: 'Acme', repo, stars: 1, updatedAt: new Date() })),
    )
    await skills().insertOne({ owner: 'acme', repo: 'bad', state: 'draft' })
    await sync()
    expect(await indexed()).toEqual(['acme/four', 'acme/one', 'acme/three', 'acme/two'])

    const updatedAt = new Date()
    await skills().updateOne({ repo: 'One' }, { $set: { stars: 5, updatedAt } })
    await skills().updateOne({ repo: 'Two' }, { $set: { hidden: true, updatedAt } })
    await skills().updateOne({ repo: 'Three' }, { $set: { repo: 'Renamed', updatedAt } })
    await skills().updateOne({ repo: 'Four' }, { $set: { state: 'removed', updatedAt } })
    await sync()

    expect(await indexed()).toEqual(['acme/one', 'acme/renamed'])
    expect(await verify()).toMatchObject({ missing: 0, extra: 0, different: 0, rejected: 1 })
    expect(await catalog.listDeadLetters(null, 10)).toMatchObject([{ id: 'acme/bad' }])
    // Nothing is told twice in the end.
    expect(await sync()).toMatchObject({ published: 0, removed: 0, rejected: 0 })
  })

  test('a change without a sign of it is found by verify and mended by the next sync', async () => {
    await skills().insertOne({ owner: 'acme', repo: 'tool', stars: 1 })
    await sync()
    await skills().updateOne({ repo: 'tool' }, { $set: { stars: 2 } })
    await sync()

    expect(await verify()).toMatchObject({ different: 0, pending: 1 })
    await sync()
    expect(await verify()).toMatchObject({ different: 0, pending: 0 })
  })

  /** The catalog of one who is overtaken each time between taking in what was written and reading what has changed. */
  async function overtakenBy(write: () => Promise<unknown>): Promise<MongoCatalogStore> {
    const { client, db } = await connectMongo(address)
    const slow = overlaid(db.collection('skills'), {
      find: ((filter: Filter<Document>, options?: FindOptions) => {
        const cursor = db.collection('skills').find(filter, options)
        return JSON.stringify(options?.sort ?? {}).includes('changedAt')
          ? overlaid(cursor, {
              async *[Symbol.asyncIterator]() {
                await write()
                yield* cursor
              },
            })
          : cursor
      }) as Collection['find'],
    })
    const collection = (name: string) => (name === 'skills' ? slow : db.collection(name))
    return new MongoCatalogStore(
      { client, db: overlaid(db, { collection: collection as typeof db.collection }) },
      defaultDocumentSettings,
    )
  }

  test('what is replaced whole while it is compared is not taken for a fault', async () => {
    const written = (stars: number) => ({ owner: 'acme', repo: 'tool', stars, updatedAt: new Date() })
    await skills().insertOne(written(1))
    await sync()
    await skills().updateOne({}, { $set: written(2) })
    const overtaken = await overtakenBy(() => skills().replaceOne({}, written(3)))

    const comparing = bench.run(verifyIndex, { catalog: overtaken })

    expect(await comparing.finally(() => overtaken.close())).toMatchObject({ different: 0, extra: 0, pending: 1 })
    expect(bench.findings).toEqual([])
    await sync()
    expect(await verify()).toMatchObject({ compared: 1, different: 0, missing: 0, extra: 0, pending: 0 })
  })

  test('what is deleted without a trace is found in a catalog that is written all the time, and nothing else is', async () => {
    const batch = Array.from({ length: 50 }, (_, n) => ({ owner: 'acme', repo: `tool-${n}`, updatedAt: new Date() }))
    await skills().insertMany(batch)
    await sync()
    const writing = new AbortController()
    const written = (async () => {
      for (let n = 0; !writing.signal.aborted; n += 1) {
        await skills().insertOne({ owner: 'acme', repo: `new-${n}`, updatedAt: new Date() })
        await skills().updateOne({ repo: `new-${n - 5}` }, { $set: { hidden: true, updatedAt: new Date() } })
        await sleep(100)
      }
    })()
    const followed = async () => computeStats.followedBy?.(await bench.run(computeStats, { catalog }))

    for (let run = 0; run < 6; run += 1) {
      expect(await followed()).toEqual([])
    }
    await skills().deleteOne({ repo: 'tool-7' })
    let found: string[] | undefined = []
    for (let run = 0; run < 50 && found?.length === 0; run += 1) {
      found = await followed()
    }

    writing.abort()
    await written
    expect(found).toEqual(['verify-index'])
  })

  test('a rebuild takes in what is written meanwhile', async () => {
    await skills().insertMany(Array.from({ length: 50 }, (_, n) => ({ owner: 'acme', repo: `tool-${n}` })))
    await sync()
    await skills().insertOne({ owner: 'acme', repo: 'meanwhile' })

    expect(await bench.run(rebuildIndex, { catalog })).toMatchObject({ documents: 51 })
    expect(await verify()).toMatchObject({ missing: 0, extra: 0, different: 0 })
  })
})
