import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { knownNames } from '../../../shared/records/field-names.js'
import type { RecordType } from '../../../shared/records/records.js'
import type { AnswerPages } from './answer-pages.js'
import { openSource } from './open-source.js'
import { readCsv } from './read-csv.js'
import { readJson } from './read-json.js'
import { readNdjson } from './read-ndjson.js'
import { readSkillMd } from './read-skill-md.js'
import { sniffFormat } from './sniff-format.js'
import type { Source, SourceFormat, SourceItem } from './source.js'

/**
 * Reads the records of one source, in its format or in the format of its content.
 *
 * @param onBytes called with the number of stored bytes read since the last call
 * @param pages notes what answers say about further pages
 * @throws UnreadableSource when it cannot be read, or not to its end, after the items before that
 */
export async function* readSource(
  source: Source,
  type: RecordType,
  stdin: Readable,
  onBytes: (count: number) => void,
  signal: AbortSignal,
  pages: AnswerPages,
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
        yield readSkillMd(source.path ?? 'SKILL.md', source.checkout ?? source.folder ?? '.', {
          head,
          digest: await digestOf(chunks),
        })
        break
    }
  } finally {
    close()
  }
}

async function digestOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const sha256 = createHash('sha256')
  for await (const chunk of chunks) {
    sha256.update(chunk)
  }
  return `sha256:${sha256.digest('hex')}`
}

function formatOf(source: Source, head: Buffer, type: RecordType): SourceFormat {
  const sniffed = sniffFormat(head.toString(), type)
  // Many files named .json have an object per line; read as lines, a bad one affects no other.
  return source.format === null || (source.format === 'json' && sniffed === 'ndjson') ? sniffed : source.format
}
