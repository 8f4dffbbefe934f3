import { entityTag } from './conditional.js'
import { type ContentEncoding, chooseEncoding, pack } from './content-encoding.js'

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

  entityTag(encoding: ContentEncoding | null): string {
    const tag =
      this.#tags.get(encoding) ??
      (this.#equivalent === undefined ? entityTag(this.#bytes, encoding) : `W/${entityTag(this.#equivalent, encoding)}`)
    this.#tags.set(encoding, tag)
    return tag
  }

  /** The body of a response in this encoding. */
  async encoded(encoding: ContentEncoding | null): Promise<Buffer> {
    return encoding === null ? this.#bytes : this.#packedAs(encoding)
  }

  #packedAs(encoding: ContentEncoding): Promise<Buffer> {
    let packed = this.#packed.get(encoding)
    if (packed === undefined) {
      packed = pack(this.#bytes, encoding)
      this.#packed.set(encoding, packed)
      // A later attempt may have enough memory.
      packed.catch(() => this.#packed.delete(encoding))
    }
    return packed
  }
}
