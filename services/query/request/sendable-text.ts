import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import { parseHttpDate } from '../../../shared/runtime/http-answers.js'

/** Bytes below which a compressed body with its headers is hardly smaller. */
const minPackedBytes = 1_024

/**
 * A text as it is sent: unencoded and compressed, with their entity tags, each computed on first use. Keep the instance of a
 * text that is the same for all clients, so that this happens once.
 */
export class SendableText {
  readonly #bytes: Buffer
  readonly #equivalent: string | undefined
  readonly #tags = new Map<ContentEncoding | null, string>()
  readonly #packed = new Map<ContentEncoding, Promise<Buffer>>()

  /**
   * @param equivalent the part of the text that is equal where the rest differs but means nothing to the client, such as a
   * duration: the entity tag is computed from it, and is weak; default: the tag is that of the bytes
   */
  constructor(text: string | Buffer, equivalent?: string) {
    this.#bytes = typeof text === 'string' ? Buffer.from(text) : text
    this.#equivalent = equivalent
  }

  /** The encoding for a client with this `Accept-Encoding`; null: none. */
  encodingFor(acceptEncoding: string): ContentEncoding | null {
    return this.#bytes.length < minPackedBytes ? null : chooseEncoding(acceptEncoding)
  }

  /** The entity tag of the text in this encoding, with its quotes. */
  entityTag(encoding: ContentEncoding | null): string {
    const tag =
      this.#tags.get(encoding) ??
      (this.#equivalent === undefined ? entityTag(this.#bytes, encoding) : `W/${entityTag(this.#equivalent, encoding)}`)
    this.#tags.set(encoding, tag)
    return tag
  }

  /** The body of a response in this encoding. */
  async encoded(encoding: ContentEncoding | null): Promise<Buffer> {
    if (encoding === null) {
      return this.#bytes
    }
    let packed = this.#packed.get(encoding)
    if (packed === undefined) {
      packed = packers[encoding](this.#bytes)
      this.#packed.set(encoding, packed)
      // A later attempt may have enough memory.
      packed.catch(() => this.#packed.delete(encoding))
    }
    return packed
  }
}

/**
 * A strong entity tag for a text, different for each encoding, since the bytes differ (RFC 9110, section 8.8.3).
 *
 * @param encoding the content coding; null: none
 */
export const entityTag = (text: string | Buffer, encoding: ContentEncoding | null): string =>
  `"${hash('sha256', text, 'base64url')}${encoding === null ? '' : `-${encoding}`}"`

/** The validators of a resource's current state. */
export interface Validators {
  /** Including its quotes, and `W/` where it is weak. */
  etag: string
  lastModified?: Date
}

/**
 * Whether the client's copy is current: its `If-None-Match` has the tag, or is `*`; without that header, its
 * `If-Modified-Since` is no earlier than the last change. Tags are compared weakly, since a cache may have weakened
 * them. A value that is no HTTP-date is ignored (section 13.1.3).
 *
 * Source: RFC 9110, section 13.2.2.
 */
export function isNotModified(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const tags = headers['if-none-match']
  if (tags !== undefined) {
    const named: string[] = tags.match(/"[^"]*"/g) ?? []
    return tags.trim() === '*' || named.includes(etag.replace(/^W\//, ''))
  }
  if (lastModified === undefined) {
    return false
  }
  const sinceMs = parseHttpDate(headers['if-modified-since'] ?? '')
  return sinceMs !== null && inSeconds(lastModified) <= sinceMs
}

/** A time in whole seconds, the resolution of HTTP dates, as epoch milliseconds. */
export const inSeconds = (time: Date): number => Math.floor(time.getTime() / 1_000) * 1_000

/** The supported content codings, the smaller result first. */
const contentEncodings = ['br', 'gzip'] as const
export type ContentEncoding = (typeof contentEncodings)[number]

/**
 * Bodies are compressed while a client waits. Of 20 skills, quality 5 would take 2.6 times as long for a tenth less, and 1
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

/** `gzip;q=0.5` as name and weight; a malformed weight counts as 0. */
function readWeighted(part: string): [name: string, quality: number] {
  const [name = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
}

const gzipped = promisify(gzip)
const brotli = promisify(brotliCompress)

/** These compress the whole body, so that `Content-Length` is known for `HEAD` as well. */
const packers: Record<ContentEncoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    brotli(bytes, {
      params: { [zlib.BROTLI_PARAM_QUALITY]: brotliQuality, [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes) => gzipped(bytes, { level: gzipLevel }),
}
