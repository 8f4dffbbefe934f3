import { mostRecordBytes } from './source.js'

/** One line, without its end; null in place of one that is longer than a record may be. */
export interface SourceLine {
  /** From 1. */
  number: number
  bytes: Buffer | null
}

const lineFeed = 0x0a

/** Takes bytes apart into lines. Of a line that is too long no more than a record's worth is ever held. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceLine> {
  let number = 1
  let parts: Buffer[] = []
  let length = 0
  const add = (part: Buffer): void => {
    length += part.length
    parts = length > mostRecordBytes ? [] : [...parts, part]
  }
  const take = (): SourceLine => {
    const line = { number, bytes: length > mostRecordBytes ? null : Buffer.concat(parts) }
    number += 1
    parts = []
    length = 0
    return line
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      add(chunk.subarray(start, end))
      yield take()
      start = end + 1
    }
    add(chunk.subarray(start))
  }
  if (length > 0) {
    yield take()
  }
}
