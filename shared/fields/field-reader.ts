import { holdsAddress, removeAddresses, removeCredentials } from '../privacy/personal-addresses.js'
import { memberOf, unwrap } from '../records/field-names.js'
import { maxCharacters, maxTopics } from '../records/fields.js'
import { cleanLine, cleanText, inText } from '../text/clean-text.js'
import { parseTime } from '../text/parse-time.js'
import { licenceName, licenceTitle } from '../text/values-in-text.js'
import {
  cleaned,
  countOf,
  type FieldValues,
  flagIn,
  type GivenValue,
  isNoName,
  isNoValue,
  isZeroTime,
  itemsIn,
  licenceIn,
  lineIn,
  stringIn,
  topicIn,
  unwrapped,
} from './field-values.js'
import { repositoryOf, toRepositoryAddress, toWebAddress, withQuotesEncoded } from './web-address.js'

/** Members of an object of links, the last ones of PyPI, with the address of a repository. */
const ofRepository = ['url', 'htmlUrl', 'repository', 'github', 'html', 'source', 'sourceCode', 'code']

/**
 * Reads the fields of one record. A value that its field cannot have is dropped, and the next one of the field is read. A
 * field without a value is null, and the record is accepted unless its schema requires the field.
 */
export class FieldReader<Field extends string> {
  /** Why the record cannot be accepted, each with the name of the value. */
  readonly problems: string[] = []
  /** The fields with a value that they cannot have, and why. */
  readonly refused = new Map<string, string>()
  /** What was left out of the record and why, each with the name of the value. */
  readonly dropped: string[] = []
  /** The names of the values that were read. */
  readonly #names = new Map<string, string>()

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

  /** Text on one line, in which any word may be meant: a part of an identity. */
  line(field: Field): string | null {
    return this.#firstOf(field, 'must be text', lineIn, 'any word')
  }

  /** `line` of a field in which a word for "none", such as `n/a`, is no value. */
  term(field: Field): string | null {
    return this.#firstOf(field, 'must be text', lineIn)
  }

  /** A name for the public, see `isNoName`: without e-mail addresses; a list with one entry counts as that entry. */
  publicLine(field: Field, maxCharacters: number): string | null {
    const read = (value: unknown) =>
      isNoName(value) ? null : lineIn(Array.isArray(value) && value.length === 1 ? value[0] : value)
    return this.#shown(field, this.#firstOf(field, 'must be text', read, 'any word'), maxCharacters)
  }

  /** `term` without e-mail addresses. */
  publicTerm(field: Field, maxCharacters: number): string | null {
    return this.#shown(field, this.term(field), maxCharacters)
  }

  /** `publicTerm` of a text that may have several lines. */
  text(field: Field, maxCharacters: number): string | null {
    const read = (value: unknown) => cleaned(stringIn(textIn(value)), cleanText)
    return this.#shown(field, this.#firstOf(field, 'must be text', read), maxCharacters)
  }

  /** `text` that is not cut: with more than `maxCharacters` it is returned as it is, for the schema to reject. */
  wholeText(field: Field, maxCharacters: number): string | null {
    const value = this.#firstOf(field, 'must be text', stringIn, 'any word')
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
    return this.#firstOf(field, 'must be a whole number, 0 or more', (given) => {
      const value = unwrapped(given, members ?? ['totalCount', 'total'])
      if (value === undefined || (members !== undefined && (typeof given !== 'object' || typeof value === 'object'))) {
        return null
      }
      return countOf(value)
    })
  }

  /** True or false; false for no value, null for one that is neither. */
  flag(field: Field): boolean | null {
    const value = this.known(field) ?? false
    return flagIn(value) ?? this.#refuse(field, { name: this.#nameOf(field), value }, 'must be true or false')
  }

  /** A point in time, ISO-8601 UTC with milliseconds. */
  time(field: Field): string | null {
    const rule = 'must be a time: ISO 8601, a date, or epoch seconds or milliseconds'
    return this.#firstOf(field, rule, (given) => {
      const value = unwrapped(given, ['value', 'iso', 'date'])
      // A field may be a flag in some inputs and a time in others: `published`.
      if (isZeroTime(value) || flagIn(value) !== null) {
        return null
      }
      const isTime = typeof value === 'string' || typeof value === 'number' || value instanceof Date
      return (isTime ? parseTime(value) : null) ?? undefined
    })
  }

  /**
   * A web address, without an e-mail address in it.
   *
   * @param members of an object that has one: no other value is one
   */
  address(field: Field, members?: string[]): string | null {
    const address = this.#firstOf(field, 'must be an http or https address', (value) => {
      const given = members === undefined ? unwrapped(value, ['url', 'href']) : memberOf(Object(value), members)
      const text = lineIn(given)
      return typeof text === 'string' ? (toWebAddress(withQuotesEncoded(text)) ?? undefined) : text
    })
    return address === null ? null : this.publicAddress(field, address)
  }

  /** The address that was read from this field, unless there is an e-mail address in it. */
  publicAddress(field: Field, address: string): string | null {
    if (!holdsAddress(address)) {
      return address
    }
    this.drop(`${this.#nameOf(field)}: must not hold an e-mail address, not ${brief(address)}`)
    return null
  }

  /** The first address of a repository at a known forge, else the first web address, in the form of a repository's. */
  repositoryAddress(field: Field): string | null {
    const addresses = this.all(field).flatMap((value) => {
      const text = unwrap(unwrap(value, ofRepository), ['href'])
      return (typeof text === 'string' ? toRepositoryAddress(cleanLine(text) ?? '') : null) ?? []
    })
    return addresses.find((address) => repositoryOf(address) !== null) ?? addresses[0] ?? null
  }

  /**
   * A licence: its SPDX identifier where there is one.
   *
   * @param members of an object that has one, such as a version: no other value is one
   */
  license(field: Field, members?: string[]): string | null {
    const license = this.#firstOf(field, 'must be text', (given) => {
      const value = members === undefined ? given : memberOf(Object(given), members)
      const name = cleaned(stringIn(licenceIn(value)), (text) => cleanLine(licenceTitle(text)))
      // GitHub's words for a licence that it could not recognise say nothing, nor does an author's.
      return name && (isNoValue(name) || /^(?:noassertion|other|unknown)$/i.test(name) ? null : licenceName(name))
    })
    return this.#shown(field, license, maxCharacters.license)
  }

  /** Topics: from a list, or from text separated by `,`, `|` or `;`. Lower case, each once; none is an e-mail address. */
  topics(field: Field): string[] {
    const rule = 'must be a list of words, or words separated by commas'
    const items = this.#firstOf(field, rule, itemsIn, 'any word') ?? []
    const topics = new Set<string>()
    let droppedItems = 0
    for (const item of items) {
      const topic = topicIn(item)
      if (topic === undefined && !this.refused.has(field)) {
        this.#refuse(field, { name: this.#nameOf(field), value: item }, 'must be text')
      }
      if (typeof topic !== 'string' || topics.has(topic)) {
        continue
      }
      if (topic.length <= maxCharacters.topic && topics.size < maxTopics && !holdsAddress(topic)) {
        topics.add(topic)
      } else {
        droppedItems += 1
      }
    }
    if (droppedItems > 0) {
      const kept = `at most ${maxTopics} are kept, of at most ${maxCharacters.topic} characters, and no e-mail address`
      this.drop(`${this.#nameOf(field)}: ${droppedItems} of the list: ${kept}`)
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

  /** The name under which the input has the value of this field. */
  #nameOf(field: Field): string {
    const given = this.given(field)
    return this.#names.get(field) ?? (given.find(({ value }) => !isNoValue(value)) ?? given[0])?.name ?? field
  }

  /**
   * The first value that can be read: an odd one costs no other.
   *
   * @param read undefined: the field cannot have this value, and its message says `rule`; null: it stands for none
   * @param words by default one for "none", such as `n/a`, is no value
   */
  #firstOf<T>(
    field: Field,
    rule: string,
    read: (value: unknown) => T | null | undefined,
    words: 'known' | 'any word' = 'known',
  ): T | null {
    for (const given of this.given(field)) {
      const value = words === 'known' && isNoValue(given.value) ? null : read(given.value)
      if (value === undefined) {
        this.#refuse(field, given, rule)
      } else if (value !== null) {
        this.#names.set(field, given.name)
        return value
      }
    }
    return null
  }

  /** Some fields are read several times. */
  #refuse(field: Field, { name, value }: GivenValue, rule: string): null {
    const message = `${name}: ${rule}, not ${brief(value)}`
    if (!this.refused.has(field)) {
      this.refused.set(field, message)
    }
    if (!this.dropped.includes(message)) {
      this.drop(message)
    }
    return null
  }
}

/** The beginning of a value of any kind, for a message: without credentials, since messages are logged. */
export function brief(value: unknown): string {
  // A number beyond the largest one, such as 1e400, has no JSON.
  const json = typeof value === 'number' ? String(value) : JSON.stringify(value)
  const text = removeCredentials(json ?? inText(value))
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** A text, or that of an object with it in several languages: in English, else in the first of them by its name. */
export function inLanguage(value: unknown): unknown {
  const text = Array.isArray(value) ? value : unwrapped(value, ['en', 'default', 'text'])
  if (text === null || typeof text !== 'object' || Array.isArray(text) || text instanceof Date) {
    return text
  }
  const texts = Object.entries(text).filter(([name, each]) => languageTag.test(name) && typeof each === 'string')
  const names = texts.length === Object.keys(text).length ? texts.map(([name]) => name).toSorted() : []
  const name = names.find((each) => /^en/i.test(each)) ?? names[0]
  return name === undefined ? text : Reflect.get(text, name)
}

/** The name of a language, perhaps as it is written in a country: `de`, `pt-BR`. */
const languageTag = /^[a-z]{2}(?:[-_][a-z0-9]{2,4})?$/i

/** A text that is a list of its lines, or an object with it in several languages. */
const textIn = (value: unknown): unknown =>
  Array.isArray(value) && value.length > 0 && value.every((line) => typeof line === 'string')
    ? value.join('\n')
    : inLanguage(value)
