import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { Db } from 'mongodb'
import { logChanges } from '../../services/indexer/jobs/log-changes.js'
import { verifyChanges } from '../../services/indexer/jobs/verify-changes.js'
import type { MongoCatalogStore } from '../../shared/adapters/servers/mongo-catalog-store.js'
import type { MongoChangeLog } from '../../shared/adapters/servers/mongo-change-log.js'
import { overlaid } from '../../shared/overlaid.js'
import { type JobBench, openJobBench } from '../support/job-bench.js'
import { openMongoChangeLog } from '../support/mongo-change-log.js'
import { freshDatabase, openMongoCatalog } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'

whenServer('mongodb', (url) => {
  let catalog: MongoCatalogStore
  let changes: MongoChangeLog
  let db: Db
  let close: () => Promise<void>
  let bench: JobBench
  beforeEach(async () => {
    const address = freshDatabase(url())
    catalog = await openMongoCatalog(address)
    const opened = await openMongoChangeLog(address)
    changes = opened.changes
    db = opened.db
    close = opened.close
    bench = await openJobBench()
  })
  afterEach(async () => {
    await catalog.close()
    await close()
  })

  const skills = () => db.collection('skills')
  const log = () => bench.run(logChanges, { catalog, changes })
  const verify = () => bench.run(verifyChanges, { catalog, changes })
  const told = async (since = 0) =>
    (await changes.after(since, 100)).changes.map(({ id, contentHash }) => (contentHash === null ? `-${id}` : id))

  test('what a crawler does to its documents is logged, and nothing beside it', async () => {
    await skills().insertMany(
      ['One', 'Two', 'Three', 'Four'].map((repo) => ({ owner: 'Acme', repo, stars: 1, updatedAt: new Date() })),
    )
    await skills().insertOne({ owner: 'acme', repo: 'bad', state: 'draft' })
    await log()
    expect((await told()).sort()).toEqual(['acme/four', 'acme/one', 'acme/three', 'acme/two'])
    const { head } = await changes.position()

    const updatedAt = new Date()
    await skills().updateOne({ repo: 'One' }, { $set: { stars: 5, updatedAt } })
    await skills().updateOne({ repo: 'Two' }, { $set: { hidden: true, updatedAt } })
    await skills().updateOne({ repo: 'Three' }, { $set: { repo: 'Renamed', updatedAt } })
    await skills().updateOne({ repo: 'Four' }, { $set: { state: 'removed', updatedAt } })
    await log()

    expect((await told(head)).sort()).toEqual(['-acme/four', '-acme/three', '-acme/two', 'acme/one', 'acme/renamed'])
    expect(await log()).toEqual({ published: 0, removed: 0 })
    expect(await verify()).toMatchObject({ mended: 0 })
  })

  test('a visit that a crawler notes in a document is no change', async () => {
    await skills().insertOne({ owner: 'acme', repo: 'tool', visits: 1 })
    await log()
    const before = await changes.after(0, 10)

    await skills().replaceOne({ repo: 'tool' }, { owner: 'acme', repo: 'tool', visits: 2 })
    await log()

    expect(await changes.after(0, 10)).toEqual(before)
  })

  test('one that is replaced whole while it is compared is not told as removed', async () => {
    await skills().insertOne({ owner: 'acme', repo: 'tool', stars: 1 })
    await log()
    const { head } = await changes.position()
    const overtaken = overlaid(catalog, {
      scanSkills: async (...args) => {
        await skills().replaceOne({ repo: 'tool' }, { owner: 'acme', repo: 'tool', stars: 2 })
        return catalog.scanSkills(...args)
      },
    })

    await bench.run(verifyChanges, { catalog: overtaken, changes })

    expect(await told(head)).toEqual(['acme/tool'])
  })

  test('a document that was deleted without a trace is told as removed by the next verify', async () => {
    await skills().insertMany(['one', 'two'].map((repo) => ({ owner: 'acme', repo })))
    await log()
    const { head } = await changes.position()
    await skills().deleteOne({ repo: 'one' })
    await log()
    expect(await told(head)).toEqual([])

    expect(await verify()).toMatchObject({ mended: 1 })
    expect(await told(head)).toEqual(['-acme/one'])
    expect(await verify()).toMatchObject({ mended: 0 })
  })

  test('a log that was lost is written anew', async () => {
    await skills().insertMany(['one', 'two'].map((repo) => ({ owner: 'acme', repo })))
    await log()
    await db.collection('changes').drop()
    await db.collection('change_log').drop()

    expect(await log()).toEqual({ published: 2, removed: 0 })
  })
})
