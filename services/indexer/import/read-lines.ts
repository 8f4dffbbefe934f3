import { maxRecordBytes } from './source.js'

/** One line, without its end; null in place of one that is longer than a record may be. */
export interface SourceLine {
  /** From 1. */
  number: number
  bytes: Buffer | null
  /** Whether a line feed ended it; false only for a last line. */
  ended: boolean
}

const lineFeed = 0x0a

/** Splits bytes into lines, without the empty ones. Keeps no more of a line than the maximum size of a record. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceLine> {
  let number = 1
  let parts: Buffer[] = []
  let length = 0
  const add = (part: Buffer): void => {
    length += part.length
    if (length > maxRecordBytes) {
      parts = []
    } else {
      parts.push(part)
    }
  }
  const take = (ended: boolean): SourceLine => {
    const line = { number, bytes: length > maxRecordBytes ? null : Buffer.concat(parts), ended }
    number += 1
    parts = []
    length = 0
    return line
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      if (start === end && length === 0) {
        number += 1
      } else {
        add(chunk.subarray(start, end))
        yield take(true)
      }
      start = end + 1
    }
    add(chunk.subarray(start))
  }
  if (length > 0) {
    yield take(false)
  }
}
