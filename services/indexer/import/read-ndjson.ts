import { isUtf8 } from 'node:buffer'
import type { RecordType } from '../../../shared/records/records.js'
import type { AnswerPages } from './answer-pages.js'
import { convertToUtf8 } from './decode-utf8.js'
import { mayBeAnswer } from './envelopes.js'
import { parseRecord } from './parse-record.js'
import { readLines } from './read-lines.js'
import { RecordCutter } from './record-cutter.js'
import { maxRecordBytes, type SourceItem, UnreadableSource } from './source.js'

/**
 * Reads one JSON object per line; a line may also be an answer of a service with a list of them, or several documents.
 * Reports a bad line in its place and continues with the next one.
 *
 * @param pages notes what answers say about further pages
 * @throws UnreadableSource after a truncated last line: it is unknown how much is missing; and at the end, when a line has
 *   another list of records that was not read
 */
export async function* readNdjson(
  chunks: AsyncIterable<Buffer>,
  type: RecordType,
  pages?: AnswerPages,
): AsyncGenerator<SourceItem> {
  let unread: UnreadableSource | null = null
  for await (const { number, bytes, ended } of readLines(chunks)) {
    const line = readLine(`line ${number}`, bytes, type, pages)
    unread ??= line.unread
    yield* line.items
    if (line.isBroken && !ended) {
      throw new UnreadableSource(`is truncated: its last line, ${number}, ends in the middle`)
    }
  }
  if (unread !== null) {
    throw unread
  }
}

interface Line {
  items: SourceItem[]
  /** Whether it is no JSON. */
  isBroken: boolean
  /** The other list of it that was not read; null: there is none. */
  unread: UnreadableSource | null
}

function readLine(place: string, bytes: Buffer | null, type: RecordType, pages?: AnswerPages): Line {
  const broken = (reason: string): Line => ({ items: [{ place, reason }], isBroken: true, unread: null })
  if (bytes === null) {
    return broken(`is longer than the ${maxRecordBytes} bytes that a record may have`)
  }
  if (!isUtf8(bytes)) {
    return broken(`is not UTF-8. ${convertToUtf8}`)
  }
  const text = bytes.toString().trim()
  const parsed = text === '' ? null : parseRecord(text)
  if (parsed === null) {
    return { items: [], isBroken: false, unread: null }
  }
  if ('record' in parsed && !mayBeAnswer(parsed.record, type)) {
    return { items: [{ place, ...parsed, sizeBytes: bytes.length }], isBroken: false, unread: null }
  }
  const cutter = new RecordCutter(type, pages)
  try {
    const items = [...cutter.take(text), ...cutter.take(null)]
    const isOne = items.length === 1 && !cutter.hasList
    const placed = items.map((item) => ({ ...item, place: isOne ? place : `${place}, ${item.place}` }))
    return { items: placed, isBroken: false, unread: cutter.unread }
  } catch {
    return broken('reason' in parsed ? parsed.reason : 'is not valid JSON')
  }
}
