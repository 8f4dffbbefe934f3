import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isNativeError } from 'node:util/types'
import { operatorError } from '../../../shared/runtime/errors.js'
import type { FoundSources } from './find-sources.js'
import { openBytes } from './open-source.js'
import { type Source, UnreadableSource } from './source.js'

/**
 * Makes sources readable more than once during `work`: copies standard input and pipes to temporary files, in the
 * folder that TMPDIR names.
 *
 * @throws AppError `cannot_keep_input` when there is no space, or no folder, for the copy
 */
export async function withRereadableSources<R>(
  found: FoundSources,
  stdin: Readable,
  signal: AbortSignal,
  work: (rereadable: FoundSources) => Promise<R>,
): Promise<R> {
  if (found.sources.every(isFile)) {
    return work(found)
  }
  const folder = await mkdtemp(join(tmpdir(), `skill-catalog-import-${process.pid}-`)).catch((error: unknown) => {
    throw cannotKeep(error)
  })
  try {
    const copied: FoundSources = { ...found, sources: [], unreadable: [...found.unreadable] }
    for (const source of found.sources) {
      try {
        const path = join(folder, String(copied.sources.length))
        copied.sources.push(isFile(source) ? source : await copy(source, stdin, signal, path))
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof UnreadableSource)) {
          throw error
        }
        copied.unreadable.push({ label: source.label, reason: error.message })
      }
    }
    return await work(copied)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Pipes have no size. */
const isFile = (source: Source): boolean => source.path !== null && source.sizeBytes !== null

/** @throws UnreadableSource when the source fails, AppError `cannot_keep_input` when the copy does */
async function copy(source: Source, stdin: Readable, signal: AbortSignal, path: string): Promise<Source> {
  try {
    await pipeline(openBytes(source, stdin, signal), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    return { ...source, copyPath: path, sizeBytes: (await stat(path)).size }
  } catch (error) {
    throw signal.aborted || error instanceof UnreadableSource ? error : cannotKeep(error)
  }
}

const cannotKeep = (error: unknown) =>
  operatorError(
    'cannot_keep_input',
    `With --replace, standard input is read twice, and it cannot be kept in ${tmpdir()} meanwhile: ` +
      `${isNativeError(error) ? error.message : error}. Free some space there, set TMPDIR to another folder, or name a file.`,
  )
