import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { operatorError } from '../../../shared/runtime/errors.js'
import type { SourceResponse } from './request-source.js'

/** The announced size and hash of a file. */
export interface ExpectedFile {
  bytes: number
  /** Hex; also the entity tag. */
  sha256: string
}

/** Size of a local file in bytes; 0 when it does not exist. */
export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/**
 * Writes a response to a file: a part (206) is appended, a complete response replaces the file.
 *
 * @throws AppError `download_damaged` when the size is not the announced one; `copy_not_written` when the local file
 *   cannot be written; an Error when the response was interrupted
 */
export async function receiveFile(
  { status, chunks }: SourceResponse,
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
        throw operatorError('download_damaged', `A download is longer than the announced ${bytes} bytes.`)
      }
      await written(toFile, () => file.appendFile(chunk))
    }
  } finally {
    await file.close()
  }
  if (size < bytes) {
    throw operatorError('download_damaged', `A download has ${size} of the announced ${bytes} bytes.`)
  }
}

/** Distinguishes errors of the local disk from errors of the source. */
async function written<T>(toFile: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    throw operatorError('copy_not_written', `${toFile} cannot be written: ${Object(error).message}`, error)
  }
}
