import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { beforeAll, expect, test } from '@jest/globals'
import { pauseJobs } from '../../services/indexer/runner/job.js'
import { aLock } from '../support/a-lock.js'
import { openFolder } from '../support/run-once.js'
import { greetingEnd, nodeStart } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Larger than the buffers of connections: the service has to continue reading its file. */
const fileBytes = 40 * 1024 * 1024

/** A folder with one large export file, which is not JSON. */
async function aFolderWithLargeExport(): Promise<{ dataDir: string; sha256: string }> {
  const dataDir = temporaryFolder()
  const stores = await openFolder(dataDir)
  const piece = randomBytes(1024 * 1024)
  const content = Array.from({ length: fileBytes / piece.length }, () => piece)
  await stores.exports.publish(
    { snapshot: '20260101T000000000Z', generatedAt: '2026-01-01T00:00:00.000Z', changesSince: null },
    [{ type: 'skills', format: 'json', encoding: 'identity', total: 1, count: 1, content }],
    aLock(),
  )
  // It would replace the file by one of this empty catalog.
  await pauseJobs(stores.catalog, ['write-exports'])
  await stores.close()
  return { dataDir, sha256: createHash('sha256').update(Buffer.concat(content)).digest('hex') }
}

/** One for both services: the first has ended when the second starts. */
let folder: Awaited<ReturnType<typeof aFolderWithLargeExport>>
beforeAll(async () => {
  folder = await aFolderWithLargeExport()
})

/** A service with a running download, of which only the beginning has been read. */
async function aRunningDownload() {
  const { dataDir, sha256 } = folder
  const env = { DATA_DIR: dataDir, SAMPLE_CATALOG: 'off' }
  const service = nodeStart(env)
  await service.says(greetingEnd)
  const sent = request(`${service.url()}/api/v1/export?type=skills`).end()
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (response === undefined) {
    throw new Error('there is no response')
  }
  response.pause()
  expect(response.headers).toMatchObject({ 'content-length': String(fileBytes) })
  return { service, response, sha256 }
}

test('a running download is finished', async () => {
  const { service, response, sha256 } = await aRunningDownload()

  service.signal('SIGTERM')
  await service.says('"msg":"closing"')
  const hash = createHash('sha256')
  for await (const chunk of response) {
    hash.update(chunk)
  }

  expect(hash.digest('hex')).toBe(sha256)
  expect(await service.ended).toBe(0)
}, 120_000)

test('a download that is not read delays the shutdown only up to the deadline, and is aborted', async () => {
  const { service, response } = await aRunningDownload()
  response.on('error', () => undefined)
  const closed = new Promise((resolve) => response.once('close', resolve))

  service.signal('SIGTERM')

  expect(await service.ended).toBe(0)
  response.resume()
  await closed
  expect(response.complete).toBe(false)
}, 120_000)
