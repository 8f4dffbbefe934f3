import { getManyValues, isMany, none } from 'stream-chain/core'
import { jsonParser, type Token } from 'stream-json/core/parser.js'
import { decodeUtf8 } from './decode-utf8.js'
import { RecordCutter } from './record-cutter.js'
import { type SourceItem, UnreadableSource } from './source.js'

/**
 * Reads the objects of a JSON array, of any size: only one record is in memory. The array may be the document, or a
 * member `data`, `items`, `results` or `records` of it; a document that is an object without one is itself a record,
 * and several documents may follow each other.
 *
 * @throws UnreadableSource where the text stops being JSON: nothing tells where the next record would begin
 */
export async function* readJson(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceItem> {
  // Texts come in pieces, so that one that is too long is never put together.
  const parse = jsonParser({ packValues: false, jsonStreaming: true }) as (text: string | typeof none) => unknown
  const cutter = new RecordCutter()
  const tokens = (text: string | typeof none): Token[] => {
    try {
      const parsed = parse(text)
      return isMany(parsed) ? (getManyValues(parsed) as Token[]) : []
    } catch (error) {
      throw new UnreadableSource(
        `is not valid JSON after record ${cutter.count}: ${error instanceof Error ? error.message : error}`,
      )
    }
  }
  for await (const text of decodeUtf8(chunks)) {
    yield* cutter.take(tokens(text))
  }
  yield* cutter.take(tokens(none))
  if (cutter.open) {
    throw new UnreadableSource(`ends in the middle, after record ${cutter.count}: the file is cut`)
  }
}
