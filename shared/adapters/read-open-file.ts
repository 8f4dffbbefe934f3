import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { ByteRange } from '../ports/export-store.js'

/**
 * The bytes of a file that is open, or some of them; the file is closed behind the last. The end is known, and not
 * found by one more read: a client that has all bytes may have gone by then, and would count as one that left early.
 *
 * @param sizeBytes of the whole file
 * @param range null: all of it
 */
export const readOpenFile = (handle: FileHandle, sizeBytes: number, range: ByteRange | null): Readable =>
  handle.createReadStream(range ?? { start: 0, end: Math.max(0, sizeBytes - 1) })
