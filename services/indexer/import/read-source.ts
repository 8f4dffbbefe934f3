import type { Readable } from 'node:stream'
import { knownNames } from '../../../shared/records/field-names.js'
import type { RecordType } from '../../../shared/records/records.js'
import type { AnswerPages } from './answer-pages.js'
import { openSource } from './open-source.js'
import { readCsv } from './read-csv.js'
import { readJson } from './read-json.js'
import { readNdjson } from './read-ndjson.js'
import { readSkillMd } from './read-skill-md.js'
import { readContent } from './skill-content.js'
import { sniffFormat } from './sniff-format.js'
import type { Source, SourceFormat, SourceItem } from './source.js'

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
  const sniffed = sniffFormat(head.toString(), type)
  // Many files named .json have an object per line; read as lines, a bad one affects no other.
  return source.format === null || (source.format === 'json' && sniffed === 'ndjson') ? sniffed : source.format
}
