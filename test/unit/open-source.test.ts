import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { openSource } from '../../services/indexer/import/open-source.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test('decompressing a small file to a huge one stops when the reading is cancelled', async () => {
  const path = join(temporaryFolder(), 'blank.ndjson.gz')
  const unpackedBytes = 64_000_000
  writeFileSync(path, gzipSync('\n'.repeat(unpackedBytes)))
  const source = { path, label: path, format: null, sizeBytes: statSync(path).size, folder: null }
  const cancelled = new AbortController()
  const { chunks } = await openSource(source, Readable.from([]), () => undefined, cancelled.signal)

  let readBytes = 0
  const reading = (async () => {
    for await (const chunk of chunks) {
      readBytes += chunk.length
      cancelled.abort()
    }
  })()

  await expect(reading).rejects.toThrow()
  expect(readBytes).toBeLessThan(unpackedBytes / 10)
})
