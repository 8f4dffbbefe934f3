import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isNativeError } from 'node:util/types'
import { knownNames } from '../../../shared/records/field-names.js'
import type { RecordType } from '../../../shared/records/records.js'
import { operatorError } from '../../../shared/runtime/errors.js'
import type { AnswerPages } from './answer-pages.js'
import { isMarkdownTable } from './csv-form.js'
import type { FoundSources } from './find-sources.js'
import { openBytes, openSource } from './open-source.js'
import { readCsv } from './read-csv.js'
import { readJson, readNdjson } from './read-json.js'
import { readSkillMd } from './read-skill-md.js'
import { readContent } from './skill-content.js'
import { sniffFormat } from './sniff-format.js'
import { type Source, type SourceFormat, type SourceItem, UnreadableSource } from './source.js'

/**
 * Reads the records of one source, in its format or in the format of its content.
 *
 * @param onBytes called with the number of stored bytes read since the last call
 * @param pages notes what answers say about further pages
 * @param keepsTexts whether the texts and files of skills are wanted
 * @throws UnreadableSource when it cannot be read, or not to its end, after the items before that
 */
export async function* readSource(
  source: Source,
  type: RecordType,
  stdin: Readable,
  onBytes: (count: number) => void,
  signal: AbortSignal,
  pages: AnswerPages,
  keepsTexts: boolean,
): AsyncGenerator<SourceItem> {
  const { head, chunks, close } = await openSource(source, stdin, onBytes, signal)
  try {
    switch (formatOf(source, head, type)) {
      case 'ndjson':
        yield* readNdjson(chunks, type, pages)
        break
      case 'json':
        yield* readJson(chunks, type, pages)
        break
      case 'csv':
        yield* readCsv(head, chunks, knownNames[type])
        break
      case 'skill-md':
        yield await readOne(source, head, chunks, keepsTexts)
        break
    }
  } finally {
    close()
  }
}

async function readOne(
  source: Source,
  head: Buffer,
  chunks: AsyncIterable<Buffer>,
  keepsTexts: boolean,
): Promise<SourceItem> {
  const { digest, content, dropped } = await readContent(source, chunks, keepsTexts)
  const around = source.checkout ?? source.folder ?? '.'
  const item = readSkillMd(source.path ?? 'SKILL.md', around, { head, digest })
  if (!keepsTexts || 'reason' in item) {
    return item
  }
  const noted = { ...item, dropped: [...(item.dropped ?? []), ...dropped] }
  return content === null ? noted : { ...noted, content, sizeBytes: item.sizeBytes + content.text.length }
}

function formatOf(source: Source, head: Buffer, type: RecordType): SourceFormat {
  const text = head.toString()
  if (source.format === 'ndjson' && /^\ufeff?\s*[[{]\s*?\n/.test(text)) {
    // No line of NDJSON is a bracket alone: the file has documents over several lines, as jq writes them.
    return 'json'
  }
  if (source.format === 'skill-md' && source.folder === null && isMarkdownTable(text)) {
    return 'csv'
  }
  const sniffed = sniffFormat(text, type)
  // Many files named .json have an object per line; read as lines, a bad one affects no other.
  return source.format === null || (source.format === 'json' && sniffed === 'ndjson') ? sniffed : source.format
}

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
