import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { ByteRange } from '../../ports/export-store.js'

/**
 * Reads an open file, or a range of it, and closes it after the last byte. The end is known in advance, without one
 * more read: a client that has all bytes may have disconnected by then, and would count as aborted.
 *
 * @param sizeBytes size of the whole file
 * @param range null: the whole file
 */
export const readOpenFile = (handle: FileHandle, sizeBytes: number, range: ByteRange | null): Readable =>
  handle.createReadStream(range ?? { start: 0, end: Math.max(0, sizeBytes - 1) })
