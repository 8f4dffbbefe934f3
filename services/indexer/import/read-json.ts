import { decodeUtf8 } from './decode-utf8.js'
import { RecordCutter } from './record-cutter.js'
import type { SourceItem } from './source.js'

/**
 * Reads the objects of a JSON array of any size, with one record in memory. The array may be the document, or a
 * member `data`, `items`, `results` or `records` of it; a document that is an object without one is itself a record,
 * and several documents may follow each other.
 *
 * @throws UnreadableSource where the text is no longer JSON, after all records before that: the beginning of the next
 *   record is unknown
 */
export async function* readJson(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceItem> {
  const cutter = new RecordCutter()
  for await (const text of decodeUtf8(chunks)) {
    yield* cutter.take(text)
  }
  yield* cutter.take(null)
}
