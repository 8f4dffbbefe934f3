import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { operatorError } from '../../../shared/errors.js'
import type { SourceAnswer } from './request-source.js'

/** A file as the source announces it. */
export interface ExpectedFile {
  bytes: number
  /** Of its bytes, hex; also its entity tag. */
  sha256: string
}

/** Bytes of a local file; 0 when it does not exist. */
export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/**
 * Writes an answer to a file: a part (206) after what it holds, the whole in its place.
 *
 * @throws AppError `download_damaged` when it is complete with fewer bytes than announced, or at the first byte beyond
 *   them; `copy_not_written` when the local file cannot be written; an Error when it was interrupted
 */
export async function receiveFile(
  { status, chunks }: SourceAnswer,
  { bytes }: ExpectedFile,
  toFile: string,
): Promise<void> {
  const part = status === 206
  let size = part ? sizeOf(toFile) : 0
  const file = await written(toFile, () => open(toFile, part ? 'a' : 'w'))
  try {
    for await (const chunk of chunks) {
      size += chunk.length
      if (size > bytes) {
        throw operatorError('download_damaged', `A download is longer than the ${bytes} bytes that were announced.`)
      }
      await written(toFile, () => file.appendFile(chunk))
    }
  } finally {
    await file.close()
  }
  if (size < bytes) {
    throw operatorError('download_damaged', `A download has ${size} of the ${bytes} bytes that were announced.`)
  }
}

/** Errors of the local disk are not the source's. */
async function written<T>(toFile: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    throw operatorError('copy_not_written', `${toFile} cannot be written: ${Object(error).message}`, error)
  }
}
