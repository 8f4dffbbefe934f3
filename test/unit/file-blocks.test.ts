import { truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { FileBlocks } from '../../shared/adapters/files/file-blocks.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Creates a file of different numbers, and returns its bytes and how to read it. */
function aFile(sizeBytes: number, sha256 = String(sizeBytes)) {
  const path = join(temporaryFolder(), 'file')
  const bytes = Buffer.alloc(sizeBytes)
  for (let at = 0; at + 4 <= sizeBytes; at += 4) {
    bytes.writeUInt32LE(at, at)
  }
  writeFileSync(path, bytes)
  const stream = async (blocks: FileBlocks, range: { start: number; end: number } | null = null) =>
    blocks.stream(await open(path, 'r'), { sha256, sizeBytes }, range)
  return { path, bytes, stream }
}

test('a file that is larger than what is kept is read whole, again and again, at once and in turn', async () => {
  const { bytes, stream } = aFile(20_000_001)
  const blocks = new FileBlocks()

  const atOnce = await Promise.all([1, 2, 3].map(async () => buffer(await stream(blocks))))

  for (const read of [...atOnce, await buffer(await stream(blocks))]) {
    expect(read.equals(bytes)).toBe(true)
  }
})

test.each([
  { start: 0, end: 0 },
  { start: 131_071, end: 131_072 },
  { start: 131_072, end: 262_143 },
  { start: 300_000, end: 300_000 },
  { start: 1, end: 299_999 },
])('a range over the ends of blocks: $start to $end', async (range) => {
  const { bytes, stream } = aFile(300_001)
  const blocks = new FileBlocks()

  for (const time of ['read', 'kept']) {
    const part = await buffer(await stream(blocks, range))
    expect([time, part.equals(bytes.subarray(range.start, range.end + 1))]).toEqual([time, true])
  }
})

test('a file that has been read is kept: downloads share its blocks', async () => {
  const { path, bytes, stream } = aFile(500_000)
  const blocks = new FileBlocks()
  const opened = await stream(blocks)
  await buffer(await stream(blocks))

  truncateSync(path, 0)

  expect((await buffer(opened)).equals(bytes)).toBe(true)
})

test('a file that ends too early is an error, after the bytes that it has', async () => {
  const { path, bytes, stream } = aFile(500_000)
  truncateSync(path, 400_000)
  const read: Buffer[] = []

  await expect(async () => {
    for await (const chunk of await stream(new FileBlocks())) {
      read.push(chunk)
    }
  }).rejects.toThrow('the file ends after 400000 bytes')

  expect(Buffer.concat(read).equals(bytes.subarray(0, 3 * 131_072))).toBe(true)
})

test('a stream that is destroyed while it reads closes its file, and others have its block', async () => {
  const { path, bytes, stream } = aFile(500_000)
  const blocks = new FileBlocks()
  const handle = await open(path, 'r')
  const abandoned = blocks.stream(handle, { sha256: '500000', sizeBytes: 500_000 }, null)
  const other = await stream(blocks)
  abandoned.read()

  abandoned.destroy()

  expect((await buffer(other)).equals(bytes)).toBe(true)
  expect(handle.fd).toBe(-1)
})
