import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { syncSkills } from '../../services/indexer/jobs/sync-skills.js'
import { verifyIndex } from '../../services/indexer/jobs/verify-index.js'
import { connectMongo, type MongoConnection } from '../../shared/adapters/servers/mongo-connection.js'
import { takeLease } from '../../shared/adapters/servers/mongo-lock.js'
import { overlaid } from '../../shared/overlaid.js'
import type { CatalogStore } from '../../shared/ports/catalog-store.js'
import type { SearchIndex } from '../../shared/ports/search-index.js'
import { aSkill } from '../support/factories.js'
import { intercepted, type JobBench, openJobBench } from '../support/job-bench.js'
import { freshDatabase } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'

/** Renewed by nobody, as when the process stands still. */
const short = { leaseMs: 2_000, renewEveryMs: 60_000 }
const writes = ['apply', 'createNext', 'swap']

whenServer('mongodb', (url) => {
  let connection: MongoConnection
  let bench: JobBench
  /** Writes into the index that came through. */
  let written: string[]
  beforeEach(async () => {
    connection = await connectMongo(freshDatabase(url()))
    bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'one' }), aSkill({ repo: 'two' })])
    written = []
  })
  afterEach(() => connection.client.close())

  const watched = (): SearchIndex =>
    intercepted(bench.index, (name, call) => async (...args) => {
      const result = await call(...args)
      if (writes.includes(name)) {
        written.push(name)
      }
      return result
    })

  /** The catalog with locks by lease, in which one call of a method takes longer than a lease lasts. */
  const standingStillAt = (method: keyof CatalogStore, place = 1): CatalogStore => {
    let calls = 0
    return intercepted(
      overlaid(bench.catalog, { lock: (name) => takeLease(connection.db, name, short) }),
      (name, call) =>
        async (...args) => {
          const result = await call(...args)
          calls += name === method ? 1 : 0
          if (name === method && calls === place) {
            await sleep(short.leaseMs + 50)
            // Another goes on with the work meanwhile.
            await Promise.all(['sync-skills', 'rebuild-index'].map((each) => takeLease(connection.db, each)))
          }
          return result
        },
    )
  }

  test('a sync that stood still past its lease writes nothing when it wakes', async () => {
    await expect(
      bench.run(syncSkills, { catalog: standingStillAt('changesAfter'), index: watched() }),
    ).rejects.toMatchObject({ code: 'lock_lost' })

    expect(written).toEqual([])
    expect(await bench.index.list(null, 10)).toEqual([])
  })

  test.each([
    ['copies', 'scanSkills', 1, ['createNext']],
    ['is about to swap', 'changesAfter', 2, ['createNext', 'apply']],
  ] as const)('nor does a rebuild that %s', async (_name, method, place, before) => {
    await expect(
      bench.run(rebuildIndex, { catalog: standingStillAt(method, place), index: watched() }),
    ).rejects.toMatchObject({ code: 'lock_lost' })

    expect(written).toEqual(before)
  })

  test('nor does a verify whose lock of the sync was lost while it read what to mend', async () => {
    await bench.run(syncSkills)
    await bench.index.apply({ publish: [], remove: ['acme/one'] })

    // The comparison reads what it suspects; the second time it is what is mended.
    await expect(
      bench.run(verifyIndex, { catalog: standingStillAt('findStored', 2), index: watched() }),
    ).rejects.toMatchObject({ code: 'lock_lost' })

    expect(written).toEqual([])
  })
})
