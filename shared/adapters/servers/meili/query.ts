import type { SearchParams } from 'meilisearch'
import type { SearchQuery } from '../../../ports/search-index.js'
import type { SkillFilters } from '../../../ports/skill-reader.js'
import { isUnspaced } from '../../../text/analyze.js'
import { informativeTerms } from '../../../text/concepts.js'
import type { SearchTerm, SearchText } from '../../../text/parse-search-text.js'
import { nameKey } from '../../../text/skill-words.js'
import { stemOf } from '../../../text/stem.js'
import type { Synonyms } from '../../../text/synonyms.js'
import { stemsOf } from '../../../text/text-stems.js'
import type { WordCounts } from './caches.js'
import type { MeiliResponse } from './client.js'
import { exactHash, wellFormed } from './documents.js'

/** A value in a filter, with its special characters escaped. */
const quoted = (value: string): string => `"${wellFormed(value).replace(/["\\]/g, '\\$&')}"`

/** A filter for an attribute that equals a value, ignoring case. */
export const equals = (attribute: string, value: string): string => `${attribute} = ${quoted(value)}`

/** A filter for an attribute with a value that starts with a prefix. */
export const startsWith = (attribute: string, prefix: string): string => `${attribute} STARTS WITH ${quoted(prefix)}`

/** A filter for documents whose attribute is one of these values, ignoring case. */
export const isOneOf = (attribute: string, values: Iterable<string>): string =>
  `${attribute} IN [${[...values].map(quoted).join(', ')}]`

/** A filter for documents with ids after this one; null: all documents. */
export const idAfter = (id: string | null): string => (id === null ? 'id EXISTS' : `id > ${quoted(id)}`)

/** The conditions of filters, which must all hold. */
export const filterConditions = (filters: SkillFilters): string[] => [
  ...(filters.owner === undefined ? [] : [equals('owner', filters.owner.toLowerCase())]),
  ...(filters.topics ?? []).map((topic) => equals('topics', topic)),
  ...(filters.license === undefined ? [] : [equals('license', filters.license)]),
  ...(filters.language === undefined ? [] : [equals('language', filters.language)]),
  ...(filters.archived === undefined ? [] : [`archived = ${filters.archived}`]),
  ...(filters.minStars === undefined ? [] : [`stars >= ${filters.minStars}`]),
  ...(filters.updatedSince === undefined ? [] : [`updatedAtMs >= ${Date.parse(filters.updatedSince)}`]),
]

/** Runs of scripts without spaces up to this length are searched as phrases; of longer ones a part may be missing. */
const maxRunAsPhrase = 4

/** A term in the syntax of Meilisearch. Tokens consist of letters, digits and pictographs: nothing needs escaping. */
function termText({ tokens, quoted: isPhrase }: SearchTerm): string {
  const isRun = tokens.length > 1 && tokens.every(isUnspaced)
  return isPhrase || (isRun && tokens.length <= maxRunAsPhrase) ? `"${tokens.join(' ')}"` : tokens.map(stemOf).join(' ')
}

/** The query for all but the terms that a text excludes. */
const excludedText = ({ excluded }: SearchText): string =>
  excluded.map(({ tokens }) => `-"${tokens.join(' ')}" `).join('')

/** The query for the words of a text that inform, by their stems, with the terms that the text excludes. */
export function queryText(text: SearchText): string {
  const { informative } = informativeTerms(text)
  const last = informative.at(-1)
  const isPrefix = text.lastIsPrefix && last !== undefined && last === text.terms.at(-1)
  const words = text.terms
    .filter((term) => informative.includes(term) || term.tokens.every(isUnspaced))
    .map((term) => (isPrefix && term === last ? commonBeginning(term.tokens[0] ?? '') : termText(term)))
  // Meilisearch matches the last word as a prefix, unless a space follows it.
  return `${excludedText(text)}${words.join(' ')}${isPrefix ? '' : ' '}`
}

/** The query for the words of a text that inform, as texts have them. */
export const stemsText = (text: SearchText): string =>
  `${informativeTerms(text)
    .informative.flatMap(({ tokens }) => stemsOf(tokens))
    .join(' ')} `

/** What a word and its stem both begin with: a prefix of all of its forms. */
function commonBeginning(word: string): string {
  const stem = stemOf(word)
  let length = 0
  while (length < stem.length && stem[length] === word[length]) {
    length += 1
  }
  return word.slice(0, length)
}

const sortAttributes = { updated: 'updatedAtMs', stars: 'stars', created: 'createdAtMs', name: 'nameKey' } as const

/** The requested order by columns; null: by relevance. Meilisearch sorts missing values last in both directions. */
export function sortOrder({ sort, order }: SearchQuery): string[] | null {
  if (sort === 'relevance') {
    return null
  }
  // Ties as in the list: the opposite order is the exact reverse, ids included.
  const idOrder = (order === 'asc') === (sort === 'name') ? 'asc' : 'desc'
  return [`${sortAttributes[sort]}:${order}`, `id:${idOrder}`]
}

/** A search, prepared for Meilisearch. */
export interface MeiliSearch {
  query: SearchQuery
  text: SearchText
  /** The query's filters: conditions that must all hold. */
  conditions: string[]
  /** The meaning of the text; null: only the words decide. */
  meaning: { vector: number[]; embedder: string; alone: boolean } | null
  synonyms: Synonyms
  counts: WordCounts
  /** Sends queries in one request. */
  send(queries: SearchParams[]): Promise<MeiliResponse[]>
}

/** Skills with an exact name, the most starred ones: an exact `owner/repo` is expected among them. */
export const maxNamed = 60

/** What is read of each hit. */
export const retrieved = ['id', 'skill', 'lines', 'rank', 'copyKey', 'sketch']

/** Of copies, Meilisearch returns the one that it ranks best. */
export const distinctCopies = ({ query }: MeiliSearch): SearchParams => (query.fold ? { distinct: 'copyKey' } : {})

export const totalOf = (response: MeiliResponse | undefined): number =>
  response?.totalHits ?? response?.estimatedTotalHits ?? 0

const keyOfText = ({ terms }: SearchText): string => exactHash(nameKey(terms.flatMap(({ tokens }) => tokens)))

const noSkill = '(id NOT EXISTS)'

/** The condition for skills whose `owner/repo` is the text. */
export const isIdentity = (text: SearchText): string =>
  text.terms.length === 0 ? noSkill : equals('idHash', keyOfText(text))

/** The condition for skills whose `owner/repo` or name is the text. */
export const isNamed = (text: SearchText): string =>
  text.terms.length === 0 ? noSkill : `(${isIdentity(text)} OR ${equals('nameHashes', keyOfText(text))})`

/** The query for the skills that this condition holds for, without those that the text excludes. */
export const withCondition = ({ text, conditions }: MeiliSearch, condition: string, limit: number): SearchParams => ({
  q: excludedText(text),
  filter: [...conditions, condition],
  limit,
  attributesToRetrieve: retrieved,
})
