import { isUtf8 } from 'node:buffer'
import { readLines } from './read-lines.js'
import { isRecord, mostRecordBytes, type SourceItem } from './source.js'

/** Reads one JSON object a line. A bad line is told in its place and the next one is read. */
export async function* readNdjson(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceItem> {
  for await (const { number, bytes } of readLines(chunks)) {
    const place = `line ${number}`
    if (bytes === null) {
      yield { place, reason: `is longer than the ${mostRecordBytes} bytes that a record may have` }
    } else if (!isUtf8(bytes)) {
      yield { place, reason: 'is not UTF-8' }
    } else {
      const text = bytes.toString().trim()
      if (text !== '') {
        yield parse(place, text, bytes.length)
      }
    }
  }
}

function parse(place: string, text: string, sizeBytes: number): SourceItem {
  try {
    const record: unknown = JSON.parse(text)
    return isRecord(record) ? { place, record, sizeBytes } : { place, reason: 'is not a JSON object' }
  } catch (error) {
    return { place, reason: `is not valid JSON: ${error instanceof Error ? error.message : error}` }
  }
}
