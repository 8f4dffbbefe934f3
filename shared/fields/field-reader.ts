import { holdsAddress, removeAddresses, removeCredentials } from '../privacy/personal-addresses.js'
import { maxCharacters, maxTopics } from '../records/fields.js'
import { cleanLine, cleanText, inText, unwrap } from '../text/clean-text.js'
import { parseTime } from '../text/parse-time.js'
import { splitTopics } from '../text/split-list.js'
import {
  countIn,
  type FieldValues,
  flagIn,
  isEmptyList,
  isNoValue,
  isZeroTime,
  licenceIn,
  listIn,
  textIn,
  topicIn,
  unwrapped,
} from './field-values.js'
import { toRepositoryAddress, toWebAddress } from './web-address.js'

/**
 * The number of characters of a text that are read, more than any public text has. A regular expression may need memory for
 * each character, and fails where it gets no more.
 */
const maxRead = 1_000_000

/**
 * Reads the fields of one record. An absent or blank value is null, and so is one that its field cannot have: it is
 * dropped, and the record is accepted without it unless its schema requires the field.
 */
export class FieldReader<Field extends string> {
  /** Why the record cannot be accepted, each with the name of the value. */
  readonly problems: string[] = []
  /** The fields with a value that they cannot have, and why. */
  readonly refused = new Map<string, string>()
  /** What was left out of the record and why, each with the name of the value. */
  readonly dropped: string[] = []

  /** @param given finds all values of a field, best first */
  constructor(readonly given: FieldValues<Field>) {}

  /** The values of `given`, without their names. */
  all(field: Field): unknown[] {
    return this.given(field).map(({ value }) => value)
  }

  /** The value of a field as it is; undefined for none. */
  first(field: Field): unknown {
    return this.given(field)[0]?.value
  }

  /** The first value that is no word for "none". */
  known(field: Field): unknown {
    return this.given(field).find(({ value }) => !isNoValue(value))?.value
  }

  /** The first of these members of the first object among the values of a field. */
  member(field: Field, names: string[]): unknown {
    const object = this.all(field).find((value) => typeof value === 'object')
    return unwrap(object, names)
  }

  /** Text on one line, in which any word may be meant: a name. */
  line(field: Field): string | null {
    return this.#line(field, this.first(field))
  }

  /** `line` of a field in which a word for "none", such as `n/a`, is no value. */
  term(field: Field): string | null {
    return this.#line(field, this.known(field))
  }

  /** `line` for the public: without e-mail addresses; a list with one entry counts as that entry. */
  publicLine(field: Field, maxCharacters: number): string | null {
    const given = this.first(field)
    const line = Array.isArray(given) && given.length === 1 ? given[0] : given
    return this.#shown(field, this.#line(field, line), maxCharacters)
  }

  /** `term` without e-mail addresses. */
  publicTerm(field: Field, maxCharacters: number): string | null {
    return this.#shown(field, this.term(field), maxCharacters)
  }

  /** `publicTerm` of a text that may have several lines. */
  text(field: Field, maxCharacters: number): string | null {
    const value = this.#text(field, textIn(this.known(field)))
    return this.#shown(field, value === null ? null : cleanText(value), maxCharacters)
  }

  /** `text` that is not cut: with more than `maxCharacters` it is returned as it is, for the schema to reject. */
  wholeText(field: Field, maxCharacters: number): string | null {
    const value = this.#text(field, this.first(field))
    if (value === null || value.length > maxCharacters) {
      return value
    }
    const text = cleanText(value)
    return text === null ? null : removeAddresses(text)
  }

  /**
   * A whole number that counts something, also as text: `1,234`, `12.0`, `1e3`, `1.2k`.
   *
   * @param members of an object with several numbers: the one that is meant. One without it has no value.
   */
  count(field: Field, members?: string[]): number | null {
    const value = unwrapped(this.known(field), members ?? ['totalCount', 'total'])
    if (value === undefined || (members !== undefined && typeof value === 'object')) {
      return null
    }
    const count = typeof value === 'string' ? countIn(value) : value
    if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) {
      // Not -0, which is not the same in JSON.
      return count === 0 ? 0 : count
    }
    return this.#refuse(field, value, 'must be a whole number, 0 or more')
  }

  /** True or false; false for no value, null for one that is neither. */
  flag(field: Field): boolean | null {
    const value = this.known(field) ?? false
    return flagIn(value) ?? this.#refuse(field, value, 'must be true or false')
  }

  /** A point in time, ISO-8601 UTC with milliseconds. */
  time(field: Field): string | null {
    const value = this.known(field)
    // A field may be a flag in some inputs and a time in others: `published`.
    if (value === undefined || isZeroTime(value) || flagIn(value) !== null) {
      return null
    }
    const isTime = typeof value === 'string' || typeof value === 'number' || value instanceof Date
    const time = isTime ? parseTime(value) : null
    return time ?? this.#refuse(field, value, 'must be a time: ISO 8601, a date, or epoch seconds or milliseconds')
  }

  /** A web address. A value that is none, or contains an e-mail address, is dropped. */
  address(field: Field): string | null {
    const text = this.term(field)
    return text === null ? null : this.publicAddress(field, toWebAddress(text))
  }

  /**
   * A web address as it may be published. Dropped are one that contains an e-mail address, and the value of the field
   * where it is no address.
   *
   * @param address the value of the field as an address; null when it is none
   */
  publicAddress(field: Field, address: string | null): string | null {
    if (address !== null && !holdsAddress(address)) {
      return address
    }
    const rule = address === null ? 'must be an http or https address' : 'must not hold an e-mail address'
    this.drop(`${this.#nameOf(field)}: ${rule}, not ${brief(this.known(field))}`)
    return null
  }

  /** The first value of this field that is a web address, in the form of a repository's. */
  repositoryAddress(field: Field): string | null {
    for (const value of this.all(field)) {
      const text = unwrap(value, ['url', 'htmlUrl', 'html_url', 'repository', 'github'])
      const address = typeof text === 'string' ? toRepositoryAddress(cleanLine(text) ?? '') : null
      if (address !== null) {
        return address
      }
    }
    return null
  }

  /** A licence: its SPDX identifier where there is one. */
  license(field: Field): string | null {
    const name = this.#text(field, licenceIn(this.known(field)))
    const license = name === null ? null : cleanLine(name)
    // GitHub's words for a licence that it could not recognise say nothing.
    return license === null || isNoValue(license) || /^(?:noassertion|other)$/i.test(license)
      ? null
      : this.#shown(field, license, maxCharacters.license)
  }

  /** Topics: from a list, or from text separated by `,`, `|` or `;`. Lower case, each once; none is an e-mail address. */
  topics(field: Field): string[] {
    const value =
      this.all(field)
        .map(listIn)
        .find((given) => !isEmptyList(given)) ?? []
    const items = typeof value === 'string' ? splitTopics(value.slice(0, maxRead)) : value
    if (!Array.isArray(items)) {
      this.#refuse(field, value, 'must be a list of words, or words separated by commas')
      return []
    }
    const topics = new Set<string>()
    let droppedItems = 0
    for (const item of items) {
      const topic = this.#topic(field, item)
      if (topic === null || topics.has(topic)) {
        continue
      }
      if (topic.length <= maxCharacters.topic && topics.size < maxTopics && !holdsAddress(topic)) {
        topics.add(topic)
      } else {
        droppedItems += 1
      }
    }
    if (droppedItems > 0) {
      const rule = `at most ${maxTopics} are kept, of at most ${maxCharacters.topic} characters, and no e-mail address`
      this.drop(`${this.#nameOf(field)}: ${droppedItems} of the list: ${rule}`)
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

  #line(field: Field, given: unknown): string | null {
    const text = this.#text(field, unwrapped(given, lineMembers))
    return text === null ? null : cleanLine(text)
  }

  #topic(field: Field, item: unknown): string | null {
    const value = topicIn(item)
    const text = value === null ? null : this.#text(field, value)
    return text === null
      ? null
      : (cleanLine(text)
          ?.toLowerCase()
          .replace(/^#+ *(?=[^# ])/, '') ?? null)
  }

  /** The name under which the input has the value of this field. */
  #nameOf(field: Field): string {
    const given = this.given(field)
    return (given.find(({ value }) => !isNoValue(value)) ?? given[0])?.name ?? field
  }

  #text(field: Field, value: unknown): string | null {
    if (value === undefined || typeof value === 'string') {
      return value?.slice(0, maxRead) ?? null
    }
    // Versions and names of digits alone come as numbers from programs that guess types.
    return typeof value === 'number' ? String(value) : this.#refuse(field, value, 'must be text')
  }

  #refuse(field: Field, value: unknown, rule: string): null {
    const message = `${this.#nameOf(field)}: ${rule}, not ${brief(value)}`
    if (!this.refused.has(field)) {
      this.refused.set(field, message)
      this.drop(message)
    }
    return null
  }
}

/** Members of an object that stand for it in one line: of a user, a version, a language. */
const lineMembers = ['login', 'handle', 'username', 'version', 'tagName', 'tag_name', 'name']

/** The beginning of a value of any kind, for a message: without credentials, since messages are logged. */
export function brief(value: unknown): string {
  // A number beyond the largest one, such as 1e400, has no JSON.
  const json = typeof value === 'number' ? String(value) : JSON.stringify(value)
  const text = removeCredentials(json ?? inText(value))
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
