import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'

/** The supported content codings, the smaller result first. */
const contentEncodings = ['br', 'gzip'] as const
export type ContentEncoding = (typeof contentEncodings)[number]

/**
 * Bodies are compressed for each request. Of 20 skills, quality 5 would take 2.6 times as long for a tenth less, and 1
 * little more than half as long for a tenth more.
 */
const brotliQuality = 3
const gzipLevel = 3

/**
 * The encoding that a client prefers; of equal ones the first of `available`.
 *
 * Source: RFC 9110, section 12.5.3. A client that refuses everything is sent the identity encoding, as the RFC allows.
 *
 * @param acceptEncoding the header's value, empty when there is none
 * @param available the server's encodings, the preferred one first
 * @returns null: not encoded
 */
export function chooseEncoding(
  acceptEncoding: string,
  available: readonly ContentEncoding[] = contentEncodings,
): ContentEncoding | null {
  const qualities = new Map(acceptEncoding.split(',').map(readWeighted))
  const qualityOf = (encoding: string) => qualities.get(encoding) ?? qualities.get('*') ?? 0
  const best = Math.max(0, ...available.map(qualityOf))
  const plain = qualities.get('identity') ?? 0
  return best > 0 && best >= plain ? (available.find((encoding) => qualityOf(encoding) === best) ?? null) : null
}

/** `gzip;q=0.5` as name and weight; a malformed weight is NaN. */
function readWeighted(part: string): [name: string, quality: number] {
  const [name = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
}

/** Compresses the whole body, so that `Content-Length` is known for `HEAD` as well. */
export const pack = (bytes: Buffer, encoding: ContentEncoding): Promise<Buffer> => packers[encoding](bytes)

const gzipped = promisify(gzip)
const brotli = promisify(brotliCompress)

const packers: Record<ContentEncoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    brotli(bytes, {
      params: { [zlib.BROTLI_PARAM_QUALITY]: brotliQuality, [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes) => gzipped(bytes, { level: gzipLevel }),
}
