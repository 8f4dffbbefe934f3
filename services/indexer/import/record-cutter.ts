import { comparableName } from '../../../shared/records/field-names.js'
import { maxNesting } from '../../../shared/records/fields.js'
import type { RecordType } from '../../../shared/records/records.js'
import { AnswerPages, isPager, saysIncomplete } from './answer-pages.js'
import { isListOfAnswer, listsOfAnyType, membersOf, wrappers } from './envelopes.js'
import { HeldAnswer, membersBefore } from './held-answer.js'
import { type JsonListener, JsonScanner, unescaped } from './json-scanner.js'
import { answerWithin, recordsIn } from './listed-skills.js'
import { mapRecord, parseRecord } from './map-record.js'
import { isRecord, maxRecordBytes, type SourceItem, UnreadableSource } from './source.js'
import { TableRows } from './table-rows.js'

/** What a record may be in: lists, and answers with their list. */
type Container = 'list' | 'envelope'

/** The maximum number of objects in an answer around the object with the list of records. */
const maxWrappers = 4

/** The lists around the records of an answer, and of a list of answers. */
const maxLists = 2

/**
 * Extracts the records of JSON text: the objects of a list, also of several lists, or of the list in an answer of a
 * service, or in several answers. Keeps no more of a record than the maximum size and depth.
 */
export class RecordCutter implements JsonListener {
  readonly #scanner = new JsonScanner(this, maxNesting + maxWrappers + maxLists + 1)
  /** The records that were found, with the objects that are open around them. */
  readonly #answer: HeldAnswer
  #count = 0
  /** What is open around the present object: it may be a record when it begins in a list, or in nothing. */
  readonly #containers: Container[] = []
  /** The number of objects within the present one that may have the list of its answer. */
  #wrappers = 0
  /** Whether the present object has a name that only records have. */
  #isRecord = false
  #hasName = false
  #text = ''
  /** The position in `#text` where the present object begins; null between objects. */
  #start: number | null = null
  /** The depth of the present object. */
  #depth = 0
  /** The parts of the present object in earlier texts. */
  #parts: string[] = []
  #sizeBytes = 0
  #isTooDeep = false
  #rows: TableRows
  /** The name of a list that is read for its first object only: it may have records that are not read. */
  #otherList: string | null = null
  #unread: string | null = null
  #hasList = false
  /** The number of objects about pages that are open in the present answer: `meta.pagination`. */
  #pagers = 0

  /** @param pages notes what answers say about further pages */
  constructor(
    private readonly type: RecordType,
    private readonly pages = new AnswerPages(),
  ) {
    this.#answer = new HeldAnswer(type)
    this.#rows = new TableRows(type)
  }

  /** Whether a list of records has begun, and not only single ones. */
  get hasList(): boolean {
    return this.#hasList
  }

  /** Why an answer does not have all of its records in the lists that are read; null: it does not say so. */
  get unread(): UnreadableSource | null {
    const unread = this.#unread ?? this.#answer.unread
    return unread === null ? null : new UnreadableSource(unread)
  }

  begin(position: number, isList: boolean, depth: number, key: string): void {
    const level = this.#containers.length
    const name = comparableName(key)
    if (!isList && this.#start === null && this.#isOfAnswer(depth)) {
      this.pages.note(key, {})
      this.#pagers += isPager(key) ? 1 : 0
    }
    if (this.#start !== null) {
      this.#beginMember(position, isList, depth, name)
    } else if (depth === level && this.#containers.at(-1) === 'envelope') {
      this.#beginInEnvelope(isList, name, key)
    } else if (depth === level + 1 && this.#otherList !== null && !isList) {
      this.#beginObject(position, depth)
    } else if (depth === level && isList && level < maxLists && this.#containers.every((kind) => kind === 'list')) {
      this.#beginList()
    } else if (depth === level) {
      this.#beginObject(position, depth, isList)
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
    let isBroken = true
    try {
      if (text === null) {
        this.#scanner.end()
      } else {
        this.#scanner.scan(text)
      }
      isBroken = false
    } finally {
      yield* this.#answer.take(isBroken)
    }
    if (this.#start !== null) {
      this.#keep(this.#text.slice(this.#start))
      this.#start = 0
    }
    this.#answer.endText(this.#text)
  }

  end(position: number, depth: number): void {
    if (this.#start !== null && depth === this.#depth) {
      this.#keep(this.#text.slice(this.#start, position))
      this.#start = null
      this.#finish()
    } else if (this.#start !== null) {
      this.#wrappers = Math.min(this.#wrappers, Math.max(0, depth - this.#depth - 1))
    } else if (depth >= this.#containers.length) {
      this.#otherList = depth === this.#containers.length ? null : this.#otherList
      this.#pagers = Math.min(this.#pagers, depth - this.#containers.length)
    } else if (depth === this.#containers.length - 1) {
      if (this.#containers.pop() === 'list') {
        this.#answer.endList(position)
      } else {
        this.#answer.close(this.#text, position)
      }
    }
  }

  scalar(depth: number, key: string, value: unknown): void {
    if (this.#start !== null) {
      this.#noteName(depth, comparableName(key))
    } else if (this.#isOfAnswer(depth)) {
      this.pages.note(key, value)
      this.#noteIncomplete(key, value)
      if (depth === this.#containers.length) {
        this.#answer.note(key, value)
      }
    } else if (depth === this.#containers.length && (this.#containers.at(-1) ?? 'list') === 'list') {
      this.#addText(value)
    }
  }

  tooDeep(): void {
    this.#isTooDeep = true
  }

  #beginList(...envelopes: Container[]): void {
    this.#containers.push(...envelopes, 'list')
    this.#rows = new TableRows(this.type)
    this.#hasList = true
  }

  #beginObject(position: number, depth: number, isList = false): void {
    this.#start = position
    this.#depth = depth
    this.#parts = []
    this.#sizeBytes = this.#wrappers = 0
    this.#isTooDeep = this.#hasName = false
    this.#isRecord = isList || this.#otherList !== null || this.#containers.includes('envelope')
  }

  /** In the present object: an answer ends to be a record where the list of its records begins. */
  #beginMember(position: number, isList: boolean, depth: number, name: string): void {
    this.#noteName(depth, name)
    if (this.#isRecord || depth !== this.#depth + 1 + this.#wrappers) {
      return
    }
    if (!isList && (this.#wrappers > 0 || wrappers.has(name)) && this.#wrappers < maxWrappers) {
      this.#wrappers += 1
    } else if (isList && isListOfAnswer(this.type, name, this.#hasName)) {
      this.pages.begin()
      this.#noteMembersBefore(this.#text.slice(this.#start ?? 0, position), name)
      this.#beginList(...Array<Container>(this.#wrappers + 1).fill('envelope'))
      this.#start = null
      this.#parts = []
    }
  }

  /** After a list of an answer: another one, in it or in an object around it. */
  #beginInEnvelope(isList: boolean, name: string, key: string): void {
    const isWithin = this.#containers.filter((kind) => kind === 'envelope').length > 1
    if (isList && membersOf[this.type].lists.has(name)) {
      this.#beginList()
    } else if (!isList && (isWithin || wrappers.has(name)) && this.#containers.length < maxWrappers + maxLists) {
      this.#containers.push('envelope')
      this.#answer.open([{}])
    } else if (isList && !listsOfAnyType.has(name)) {
      this.#otherList = key
    }
  }

  /** Whether this is the depth of the members of an answer whose list was found, or of its objects about pages. */
  #isOfAnswer(depth: number): boolean {
    const level = this.#containers.length
    return this.#containers.at(-1) === 'envelope' && depth >= level && depth <= level + this.#pagers
  }

  #noteName(depth: number, name: string): void {
    const isOwn = depth > this.#depth && depth <= this.#depth + 1 + this.#wrappers
    this.#hasName ||= isOwn && name === 'name'
    this.#isRecord ||= isOwn && membersOf[this.type].identities.has(name)
  }

  /** Notes what an answer says before the list that is read, which has this name. */
  #noteMembersBefore(text: string, list: string): void {
    const levels = membersBefore(`${this.#parts.join('')}${text}`, this.#wrappers)
    const [members = {}] = levels
    this.#answer.open(levels, this.type === 'skills' && list === 'skills')
    for (const level of levels) {
      this.pages.noteAll(level)
    }
    for (const [name, value] of Object.entries(members)) {
      const first: unknown = Array.isArray(value) && !listsOfAnyType.has(comparableName(name)) ? value[0] : null
      this.#noteOther(name, first)
      this.#noteIncomplete(name, value)
    }
  }

  #noteIncomplete(name: string, value: unknown): void {
    if (saysIncomplete(name, value)) {
      this.#unread ??= `says ${JSON.stringify(name)}: the search that it answers ended early. Repeat it, or divide it`
    }
  }

  #noteOther(name: string, first: unknown): void {
    if (isRecord(first) && mapRecord(this.type, first).id !== null) {
      this.#unread ??= `has another list of records, ${JSON.stringify(name)}, which was not read: import it by itself`
    }
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
    if (this.#otherList !== null) {
      const parsed = this.#sizeBytes > maxRecordBytes || this.#isTooDeep ? null : parseRecord(this.#parts.join(''))
      this.#noteOther(this.#otherList, parsed !== null && 'record' in parsed ? parsed.record : null)
      this.#otherList = null
    } else if (this.#sizeBytes > maxRecordBytes) {
      this.#add({ reason: `is longer than the ${maxRecordBytes} bytes that a record may have` })
    } else if (this.#isTooDeep) {
      this.#add({ reason: `is nested deeper than ${maxNesting} levels` })
    } else {
      this.#addAll(this.#rows.parse(this.#parts.join('')))
    }
  }

  /** A record, or in its place those that it has within. */
  #addAll(parsed: ReturnType<TableRows['parse']>): void {
    const record = parsed !== null && 'record' in parsed ? parsed.record : null
    const own = record && recordsIn(this.type, record)
    const answered = record && own === null ? answerWithin(this.type, record) : null
    if (answered !== null) {
      this.pages.noteAll(record ?? {})
    }
    const listed = own ?? answered
    if (listed !== null) {
      this.#sizeBytes = Math.ceil(this.#sizeBytes / Math.max(1, listed.length))
      for (const record of listed) {
        this.#add(record === null ? { reason: 'is not a JSON object' } : { record })
      }
    } else if (parsed !== null) {
      this.#add(parsed, record)
    }
  }

  /** An item of a list that is no object: perhaps the name of a skill in a repository. */
  #addText(value: unknown): void {
    this.#sizeBytes = 0
    const isText = typeof value === 'string'
    const noRecord = parseRecord(this.#containers.at(-2) === 'list' ? '[]' : isText ? '""' : '0')
    this.#add(noRecord, isText ? unescaped(value) : null)
  }

  /** @param given what it is in its list, of an item that may be a skill of a repository */
  #add(parsed: ReturnType<typeof parseRecord>, given: unknown = null): void {
    this.#count += 1
    const place = `record ${this.#count}`
    const item = 'reason' in parsed ? { place, ...parsed } : { place, ...parsed, sizeBytes: this.#sizeBytes }
    this.#answer.add(item, given)
  }
}
