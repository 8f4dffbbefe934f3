import { isUtf8 } from 'node:buffer'
import { readLines } from './read-lines.js'
import { repeatedMember } from './repeated-member.js'
import { isRecord, mostRecordBytes, type SourceItem, UnreadableSource } from './source.js'

/**
 * Reads one JSON object a line. A bad line is told in its place and the next one is read.
 *
 * @throws UnreadableSource behind a last line that is cut: nothing tells how much is missing
 */
export async function* readNdjson(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceItem> {
  for await (const { number, bytes, ended } of readLines(chunks)) {
    const item = readLine(`line ${number}`, bytes)
    if (item !== null) {
      yield item
    }
    if (item !== null && 'reason' in item && !ended) {
      throw new UnreadableSource(`is cut: its last line, ${number}, ends in the middle`)
    }
  }
}

function readLine(place: string, bytes: Buffer | null): SourceItem | null {
  if (bytes === null) {
    return { place, reason: `is longer than the ${mostRecordBytes} bytes that a record may have` }
  }
  if (!isUtf8(bytes)) {
    return { place, reason: 'is not UTF-8' }
  }
  const text = bytes.toString().trim()
  if (text === '') {
    return null
  }
  try {
    const record: unknown = JSON.parse(text)
    if (!isRecord(record)) {
      return { place, reason: 'is not a JSON object' }
    }
    const twice = repeatedMember(text)
    return twice === null
      ? { place, record, sizeBytes: bytes.length }
      : { place, reason: `has ${JSON.stringify(twice)} twice: leave one of them` }
  } catch (error) {
    return { place, reason: `is not valid JSON: ${error instanceof Error ? error.message : error}` }
  }
}
