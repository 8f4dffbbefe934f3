import type { ParameterizedContext } from 'koa'
import { entityTag } from './conditional.js'
import { type ContentEncoding, chooseEncoding, pack } from './content-encoding.js'

/** Below this, the packed body with its headers is hardly smaller than the plain one. */
const minPackedBytes = 1_024

/**
 * A text as it is sent: its bytes plain and packed, and their entity tags, each made when it is first asked for. One
 * that is the same for everybody is best kept, so that it is made once.
 */
export class SendableText {
  readonly #bytes: Buffer
  readonly #lasting: string
  readonly #tags = new Map<ContentEncoding | null, string>()
  readonly #packed = new Map<ContentEncoding, Promise<Buffer>>()

  /** @param lasting that part of the text which its entity tag stands for; default: all of it */
  constructor(text: string, lasting: string = text) {
    this.#bytes = Buffer.from(text)
    this.#lasting = lasting
  }

  /** How it is sent to a client that accepts this; null: as it is. */
  encodingFor(acceptEncoding: string): ContentEncoding | null {
    return this.#bytes.length < minPackedBytes ? null : chooseEncoding(acceptEncoding)
  }

  entityTag(encoding: ContentEncoding | null): string {
    const tag = this.#tags.get(encoding) ?? entityTag(this.#lasting, encoding)
    this.#tags.set(encoding, tag)
    return tag
  }

  /** Makes it the body of an answer. */
  async setBody(ctx: ParameterizedContext, encoding: ContentEncoding | null): Promise<void> {
    if (encoding === null) {
      ctx.body = this.#bytes
      return
    }
    ctx.body = await this.#packedAs(encoding)
    ctx.set('Content-Encoding', encoding)
  }

  #packedAs(encoding: ContentEncoding): Promise<Buffer> {
    let packed = this.#packed.get(encoding)
    if (packed === undefined) {
      packed = pack(this.#bytes, encoding)
      this.#packed.set(encoding, packed)
      // Another time there may be memory for it.
      packed.catch(() => this.#packed.delete(encoding))
    }
    return packed
  }
}
