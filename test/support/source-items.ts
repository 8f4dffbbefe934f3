import type { SourceItem } from '../../services/indexer/import/source.js'

/** Bytes as a stream gives them: in pieces of `size`, so that every boundary is met. */
export async function* inPieces(content: string | Buffer, size = 7): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content)
  for (let start = 0; start < bytes.length; start += size) {
    yield bytes.subarray(start, start + size)
  }
}

/** What a reader yielded, briefly: `line 2: {"name":"a"}` or `line 3 rejected: why`; and what it threw, if anything. */
export async function readAll(items: AsyncIterable<SourceItem>): Promise<string[]> {
  const told: string[] = []
  try {
    for await (const item of items) {
      told.push(
        'reason' in item ? `${item.place} rejected: ${item.reason}` : `${item.place}: ${JSON.stringify(item.record)}`,
      )
    }
  } catch (error) {
    told.push(String(error))
  }
  return told
}
