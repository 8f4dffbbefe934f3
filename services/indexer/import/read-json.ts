import type { RecordType } from '../../../shared/records/records.js'
import type { AnswerPages } from './answer-pages.js'
import { decodeUtf8 } from './decode-utf8.js'
import { RecordCutter } from './record-cutter.js'
import type { SourceItem } from './source.js'

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
