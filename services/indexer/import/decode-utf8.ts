import { isUtf8 } from 'node:buffer'
import { UnreadableSource } from './source.js'

/**
 * Decodes bytes to text, without a byte order mark.
 *
 * @throws UnreadableSource when they are not UTF-8, after the text before that: a guessed encoding could put wrong
 *   letters into the catalog
 */
export async function* decodeUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8')
  let read = 0
  let begun: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([begun, chunk])
    const whole = bytes.subarray(0, bytes.length - incompleteEnd(bytes))
    const length = isUtf8(whole) ? whole.length : validLength(whole)
    yield decoder.decode(whole.subarray(0, length), { stream: true })
    if (length < whole.length) {
      throw notUtf8(read + length)
    }
    read += length
    begun = bytes.subarray(length)
  }
  if (begun.length > 0) {
    throw notUtf8(read)
  }
}

const notUtf8 = (position: number): UnreadableSource =>
  new UnreadableSource(`is not UTF-8 at byte ${position}. ${convertToUtf8}`)

/** Windows writes its own characters into text that is called Latin-1: typographic quotes, dashes, the euro sign. */
export const convertToUtf8 = 'Convert it, for instance with: iconv -f cp1252 -t utf-8'

/** The number of bytes at the end that begin a character which the next chunk may complete. */
function incompleteEnd(bytes: Buffer): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count += 1) {
    const byte = bytes[bytes.length - count] ?? 0
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return needed > count ? count : 0
    }
    if (byte < 0x80) {
      return 0
    }
  }
  return 0
}

/** The number of bytes at the beginning that are whole characters. */
function validLength(bytes: Buffer): number {
  const fits = (length: number): boolean => {
    const part = bytes.subarray(0, length)
    return isUtf8(part.subarray(0, part.length - incompleteEnd(part)))
  }
  let [valid, invalid] = [0, bytes.length]
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2)
    if (fits(middle)) {
      valid = middle
    } else {
      invalid = middle
    }
  }
  const part = bytes.subarray(0, valid)
  return part.length - incompleteEnd(part)
}
