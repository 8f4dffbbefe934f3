import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Db, MongoClient } from 'mongodb'
import { GridFsExportStore } from '../../shared/adapters/servers/exports/gridfs-export-store.js'
import { aLock } from '../support/a-lock.js'
import { aDraft, aMoment, currentFile, publishText, readFile } from '../support/export-drafts.js'
import { whenServer } from '../support/servers.js'
import { keptLog, silentLog } from '../support/test-log.js'

whenServer('mongodb', (url) => {
  let client: MongoClient
  let db: Db
  beforeAll(async () => {
    client = await MongoClient.connect(url())
  })
  afterAll(() => client.close())
  beforeEach(async () => {
    db = client.db('test-gridfs-export-store')
    await db.dropDatabase()
  })

  const count = (collection: string) => db.collection(`exports.${collection}`).countDocuments()

  test('three snapshots stay; older files are deleted when no download can be reading them', async () => {
    const store = new GridFsExportStore({ db, log: silentLog() })
    for (const day of [1, 2, 3, 4, 5]) {
      await publishText(store, day, `day ${day}`)
    }
    expect(await count('files')).toBe(5)

    await sleep(2_000)
    await publishText(new GridFsExportStore({ db, log: silentLog(), keepMs: 0 }), 6, 'day 6')

    expect(await count('files')).toBe(3)
    expect(await count('chunks')).toBe(3)
  })

  test('the bytes of a failed write are deleted', async () => {
    const store = new GridFsExportStore({ db, log: silentLog(), keepMs: 0 })
    await publishText(store, 1, 'good')
    const failing = (async function* () {
      yield Buffer.alloc(600_000)
      throw new Error('the catalog failed')
    })()
    await expect(store.publish(aMoment(2), [{ ...aDraft(''), content: failing }], aLock())).rejects.toThrow(
      'the catalog failed',
    )

    await sleep(2_000)
    await publishText(store, 3, 'complete')

    expect(await count('files')).toBe(2)
    expect(await count('chunks')).toBe(2)
  })

  test('a deleted file is not served, and logged', async () => {
    const { log, lines } = keptLog()
    const store = new GridFsExportStore({ db, log })
    await publishText(store, 1, 'gone soon')
    await db.collection('exports.files').deleteMany({})

    expect(await store.open((await currentFile(store)).sha256, null)).toBeNull()
    expect(lines).toHaveLength(1)
  })

  test('a download of a file with a missing chunk is aborted', async () => {
    const store = new GridFsExportStore({ db, log: silentLog() })
    await publishText(store, 1, 'x'.repeat(600_000))
    await db.collection('exports.chunks').deleteOne({ n: 2 })

    const { sha256 } = await currentFile(store)

    await expect(readFile(store, sha256)).rejects.toThrow('chunk 2 of the export file')
    expect(await readFile(store, sha256, { start: 0, end: 9 })).toBe('x'.repeat(10))
  })

  test('an unreadable manifest counts as none until the next snapshot', async () => {
    const { log, lines } = keptLog()
    const store = new GridFsExportStore({ db, log })
    await publishText(store, 1, 'first')
    await db.collection('exports.manifests').updateMany({}, { $set: { snapshots: 'nonsense' } })

    expect(await store.snapshots()).toEqual([])
    expect(await store.snapshots()).toEqual([])
    expect(lines).toHaveLength(1)

    await publishText(store, 2, 'second')
    expect(await store.snapshots()).toHaveLength(1)
  })

  test('a MongoDB that does not answer is reported', async () => {
    const away = new MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 100 })
    const store = new GridFsExportStore({ db: away.db('catalog'), log: silentLog() })

    await expect(store.snapshots()).rejects.toMatchObject({ code: 'exports_unavailable' })
    await expect(publishText(store, 1, 'never')).rejects.toMatchObject({ code: 'exports_not_written' })
    await away.close()
  })
})
