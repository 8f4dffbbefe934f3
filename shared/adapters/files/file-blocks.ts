import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import type { ByteRange, ExportFile } from '../../ports/export-store.js'

/** Large enough that the work for a block is small next to its bytes; each slow download may hold two of its own. */
const blockBytes = 128 * 1_024

/** What is kept of all files. */
const maxKeptBytes = 16 * 1_024 * 1_024

/** The place of a block in an open file. */
interface BlockPlace {
  handle: FileHandle
  start: number
  length: number
}

/**
 * Reads files that never change, in blocks. Downloads share the blocks that were used last: a file that many clients
 * download is read once, and is in memory once.
 */
export class FileBlocks {
  readonly #blocks = new LRUCache<string, Buffer, BlockPlace>({
    maxSize: maxKeptBytes,
    sizeCalculation: ({ length }) => length,
    fetchMethod: (_key, _stale, { context }) => readBlock(context),
    // Others may have taken the room of a block by the time it is read: it is sent nevertheless.
    ignoreFetchAbort: true,
  })

  /**
   * Reads an open file, or a range of it, and closes it at the end. The stream fails where the file is shorter than it
   * should be. It ends with its last byte, without one more read: a client that has all bytes may have disconnected by
   * then, and would count as aborted.
   *
   * @param range null: the whole file
   */
  stream(
    handle: FileHandle,
    { sha256, sizeBytes }: Pick<ExportFile, 'sha256' | 'sizeBytes'>,
    range: ByteRange | null,
  ): Readable {
    const blocks = this.#blocks
    const end = range === null ? sizeBytes : range.end + 1
    let at = range?.start ?? 0
    return new Readable({
      // A block is read when the one before it has been passed on.
      highWaterMark: 0,
      read() {
        if (at >= end) {
          this.push(null) // an empty file
          return
        }
        const start = at - (at % blockBytes)
        const pass = (block: Buffer) => {
          if (!this.destroyed) {
            this.push(block.subarray(at - start, end - start))
            at = start + block.length
            if (at >= end) {
              this.push(null)
            }
          }
        }
        const key = `${sha256} ${start}`
        const kept = blocks.get(key)
        if (kept !== undefined) {
          pass(kept)
          return
        }
        const length = Math.min(blockBytes, sizeBytes - start)
        blocks.forceFetch(key, { context: { handle, start, length } }).then(pass, (error) => this.destroy(error))
      },
      destroy(error, done) {
        handle.close().then(() => done(error), done)
      },
    })
  }
}

/** @throws Error when the file ends within the block */
async function readBlock({ handle, start, length }: BlockPlace): Promise<Buffer> {
  const block = Buffer.allocUnsafeSlow(length)
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await handle.read(block, filled, length - filled, start + filled)
    if (bytesRead === 0) {
      throw new Error(`the file ends after ${start + filled} bytes`)
    }
    filled += bytesRead
  }
  return block
}
