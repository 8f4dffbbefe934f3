import { constants, createReadStream, createWriteStream, openSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isNativeError } from 'node:util/types'
import { createGunzip } from 'node:zlib'
import { operatorError } from '../../../shared/runtime/errors.js'
import type { FoundSources } from './find-sources.js'
import { foreignFormatOf } from './sniff-format.js'
import { bytesAfterGzip, describeFileError, type Source, type SourceFormat, UnreadableSource } from './source.js'

/** The length of the beginning from which the format is detected. */
const headBytes = 65_536

/** A source's bytes, decompressed. */
export interface OpenedSource {
  /** The beginning, up to 64 KiB. */
  head: Buffer
  /** All bytes from the first. Can be iterated once. */
  chunks: AsyncIterable<Buffer>
  /** Closes the source, read to its end or not. */
  close(): void
}

/**
 * Opens a file, a pipe or standard input; gzip is recognized by its first bytes.
 *
 * @param onBytes called with the number of stored bytes read since the last call
 * @param signal ends the reading at once: standard input may send nothing for a long time
 * @throws UnreadableSource, here or while `chunks` is iterated
 */
export async function openSource(
  source: Source,
  stdin: Readable,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<OpenedSource> {
  const raw = openRaw(source, stdin, signal)
  const close = (): void => {
    raw.destroy()
  }
  try {
    const stored = await peek(walk(raw, onBytes))
    const isPacked = stored.head[0] === 0x1f && stored.head[1] === 0x8b
    const opened = isPacked ? await peek(unpack(stored.chunks, signal)) : stored
    checkIsText(opened.head, source.format)
    return { ...opened, close }
  } catch (error) {
    close()
    throw error
  }
}

function openRaw({ path, copyPath, sizeBytes }: Source, stdin: Readable, signal: AbortSignal): Readable {
  if (copyPath === undefined && path !== null && sizeBytes === null) {
    return addAbortSignal(signal, openPipe(path))
  }
  const file = copyPath ?? path
  return addAbortSignal(signal, file === null ? stdin : createReadStream(file, { highWaterMark: headBytes }))
}

/**
 * Opens a named pipe without waiting for its writer: a waiting thread cannot be interrupted, and prevents the process
 * from exiting.
 */
function openPipe(path: string): Readable {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    return new Socket({ fd: descriptor, readable: true, writable: false })
  } catch (error) {
    throw new UnreadableSource(describeFileError(error))
  }
}

/** Iterates a stream, and describes its errors for the operator. */
async function* walk(stream: Readable, onBytes?: (count: number) => void): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      onBytes?.(chunk.length)
      yield chunk
    }
  } catch (error) {
    throw error instanceof UnreadableSource ? error : new UnreadableSource(describeFileError(error))
  }
}

/** Unpacks gzip. A small file may decompress to a large one. */
async function* unpack(stored: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  const gunzip = addAbortSignal(signal, createGunzip())
  let end: Buffer = Buffer.alloc(0)
  async function* noted(): AsyncGenerator<Buffer> {
    for await (const chunk of stored) {
      end = Buffer.concat([end, chunk.subarray(-5)]).subarray(-5)
      yield chunk
    }
  }
  // Its failure is that of reading what is unpacked.
  pipeline(noted(), gunzip).catch(() => {})
  let sizeBytes = 0
  try {
    yield* walk(gunzip, (count) => {
      sizeBytes += count
    })
  } catch (error) {
    // gzip ends with the size of its data. A single byte after that is taken for the begin of more data.
    const isWhole = end.length === 5 && end.readUInt32LE() === sizeBytes % 2 ** 32
    throw isWhole ? new UnreadableSource(bytesAfterGzip) : error
  }
}

/** Reads the beginning, and returns all chunks to iterate. The iteration throws later failures. */
async function peek(chunks: AsyncGenerator<Buffer>): Promise<Omit<OpenedSource, 'close'>> {
  const first: Buffer[] = []
  let length = 0
  let failure: unknown = null
  try {
    while (length < headBytes) {
      const next = await chunks.next()
      if (next.done === true) {
        break
      }
      first.push(next.value)
      length += next.value.length
    }
  } catch (error) {
    if (length === 0) {
      throw error
    }
    failure = error
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* first.splice(0)
    if (failure !== null) {
      throw failure
    }
    yield* chunks
  }
  return { head: Buffer.concat(first).subarray(0, headBytes), chunks: all() }
}

/** A SKILL.md may be UTF-16 that says so: Windows' editors write it. @throws UnreadableSource */
function checkIsText(head: Buffer, format: SourceFormat | null): void {
  const foreign = foreignFormatOf(head)
  if (foreign !== null) {
    throw new UnreadableSource(foreign)
  }
  const beginning = head.toString('latin1', 0, 4)
  const [, encoding = ''] = wideBeginnings.find(([pattern]) => pattern.test(beginning)) ?? []
  if (encoding !== '' && !(format === 'skill-md' && encoding === 'UTF-16')) {
    throw new UnreadableSource(
      `is ${encoding.slice(0, 6)}. Save it as UTF-8, for instance with: iconv -f ${encoding.toLowerCase()} -t utf-8`,
    )
  }
}

/** The beginnings of texts by their encoding: a byte order mark, or an ASCII character in as many bytes as each has. */
const wideBeginnings: [beginning: RegExp, encoding: string][] = [
  [/^(?:\xff\xfe\0\0|\0\0\xfe\xff)/, 'UTF-32'],
  [/^[^\0]\0\0\0/, 'UTF-32LE'],
  [/^\0\0\0[^\0]/, 'UTF-32BE'],
  [/^(?:\xff\xfe|\xfe\xff)/, 'UTF-16'],
  [/^[^\0]\0[^\0]/, 'UTF-16LE'],
  [/^\0[^\0]\0/, 'UTF-16BE'],
]

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
    await pipeline(walk(openRaw(source, stdin, signal)), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
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
