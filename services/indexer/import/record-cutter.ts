import { Assembler } from 'stream-json/core/assembler.js'
import type { Token } from 'stream-json/core/parser.js'
import { isRecord, mostRecordBytes, type SourceItem } from './source.js'

/** Members of an outermost object that hold the records, as exports and search answers have them. */
const listNames = new Set(['data', 'items', 'results', 'records'])

/** Cuts the records out of a stream of JSON tokens. Of a record that is too large the rest is passed over. */
export class RecordCutter {
  /** How many records have been cut. */
  count = 0
  #assembler = new Assembler<unknown>()
  /** How many containers are open, and in how many of them a record is. */
  #depth = 0
  #recordDepth = 0
  #key = ''
  #text = ''
  #size = 0

  /** Whether a container is still open. */
  get open(): boolean {
    return this.#depth > 0
  }

  /** Takes the next tokens in; yields the records that they complete. */
  *take(tokens: Token[]): Generator<SourceItem> {
    for (const token of tokens) {
      const item = this.#takeOne(token)
      if (item !== null) {
        yield item
      }
    }
  }

  #takeOne(token: Token): SourceItem | null {
    switch (token.name) {
      case 'startKey':
      case 'startString':
      case 'startNumber':
        this.#text = ''
        return null
      case 'stringChunk':
      case 'numberChunk':
        this.#size += token.value.length
        this.#text += this.#fits() ? token.value : ''
        return null
      case 'endKey':
        this.#key = this.#text
        this.#feed({ name: 'keyValue', value: this.#text })
        return null
      case 'endString':
        return this.#takeValue({ name: 'stringValue', value: this.#text })
      case 'endNumber':
        return this.#takeValue({ name: 'numberValue', value: this.#text })
      case 'startObject':
      case 'startArray':
        this.#takeStart(token)
        return null
      case 'endObject':
      case 'endArray':
        return this.#takeEnd(token)
      default:
        return this.#takeValue(token)
    }
  }

  #takeStart(token: Token): void {
    const isList = token.name === 'startArray'
    if (this.#depth === 0) {
      this.#recordDepth = isList ? 1 : 0
    } else if (isList && this.#depth === 1 && this.#recordDepth === 0 && listNames.has(this.#key)) {
      // What looked like a record is an envelope: the records are in here.
      this.#recordDepth = 2
      this.#assembler = new Assembler()
    }
    if (this.#depth === this.#recordDepth) {
      this.#size = 0
    }
    if (this.#depth >= this.#recordDepth) {
      this.#feed(token)
    }
    this.#depth += 1
  }

  #takeEnd(token: Token): SourceItem | null {
    this.#depth -= 1
    if (this.#depth >= this.#recordDepth) {
      this.#feed(token)
      return this.#depth === this.#recordDepth ? this.#finish() : null
    }
    // Behind the list, the rest of its envelope holds no records.
    this.#recordDepth = this.#depth === 0 ? 0 : Number.POSITIVE_INFINITY
    return null
  }

  #takeValue(token: Token): SourceItem | null {
    if (this.#depth > this.#recordDepth) {
      this.#feed(token)
      return null
    }
    if (this.#depth === this.#recordDepth) {
      this.count += 1
      return { place: `record ${this.count}`, reason: 'is not a JSON object' }
    }
    return null
  }

  #fits(): boolean {
    return this.#size <= mostRecordBytes
  }

  #feed(token: Token): void {
    this.#size += 1
    if (this.#fits() && this.#depth >= this.#recordDepth) {
      this.#assembler.consume(token)
    }
  }

  #finish(): SourceItem {
    this.count += 1
    const place = `record ${this.count}`
    if (!this.#fits()) {
      this.#assembler = new Assembler()
      return { place, reason: `is longer than the ${mostRecordBytes} bytes that a record may have` }
    }
    const record = this.#assembler.current
    return isRecord(record) ? { place, record, sizeBytes: this.#size } : { place, reason: 'is not a JSON object' }
  }
}
