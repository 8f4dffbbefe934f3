import { isUtf8 } from 'node:buffer'
import type { RecordType } from '../../../shared/records/records.js'
import type { AnswerPages } from './answer-pages.js'
import { mayBeAnswer } from './envelopes.js'
import { parseRecord } from './map-record.js'
import { RecordCutter } from './record-cutter.js'
import { convertToUtf8, decodeUtf8 } from './sniff-format.js'
import { maxRecordBytes, type SourceItem, UnreadableSource } from './source.js'
import { isMessage } from './strangers.js'

/** A line without its end; null: it is longer than a record may be. */
export interface SourceLine {
  /** From 1. */
  number: number
  bytes: Buffer | null
  /** Whether a line feed ended it; false only for a last line. */
  ended: boolean
}

const lineFeed = 0x0a

/** Splits bytes into lines, without the empty ones. Keeps no more of a line than the maximum size of a record. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceLine> {
  let number = 1
  let parts: Buffer[] = []
  let length = 0
  const add = (part: Buffer): void => {
    length += part.length
    if (length > maxRecordBytes) {
      parts = []
    } else {
      parts.push(part)
    }
  }
  const take = (ended: boolean): SourceLine => {
    const line = { number, bytes: length > maxRecordBytes ? null : Buffer.concat(parts), ended }
    number += 1
    parts = []
    length = 0
    return line
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      if (start === end && length === 0) {
        number += 1
      } else {
        add(chunk.subarray(start, end))
        yield take(true)
      }
      start = end + 1
    }
    add(chunk.subarray(start))
  }
  if (length > 0) {
    yield take(false)
  }
}

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
  /** The name of a second list in it that was not read; null: there is none. */
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
  // A comma after an object is left where a list was divided into lines.
  const text = bytes.toString().trim().replace(/\},$/, '}')
  // People note in a line of its own what follows.
  const parsed = /^(?:$|#|\/\/)/.test(text) ? null : parseRecord(text)
  if (parsed === null || ('record' in parsed && isMessage(parsed.record))) {
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
  } catch (error) {
    const reason = 'reason' in parsed ? parsed.reason : 'is not valid JSON'
    // The scanner says what to do.
    const place =
      error instanceof UnreadableSource ? error.message.split('is not valid JSON in line 1, ')[1] : undefined
    return broken(place !== undefined && /^is not valid JSON/.test(reason) ? `is not valid JSON in ${place}` : reason)
  }
}

/**
 * Reads the objects of a JSON list of any size, with one record in memory. The list may be the document, or a member of
 * it with one of the names of `membersOf`, also within other objects, or there may be a list of such documents; a document
 * that is an object without one is itself a record, and several documents may follow each other.
 *
 * @param pages notes what answers say about further pages
 * @throws UnreadableSource where the text is no longer JSON, after all records before that: the beginning of the next
 *   record is unknown; and at the end, when a document has another list of records that was not read
 */
export async function* readJson(
  chunks: AsyncIterable<Buffer>,
  type: RecordType,
  pages?: AnswerPages,
): AsyncGenerator<SourceItem> {
  const cutter = new RecordCutter(type, pages)
  for await (const text of decodeUtf8(chunks)) {
    yield* cutter.take(text)
  }
  yield* cutter.take(null)
  if (cutter.unread !== null) {
    throw cutter.unread
  }
}
