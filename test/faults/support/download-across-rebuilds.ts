import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@jest/globals'
import { beginDownload, digestOf, downloaded } from './download.js'
import { expectInvariant } from './invariant.js'
import { runLocal } from './leases.js'
import { type Environment, publishTextIn } from './published-catalog.js'

const exportPath = '/api/v1/export?type=skills'

/**
 * Downloads a file in three parts, while all files are written again between them, and checks the result.
 *
 * @param url of a service whose catalog has published the long file
 */
export async function downloadAcrossRebuilds(env: Environment, url: string): Promise<void> {
  const first = await beginDownload(url + exportPath)
  const { etag, 'content-location': location, 'repr-digest': digest } = first.headers
  const parts = [await first.take(1)]
  await exportUntilListed(env, url)
  parts.push(await first.take(longFileBytes / 3))
  first.cut()
  for (const bytes of [longFileBytes / 3, longFileBytes]) {
    const from = Buffer.concat(parts).length
    const rest = await beginDownload(url + location, { Range: `bytes=${from}-`, 'If-Range': String(etag) })
    expect(rest.status).toBe(206)
    parts.push(await rest.take(1))
    await exportUntilListed(env, url)
    parts.push(await rest.take(bytes))
    rest.cut()
  }

  expect(digestOf(Buffer.concat(parts))).toBe(digest)
  // It was replaced within the last hour, so that it can still be downloaded.
  const again = await downloaded(url + location)
  expect(again.status).toBe(200)
  expect(digestOf(again.bytes)).toBe(digest)
  expect(await downloaded(url + exportPath)).toMatchObject({ status: 200, isWhole: true })
  await expectInvariant(env)
}

/** Longer than the buffers of connections. */
const longFileBytes = 30 * 1024 * 1024

/** Publishes a long file. */
export const publishLongFile = (env: Environment): Promise<unknown> =>
  publishTextIn(env, randomBytes(longFileBytes / 2).toString('hex'))

/** Writes all files again, and waits until the service serves them. */
async function exportUntilListed(env: Environment, url: string): Promise<void> {
  const { status, json } = await runLocal(env, 'export')
  expect(status).toBe(0)
  const isListed = async () => (await (await fetch(`${url}/api/v1/exports`)).text()).includes(String(json['snapshot']))
  while (!(await isListed())) {
    await sleep(200)
  }
}
