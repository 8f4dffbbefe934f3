import { expect } from '@jest/globals'
import { mapRecord } from '../../services/indexer/import/map-record.js'
import { readJson, readNdjson } from '../../services/indexer/import/read-json.js'
import type { SourceItem } from '../../services/indexer/import/source.js'
import type { RecordType } from '../../shared/records/records.js'

/** A text as a stream of bytes in chunks of `size`, so that every boundary is tested. */
export async function* inPieces(content: string | Buffer, size = 7): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content)
  for (let start = 0; start < bytes.length; start += size) {
    yield bytes.subarray(start, start + size)
  }
}

/** The items of a reader as texts: `line 2: {"name":"a"}` or `line 3 rejected: why`; and the error that it threw. */
export async function readAll(items: AsyncIterable<SourceItem>): Promise<string[]> {
  const read: SourceItem[] = []
  const fault = await itemsOf(items, read).then(
    () => [],
    (error: unknown) => [String(error)],
  )
  const lines = read.map((item) =>
    'reason' in item ? `${item.place} rejected: ${item.reason}` : `${item.place}: ${JSON.stringify(item.record)}`,
  )
  return [...lines, ...fault]
}

/** The items of a reader; those before a fault are in `items`, where that is given. */
export async function itemsOf(reader: AsyncIterable<SourceItem>, items: SourceItem[] = []): Promise<SourceItem[]> {
  for await (const item of reader) {
    items.push(item)
  }
  return items
}

/** The records of items, or the reasons of their rejection. */
export async function mapAll(
  items: AsyncIterable<SourceItem>,
  type: RecordType = 'skills',
): Promise<Record<string, unknown>[]> {
  return (await itemsOf(items)).map((item) => {
    const mapped = 'reason' in item ? item : mapRecord(type, item.record)
    return 'reason' in mapped ? { reason: mapped.reason } : mapped.record
  })
}

/** The records of a document as `mapAll` has them: the same of JSON over several lines and of a line of NDJSON. */
export async function mapDocument(document: unknown, type: RecordType = 'skills'): Promise<Record<string, unknown>[]> {
  const records = await mapAll(readJson(inPieces(JSON.stringify(document, null, 2), 5), type), type)

  expect(await mapAll(readNdjson(inPieces(JSON.stringify(document)), type), type)).toEqual(records)
  return records
}
