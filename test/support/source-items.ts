import { mapRecord } from '../../services/indexer/import/map-record.js'
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
  const lines: string[] = []
  try {
    for await (const item of items) {
      lines.push(
        'reason' in item ? `${item.place} rejected: ${item.reason}` : `${item.place}: ${JSON.stringify(item.record)}`,
      )
    }
  } catch (error) {
    lines.push(String(error))
  }
  return lines
}

/** The records of items, or the reasons of their rejection. */
export async function mapAll(
  items: AsyncIterable<SourceItem>,
  type: RecordType = 'skills',
): Promise<Record<string, unknown>[]> {
  const read: Record<string, unknown>[] = []
  for await (const item of items) {
    const mapped = 'reason' in item ? item : mapRecord(type, item.record)
    read.push('reason' in mapped ? { reason: mapped.reason } : mapped.record)
  }
  return read
}
