import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { GridFsExportStore } from '../../shared/adapters/servers/exports/gridfs-export-store.js'
import { LocalExportCopy } from '../../shared/adapters/servers/exports/local-export-copy.js'
import { connectMongo } from '../../shared/adapters/servers/mongo/connection.js'
import { aSkill } from '../support/factories.js'
import { servers, stop } from '../support/run-servers.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startTestApp } from '../support/test-app.js'
import { silentLog } from '../support/test-log.js'

const { found, start, remedy } = servers.mongodb

/** A dedicated server, since it is killed. */
const testWithMongo = found() ? test : test.skip

testWithMongo(
  `downloads outlive MongoDB (${found() ? 'a dedicated one' : `which is missing: ${remedy}`})`,
  async () => {
    const mongo = await start(temporaryFolder())
    const { client, db } = await connectMongo(`${mongo.url}/catalog`)
    try {
      const folder = temporaryFolder()
      const remote = new GridFsExportStore({ db, log: silentLog() })
      const exports = await LocalExportCopy.open({ remote, folder, log: silentLog(), checkEveryMs: 20 })
      const api = await startTestApp({ exports, skills: [aSkill({ name: 'lasting' })] })
      await api.publishExports()
      const before = await api.get('/api/v1/export?type=skills')
      while (!existsSync(join(folder, 'snapshots.json'))) {
        await sleep(20)
      }

      await stop(mongo)

      for (const type of ['skills', 'prompts', 'organizations']) {
        for (const format of ['json', 'csv', 'ndjson']) {
          for (const encoding of ['identity', 'gzip', 'br']) {
            const path = `/api/v1/export?type=${type}&format=${format}`
            expect((await api.get(path, { 'Accept-Encoding': encoding })).status).toBe(200)
          }
        }
      }
      const etag = String(before.headers.etag)
      const path = String(before.headers['content-location'])
      expect((await api.get('/api/v1/exports')).body).toMatchObject({ data: [{ files: expect.any(Array) }] })
      expect((await api.get(path)).bytes).toEqual(before.bytes)
      expect((await api.get(path, { 'If-None-Match': etag })).status).toBe(304)
      expect(await api.get(path, { Range: 'bytes=5-9', 'If-Range': etag })).toMatchObject({
        status: 206,
        text: before.text.slice(5, 10),
      })
      await exports.close()
    } finally {
      await client.close()
      await stop(mongo)
    }
  },
  120_000,
)
