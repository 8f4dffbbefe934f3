import { isUtf8 } from 'node:buffer'
import { parseRecord } from './parse-record.js'
import { readLines } from './read-lines.js'
import { maxRecordBytes, type SourceItem, UnreadableSource } from './source.js'

/**
 * Reads one JSON object per line. Reports a bad line in its place and continues with the next one.
 *
 * @throws UnreadableSource after a truncated last line: it is unknown how much is missing
 */
export async function* readNdjson(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceItem> {
  for await (const { number, bytes, ended } of readLines(chunks)) {
    const item = readLine(`line ${number}`, bytes)
    if (item !== null) {
      yield item
    }
    if (item !== null && 'reason' in item && !ended) {
      throw new UnreadableSource(`is truncated: its last line, ${number}, ends in the middle`)
    }
  }
}

function readLine(place: string, bytes: Buffer | null): SourceItem | null {
  if (bytes === null) {
    return { place, reason: `is longer than the ${maxRecordBytes} bytes that a record may have` }
  }
  if (!isUtf8(bytes)) {
    return { place, reason: 'is not UTF-8' }
  }
  const text = bytes.toString().trim()
  if (text === '') {
    return null
  }
  const parsed = parseRecord(text)
  return 'reason' in parsed ? { place, ...parsed } : { place, ...parsed, sizeBytes: bytes.length }
}
