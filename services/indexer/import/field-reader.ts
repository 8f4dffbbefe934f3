import { longestLine, longestTopic, mostTopics } from '../../../shared/records/fields.js'
import { cleanLine, cleanText } from '../../../shared/text/clean-text.js'
import { inText } from '../../../shared/text/in-text.js'
import { parseTime } from '../../../shared/text/parse-time.js'
import { holdsAddress, removeAddresses } from '../../../shared/text/personal-addresses.js'
import { toPublicAddress } from '../../../shared/text/public-address.js'
import { splitList } from '../../../shared/text/split-list.js'
import { unwrap } from '../../../shared/text/unwrap.js'
import { comparableName } from './field-names.js'
import { toRepositoryAddress, toWebAddress } from './web-address.js'

const yes = new Set(['true', 'yes', 'y', '1'])
const no = new Set(['false', 'no', 'n', '0'])

/** A value of a source's record, under the name that the source gives it. */
export interface GivenValue {
  name: string
  value: unknown
}

/**
 * Reads fields of ours out of a source's record. A value that cannot be what its field needs is noted in `problems`, so
 * that a record is rejected with everything that is wrong with it, or in `dropped` where the record is worth having
 * without it; a value that is absent or blank is null.
 */
export class FieldReader<Field extends string> {
  /** What is wrong with the record, each with the name of the value. */
  readonly problems: string[] = []
  /** The fields that have a value, which is one of the problems. */
  readonly refused = new Set<string>()
  /** What was left out of the record and why, each with the name of the value. */
  readonly dropped: string[] = []
  readonly #values = new Map<string, GivenValue>()
  readonly #names: Record<Field, readonly string[]>

  /** @param names the comparable names under which each field is looked for, best first */
  constructor(record: Record<string, unknown>, names: Record<Field, readonly string[]>) {
    this.#names = names
    for (const [name, value] of Object.entries(record)) {
      if (value !== null && value !== undefined && !(typeof value === 'string' && value.trim() === '')) {
        this.#values.set(comparableName(name), { name, value })
      }
    }
  }

  /** Everything that the record holds for this field, best first. */
  given(field: Field): GivenValue[] {
    return this.#names[field].map((name) => this.#values.get(name)).filter((value) => value !== undefined)
  }

  /** As `given`, without the names. */
  all(field: Field): unknown[] {
    return this.given(field).map(({ value }) => value)
  }

  /** What the record holds for this field, as it is; undefined for nothing. */
  first(field: Field): unknown {
    return this.#firstGiven(field)?.value
  }

  /** Text on one line. */
  line(field: Field): string | null {
    const text = this.#text(field, unwrap(this.first(field), ['login', 'name']))
    return text === null ? null : cleanLine(text)
  }

  /** As `line`, for the public: without e-mail addresses. */
  publicLine(field: Field, maxCharacters: number): string | null {
    return this.#shown(field, this.line(field), maxCharacters)
  }

  /** As `publicLine`, of text that may have several lines. */
  text(field: Field, maxCharacters: number): string | null {
    const value = this.#text(field, this.first(field))
    return this.#shown(field, value === null ? null : cleanText(value), maxCharacters)
  }

  /** As `text`, of text that is never cut. With more than `maxCharacters` it is returned as it is, for the schema to reject. */
  wholeText(field: Field, maxCharacters: number): string | null {
    const value = this.#text(field, this.first(field))
    if (value === null || value.length > maxCharacters) {
      return value
    }
    const text = cleanText(value)
    return text === null ? null : removeAddresses(text)
  }

  /** A whole number that counts something. */
  count(field: Field): number | null {
    const value = unwrap(this.first(field), ['totalCount', 'total'])
    if (value === undefined) {
      return null
    }
    const count = typeof value === 'string' && /^\s*\d{1,16}\s*$/.test(value) ? Number(value) : value
    if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) {
      return count
    }
    return this.#refuse(field, value, 'must be a whole number, 0 or more')
  }

  /** True or false; false when the record does not say. */
  flag(field: Field): boolean {
    const value = this.first(field)
    const word = inText(value ?? 'false')
      .trim()
      .toLowerCase()
    if (typeof value !== 'object' && (yes.has(word) || no.has(word))) {
      return yes.has(word)
    }
    this.#refuse(field, value, 'must be true or false')
    return false
  }

  /** A point in time, ISO-8601 UTC with milliseconds. */
  time(field: Field): string | null {
    const value = this.first(field)
    if (value === undefined) {
      return null
    }
    const time = typeof value === 'string' || typeof value === 'number' ? parseTime(value) : null
    return time ?? this.#refuse(field, value, 'must be a time: ISO-8601, a date, or epoch seconds or milliseconds')
  }

  /** A web address. What is none, or holds an e-mail address, is dropped. */
  address(field: Field): string | null {
    const text = this.line(field)
    return text === null ? null : this.publicAddress(field, toWebAddress(text))
  }

  /** This address that the record holds for this field, or null for a value that is none, as it may be published. */
  publicAddress(field: Field, address: string | null): string | null {
    const shown = toPublicAddress(address)
    if (shown === null) {
      const rule = address === null ? 'must be an http or https address' : 'must not hold an e-mail address'
      this.drop(`${this.#nameOf(field)}: ${rule}, not ${brief(this.first(field))}`)
    }
    return shown
  }

  /** The first web address of a repository among all that the record holds for this field. */
  repositoryAddress(field: Field): string | null {
    for (const value of this.all(field)) {
      const text = unwrap(value, ['url', 'htmlUrl'])
      const address = typeof text === 'string' ? toRepositoryAddress(cleanLine(text) ?? '') : null
      if (address !== null) {
        return address
      }
    }
    return null
  }

  /** A licence: its SPDX identifier where the source knows one. */
  license(field: Field): string | null {
    const told = this.first(field)
    const name = this.#text(field, unwrap(told, ['spdx_id', 'spdxId', 'key', 'name', 'type']))
    const license = name === null ? null : cleanLine(name)
    // GitHub's word for a licence that it could not recognise says nothing.
    return license === null || /^(noassertion|none|null)$/i.test(license)
      ? null
      : this.#shown(field, license, longestLine)
  }

  /** Topics: from a list, or from text separated by `,`, `|` or `;`. Lower case, each once; none is an e-mail address. */
  topics(field: Field): string[] {
    const value = this.all(field).find((told) => !(Array.isArray(told) && told.length === 0)) ?? []
    const told = typeof value === 'string' ? splitList(value) : value
    if (!Array.isArray(told)) {
      this.#refuse(field, value, 'must be a list of words, or words separated by commas')
      return []
    }
    const topics = new Set<string>()
    let left = 0
    for (const item of told) {
      const topic = cleanLine(this.#text(field, unwrap(item, ['name'])) ?? '')
        ?.toLowerCase()
        .replace(/^#(?=.)/, '')
      if (topic === undefined || topics.has(topic)) {
        continue
      }
      if (topic.length <= longestTopic && topics.size < mostTopics && !holdsAddress(topic)) {
        topics.add(topic)
      } else {
        left += 1
      }
    }
    if (left > 0) {
      const rule = `at most ${mostTopics} are kept, of at most ${longestTopic} characters, and no e-mail address`
      this.drop(`${this.#nameOf(field)}: ${left} of the list: ${rule}`)
    }
    return [...topics]
  }

  /** Notes what is wrong with the record as a whole, or with a value. */
  problem(...messages: string[]): null {
    this.problems.push(...messages)
    return null
  }

  /** Notes that a value, or a part of it, is left out. */
  drop(...messages: string[]): void {
    this.dropped.push(...messages)
  }

  /** Text for the public: without e-mail addresses, and cut where it is too long. */
  #shown(field: Field, text: string | null, maxCharacters: number): string | null {
    if (text !== null && text.length > maxCharacters) {
      this.drop(`${this.#nameOf(field)}: all after ${maxCharacters} of its ${text.length} characters`)
    }
    return text === null ? null : removeAddresses(text, maxCharacters)
  }

  #firstGiven(field: Field): GivenValue | undefined {
    for (const name of this.#names[field]) {
      const given = this.#values.get(name)
      if (given !== undefined) {
        return given
      }
    }
    return undefined
  }

  /** The name under which the source has what is read for this field. */
  #nameOf(field: Field): string {
    return this.#firstGiven(field)?.name ?? field
  }

  #text(field: Field, value: unknown): string | null {
    if (value === undefined || typeof value === 'string') {
      return value ?? null
    }
    // Versions and names that are all digits come as numbers from sources that guess types.
    return typeof value === 'number' ? String(value) : this.#refuse(field, value, 'must be text')
  }

  #refuse(field: Field, value: unknown, rule: string): null {
    this.refused.add(field)
    return this.problem(`${this.#nameOf(field)}: ${rule}, not ${brief(value)}`)
  }
}

/** The beginning of a value of any kind, for a message. */
export function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? inText(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
