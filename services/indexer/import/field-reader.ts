import { longestLine, longestTopic, mostTopics } from '../../../shared/records/fields.js'
import { cleanLine, cleanText } from '../../../shared/text/clean-text.js'
import { inText } from '../../../shared/text/in-text.js'
import { parseTime } from '../../../shared/text/parse-time.js'
import { holdsAddress, removeAddresses } from '../../../shared/text/personal-addresses.js'
import { toPublicAddress } from '../../../shared/text/public-address.js'
import { unwrap } from '../../../shared/text/unwrap.js'
import { comparableName } from './field-names.js'
import { toRepositoryAddress, toWebAddress } from './web-address.js'

const yes = new Set(['true', 'yes', 'y', '1'])
const no = new Set(['false', 'no', 'n', '0'])

/**
 * Reads fields of ours out of a source's record. A value that cannot be what its field needs is noted in `problems`,
 * so that a rejected record is told with everything that is wrong with it; a value that is absent or blank is null.
 */
export class FieldReader<Field extends string> {
  readonly problems: string[] = []
  readonly #values = new Map<string, unknown>()
  readonly #names: Record<Field, readonly string[]>

  /** @param names the comparable names under which each field is looked for, best first */
  constructor(record: Record<string, unknown>, names: Record<Field, readonly string[]>) {
    this.#names = names
    for (const [name, value] of Object.entries(record)) {
      if (value !== null && value !== undefined && !(typeof value === 'string' && value.trim() === '')) {
        this.#values.set(comparableName(name), value)
      }
    }
  }

  /** Everything that the record holds for this field, best first. */
  all(field: Field): unknown[] {
    return this.#names[field].map((name) => this.#values.get(name)).filter((value) => value !== undefined)
  }

  /** What the record holds for this field, as it is; undefined for nothing. */
  first(field: Field): unknown {
    for (const name of this.#names[field]) {
      const value = this.#values.get(name)
      if (value !== undefined) {
        return value
      }
    }
    return undefined
  }

  /** Text on one line. */
  line(field: Field): string | null {
    const text = this.#text(field, unwrap(this.first(field), ['login', 'name']))
    return text === null ? null : cleanLine(text)
  }

  /** As `line`, for the public: without e-mail addresses. */
  publicLine(field: Field, maxCharacters: number): string | null {
    const line = this.line(field)
    return line === null ? null : removeAddresses(line, maxCharacters)
  }

  /** As `publicLine`, of text that may have several lines. */
  text(field: Field, maxCharacters: number): string | null {
    const value = this.#text(field, this.first(field))
    const text = value === null ? null : cleanText(value)
    return text === null ? null : removeAddresses(text, maxCharacters)
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

  /** A web address. What is none, or holds an e-mail address, is left out: a record is worth having without it. */
  address(field: Field): string | null {
    const text = this.line(field)
    return text === null ? null : toPublicAddress(toWebAddress(text))
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
    return license === null || /^(noassertion|none|null)$/i.test(license) ? null : removeAddresses(license, longestLine)
  }

  /** Topics: from a list, or from text separated by `,`, `|` or `;`. Lower case, each once; none is an e-mail address. */
  topics(field: Field): string[] {
    const value = this.all(field).find((told) => !(Array.isArray(told) && told.length === 0)) ?? []
    const told = typeof value === 'string' ? value.split(/[,|;]/) : value
    if (!Array.isArray(told)) {
      this.#refuse(field, value, 'must be a list of words, or words separated by commas')
      return []
    }
    const topics = new Set<string>()
    for (const item of told) {
      const topic = cleanLine(this.#text(field, unwrap(item, ['name'])) ?? '')
        ?.toLowerCase()
        .replace(/^#(?=.)/, '')
      if (topic !== undefined && topic.length <= longestTopic && topics.size < mostTopics && !holdsAddress(topic)) {
        topics.add(topic)
      }
    }
    return [...topics]
  }

  /** Notes what is wrong with the record as a whole, or with a value. */
  problem(message: string): null {
    this.problems.push(message)
    return null
  }

  #text(field: Field, value: unknown): string | null {
    if (value === undefined || typeof value === 'string') {
      return value ?? null
    }
    // Versions and names that are all digits come as numbers from sources that guess types.
    return typeof value === 'number' ? String(value) : this.#refuse(field, value, 'must be text')
  }

  #refuse(field: Field, value: unknown, rule: string): null {
    const told = JSON.stringify(value) ?? inText(value)
    return this.problem(`${field}: ${rule}, not ${told.length > 60 ? `${told.slice(0, 60)}…` : told}`)
  }
}
