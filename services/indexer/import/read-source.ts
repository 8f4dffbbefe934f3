import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { isPublicPath, type ReadContent, textTooLong } from '../../../shared/fields/skill-content.js'
import { maxSkillFiles, maxTextBytes, type SkillFile, type SkillFiles } from '../../../shared/ports/skill-texts.js'
import { knownNames } from '../../../shared/records/field-names.js'
import type { RecordType } from '../../../shared/records/records.js'
import { parseJson } from '../../../shared/runtime/http-answers.js'
import { digestOf } from '../../../shared/text/skill-text.js'
import type { AnswerPages } from './answer-pages.js'
import { isMarkdownTable } from './csv-form.js'
import { openSource } from './open-source.js'
import { readCsv } from './read-csv.js'
import { readJson, readNdjson } from './read-json.js'
import { isLinkList, readLinkList } from './read-link-list.js'
import { isPromptFile, readPromptMd } from './read-prompt-md.js'
import { readSkillMd } from './read-skill-md.js'
import { sniffFormat } from './sniff-format.js'
import { isPrivateFolder, type Source, type SourceFormat, type SourceItem, UnreadableSource } from './source.js'

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
      case 'links':
        yield* readLinkList(chunks)
        break
      case 'skill-md':
        yield await readOne(source, head, chunks, keepsTexts)
        break
      case 'prompt-md':
        yield await readPrompt(source, chunks)
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

async function readPrompt(source: Source, chunks: AsyncIterable<Buffer>): Promise<SourceItem> {
  const { content, dropped } = await readContent(source, chunks, false)
  return content === null
    ? { place: 'the whole file', reason: dropped.join('; ') }
    : readPromptMd(source.path ?? '', content.text, source.checkout)
}

function formatOf(source: Source, head: Buffer, type: RecordType): SourceFormat | 'links' | 'prompt-md' {
  const text = head.toString()
  if (source.format === 'ndjson' && (/^\ufeff?\s*[[{]\s*?\n/.test(text) || beginsList(text))) {
    // No line of NDJSON is a bracket alone, or a part of a list: the file has documents over several lines, as jq writes them.
    return 'json'
  }
  if (source.format === 'skill-md' && source.folder === null && isMarkdownTable(text)) {
    return 'csv'
  }
  if (source.format === 'skill-md' && source.folder === null && type === 'skills' && isLinkList(source.label, text)) {
    return 'links'
  }
  const isOwnFormat = source.format === null || source.format === 'skill-md'
  if (isOwnFormat && type === 'prompts' && isPromptFile(basename(source.path ?? ''))) {
    return 'prompt-md'
  }
  if (source.format === 'skill-md' && type !== 'skills') {
    throw new UnreadableSource(`is no table, and a SKILL.md file contains a skill, not ${type}. Use --type skills.`)
  }
  const sniffed = sniffFormat(text, type)
  // Many files named .json have an object per line; read as lines, a bad one affects no other.
  return source.format === null || (source.format === 'json' && sniffed === 'ndjson') ? sniffed : source.format
}

/** Whether a list begins in the first line of a text and does not end there. */
const beginsList = (text: string): boolean =>
  /^\ufeff?\s*\[/.test(text) && parseJson(text.replace(/^\ufeff?\s*/, '').split('\n', 1)[0] ?? '') === undefined

/** Digests of longer files are not computed. */
const maxDigestedBytes = 10_000_000

/**
 * Reads the bytes of a SKILL.md.
 *
 * @param lists whether the files in its folder are listed as well
 * @returns `content` is null, and `dropped` says why, where the text cannot be kept
 */
async function readContent(
  source: Source,
  chunks: AsyncIterable<Buffer>,
  lists: boolean,
): Promise<{ digest: string; content: ReadContent | null; dropped: string[] }> {
  const sha256 = createHash('sha256')
  const kept: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    sha256.update(chunk)
    size += chunk.length
    if (size <= maxTextBytes) {
      kept.push(chunk)
    }
  }
  const digest = `sha256:${sha256.digest('hex')}`
  if (size > maxTextBytes) {
    return { digest, content: null, dropped: [textTooLong] }
  }
  const bytes = Buffer.concat(kept)
  if (!isUtf8(bytes)) {
    return { digest, content: null, dropped: ['its text is not UTF-8, and is not kept: save it as UTF-8'] }
  }
  const own = { path: basename(source.path ?? 'SKILL.md'), size, digest }
  return {
    digest,
    content: { text: bytes.toString(), digest, files: lists ? filesWith(own, source) : { files: [own], total: 1 } },
    dropped: [],
  }
}

/** The files in the folder of a SKILL.md, without those of other skills in it. Links are left out: they may lead anywhere. */
function filesWith(own: SkillFile, { path, folder, skillFolders }: Source): SkillFiles {
  if (path === null || folder === null) {
    return { files: [own], total: 1 }
  }
  const paths: string[] = []
  const walk = (at: string, prefix: string): void => {
    for (const entry of entriesOf(at)) {
      const child = join(at, entry.name)
      if (entry.isDirectory() && !isPrivateFolder(entry.name) && !skillFolders?.has(child)) {
        walk(child, `${prefix}${entry.name}/`)
      } else if (entry.isFile() && child !== path) {
        paths.push(`${prefix}${entry.name}`)
      }
    }
  }
  walk(dirname(path), '')
  const shown = paths
    .filter(isPublicPath)
    .sort()
    .slice(0, maxSkillFiles - 1)
  return { files: [own, ...shown.map((name) => describeFile(dirname(path), name))], total: paths.length + 1 }
}

const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Size and digest are null where the file cannot be read. */
function describeFile(folder: string, path: string): SkillFile {
  try {
    const { size } = lstatSync(join(folder, path))
    return { path, size, digest: size > maxDigestedBytes ? null : digestOf(readFileSync(join(folder, path))) }
  } catch {
    return { path, size: null, digest: null }
  }
}
