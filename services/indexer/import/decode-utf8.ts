import { UnreadableSource } from './source.js'

/**
 * Turns bytes into text, a byte order mark left out.
 *
 * @throws UnreadableSource when they are not UTF-8: a guess would put wrong letters into the catalog
 */
export async function* decodeUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Buffer): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw new UnreadableSource('is not UTF-8. Convert it, for instance with: iconv -f latin1 -t utf-8')
    }
  }
  for await (const chunk of chunks) {
    yield decode(chunk)
  }
  yield decode()
}
