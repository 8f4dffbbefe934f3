import { type JsonListener, JsonScanner } from './json-scanner.js'
import { parseRecord } from './parse-record.js'
import { maxNesting, maxRecordBytes, type SourceItem } from './source.js'

/** Members of an outermost object that hold the records, as in exports and search responses. */
const listNames = new Set(['data', 'items', 'results', 'records'])

/** The objects and lists that a record may be in: an envelope and its list. */
const maxDepthOfRecords = 2

/** Extracts the records of JSON text. Keeps no more of a record than the maximum size and depth. */
export class RecordCutter implements JsonListener {
  readonly #scanner = new JsonScanner(this, maxNesting + maxDepthOfRecords)
  #items: SourceItem[] = []
  #count = 0
  /** The number of objects and lists around a record. */
  #recordDepth = 0
  #text = ''
  /** The position in `#text` where the record begins; null between records. */
  #start: number | null = null
  /** The parts of the record in earlier texts. */
  #parts: string[] = []
  #sizeBytes = 0
  #isTooDeep = false

  begin(position: number, isList: boolean, depth: number, key: string): void {
    if (depth === 0) {
      this.#recordDepth = isList ? 1 : 0
    } else if (isList && depth === 1 && this.#recordDepth === 0 && listNames.has(key)) {
      // The outermost object is an envelope: the records are in this list.
      this.#recordDepth = 2
    }
    if (depth === this.#recordDepth) {
      this.#start = position
      this.#parts = []
      this.#sizeBytes = 0
      this.#isTooDeep = false
    }
  }

  /**
   * Scans the next text, and yields the records that end in it.
   *
   * @param text null: the end
   * @throws UnreadableSource where the text is not JSON, after the records before that
   */
  *take(text: string | null): Generator<SourceItem> {
    this.#text = text ?? ''
    try {
      if (text === null) {
        this.#scanner.end()
      } else {
        this.#scanner.scan(text)
      }
    } finally {
      yield* this.#items.splice(0)
    }
    if (this.#start !== null) {
      this.#keep(this.#text.slice(this.#start))
      this.#start = 0
    }
  }

  end(position: number, depth: number): void {
    if (depth === this.#recordDepth) {
      this.#keep(this.#text.slice(this.#start ?? 0, position))
      this.#start = null
      this.#finish()
    } else if (depth < this.#recordDepth) {
      // After the list, the rest of its envelope holds no records.
      this.#recordDepth = depth === 0 ? 0 : Number.POSITIVE_INFINITY
    }
  }

  scalar(depth: number): void {
    if (depth === this.#recordDepth) {
      this.#add({ reason: 'is not a JSON object' })
    }
  }

  tooDeep(): void {
    this.#isTooDeep = true
  }

  #keep(text: string): void {
    this.#sizeBytes += Buffer.byteLength(text)
    if (this.#sizeBytes > maxRecordBytes) {
      this.#parts = []
    } else {
      this.#parts.push(text)
    }
  }

  #finish(): void {
    if (this.#sizeBytes > maxRecordBytes) {
      this.#add({ reason: `is longer than the ${maxRecordBytes} bytes that a record may have` })
    } else if (this.#isTooDeep) {
      this.#add({ reason: `is nested deeper than ${maxNesting} levels` })
    } else {
      this.#add(parseRecord(this.#parts.join('')))
    }
  }

  #add(parsed: ReturnType<typeof parseRecord>): void {
    this.#count += 1
    const place = `record ${this.#count}`
    this.#items.push('reason' in parsed ? { place, ...parsed } : { place, ...parsed, sizeBytes: this.#sizeBytes })
  }
}
