import type { SearchParams } from 'meilisearch'
import {
  comparisonOf,
  type FacetName,
  givenFilters,
  type SkillFilters,
  sortTable,
  usualOrder,
  valuesOf,
} from '../../../ports/filter-table.js'
import type { FacetCount, SearchPage, SearchQuery } from '../../../ports/search-index.js'
import { informativeTerms } from '../../../ranking/concepts.js'
import type { SearchTerm, SearchText } from '../../../ranking/interpret-query.js'
import type { Synonyms } from '../../../ranking/other-words.js'
import { skillOf } from '../../../records/skill.js'
import { searchSettings } from '../../../search-settings.js'
import { isUnspaced, nameKey, stemOf, stemsOf } from '../../../text/analyze.js'
import type { WordCounts } from './caches.js'
import type { MeiliHit, MeiliResponse } from './client.js'
import { exactHash, wellFormed } from './documents.js'
import { attributeOf } from './settings.js'

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
export const filterConditions = (filters: SkillFilters): string[] =>
  givenFilters(filters).flatMap((row) => {
    const [attribute, comparison] = [attributeOf(row), comparisonOf(row)]
    return row.values.map((value) => {
      if (comparison !== '=') {
        return `${attribute} ${comparison} ${row.kind === 'time' ? Date.parse(String(value)) : value}`
      }
      return typeof value === 'string' ? equals(attribute, value) : `${attribute} = ${value}`
    })
  })

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

/** The requested order by columns; null: by relevance. Meilisearch sorts missing values last in both directions. */
export function sortOrder({ sort, order }: SearchQuery): string[] | null {
  if (sort === 'relevance') {
    return null
  }
  // Ties as in the list: the opposite order is the exact reverse, ids included.
  return [`${attributeOf(sortTable[sort])}:${order}`, `id:${order === usualOrder(sort) ? 'asc' : 'desc'}`]
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
  /** Sends queries in one request: Meilisearch answers them one after the other. */
  send(queries: SearchParams[]): Promise<MeiliResponse[]>
  /** Sends queries that take long in requests of their own, which Meilisearch answers at the same time. */
  sendEach(queries: SearchParams[]): Promise<MeiliResponse[]>
}

/** Skills with an exact name that are read at least, the most starred ones: an exact `owner/repo` is expected among them. */
const minNamed = 60

/** How many skills are read that have the text as their name, or are in its repository: its own record may be the last one. */
export const namedLimit = ({ query, text }: MeiliSearch): number =>
  text.repository === null ? Math.max(query.offset + query.limit, minNamed) : searchSettings.maxReach

/** What is read of each hit. */
export const retrieved = ['id', 'skill', 'lines', 'rank', 'copyKey', 'sketch']

/** Leaves out copies: Meilisearch returns the one that it ranks best. */
export const distinctCopies = ({ query }: MeiliSearch): SearchParams => (query.fold ? { distinct: 'copyKey' } : {})

export const totalOf = (response: MeiliResponse | undefined): number =>
  response?.totalHits ?? response?.estimatedTotalHits ?? 0

const keyOfText = ({ terms }: SearchText): string => exactHash(nameKey(terms.flatMap(({ tokens }) => tokens)))

const noSkill = '(id NOT EXISTS)'

/** The condition for skills whose `owner/repo` is the text. */
export const isIdentity = (text: SearchText): string =>
  text.terms.length === 0 ? noSkill : equals('idHash', keyOfText(text))

/** The condition for skills whose id or name is the text, or whose repository. */
export function isNamed(text: SearchText): string {
  const names = [keyOfText(text), ...(text.repository === null ? [] : [exactHash(text.repository)])]
  return text.terms.length === 0 ? noSkill : `(${isIdentity(text)} OR ${isOneOf('nameHashes', names)})`
}

/** The query for the skills that this condition holds for, without those that the text excludes. */
export const withCondition = ({ text, conditions }: MeiliSearch, condition: string, limit: number): SearchParams => ({
  q: excludedText(text),
  filter: [...conditions, condition],
  limit,
  attributesToRetrieve: retrieved,
})

/** The total of a page: matches are counted up to the reach of pages. */
export const counted = (total: number): Pick<SearchPage, 'total' | 'totalIsLowerBound'> => ({
  total: Math.min(total, searchSettings.maxReach),
  totalIsLowerBound: total >= searchSettings.maxReach,
})

const maxFacetValues = 20

/** How many matches have each value of a facet. */
export type FacetDistribution = Partial<Record<FacetName, Record<string, number>>>

/** The values of facets in skills, counted as Meilisearch does. */
export function countFacets(facets: FacetName[], hits: MeiliHit[]): FacetDistribution {
  const counts = Object.fromEntries(facets.map((facet) => [facet, new Map<string, number>()]))
  for (const { skill } of facets.length === 0 ? [] : hits) {
    const record = skillOf({ record: skill })
    for (const facet of facets) {
      const values = valuesOf(record, facet).map(String)
      for (const value of new Set(facet === 'owner' ? values.map((owner) => owner.toLowerCase()) : values)) {
        counts[facet]?.set(value, (counts[facet]?.get(value) ?? 0) + 1)
      }
    }
  }
  return Object.fromEntries(Object.entries(counts).map(([facet, values]) => [facet, Object.fromEntries(values)]))
}

/**
 * The requested facets from the counts of their values: the most frequent values first, equal counts by value.
 *
 * @param distributions of different skills
 */
export const facetsOf = (facets: FacetName[], distributions: FacetDistribution[] = []): SearchPage['facets'] =>
  Object.fromEntries(
    facets.map((facet) => {
      // Values that differ in case only are one value.
      const counts = new Map<string, FacetCount>()
      for (const [value, count] of distributions.flatMap((each) => Object.entries(each[facet] ?? {}))) {
        const key = value.toLowerCase()
        const known = counts.get(key)
        const [first = value] = [value, known?.value ?? value].sort()
        counts.set(key, { value: first, count: count + (known?.count ?? 0) })
      }
      const values = [...counts.values()]
      return [facet, values.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)).slice(0, maxFacetValues)]
    }),
  )

/** More matches than these are not counted one by one to leave out copies: that would take several milliseconds. */
export const maxCounted = 2_000

const copyKeysOf = (hits: MeiliHit[]): string[] => [
  ...new Set(hits.flatMap(({ copyKey }) => (typeof copyKey === 'string' ? [copyKey] : []))),
]

/** A key of a hit: equal for copies, where the search leaves them out. */
export const foldKey =
  ({ query }: MeiliSearch) =>
  ({ hit }: { hit: MeiliHit }): string =>
    (query.fold ? hit.copyKey : null) ?? hit.id

/** A query with further conditions. */
export const narrowed = (query: SearchParams, conditions: string[]): SearchParams => ({
  ...query,
  filter: [...(Array.isArray(query.filter) ? query.filter : []), ...conditions],
})

/** The query for the matches that are not known: where copies are left out, neither copies of the known ones. */
export function othersThan(known: MeiliHit[], search: MeiliSearch, words: SearchParams): SearchParams {
  const { fold } = search.query
  const keys = fold ? copyKeysOf(known) : []
  const ids = known.filter(({ copyKey }) => !fold || typeof copyKey !== 'string').map(({ id }) => id)
  return narrowed({ ...words, facets: [], ...distinctCopies(search) }, [
    ...(ids.length === 0 ? [] : [`NOT ${isOneOf('id', ids)}`]),
    ...(keys.length === 0 ? [] : [`NOT ${isOneOf('copyKey', keys)}`]),
  ])
}

/**
 * The condition that Meilisearch keeps this skill where it leaves out copies, even if it ranks a copy of it better: all
 * of its copies are left out.
 */
export const keeping = ({ id, copyKey }: MeiliHit): string[] =>
  copyKey === null ? [] : [`(${equals('id', id)} OR NOT ${equals('copyKey', copyKey)})`]

/** What Meilisearch counts for a page. */
interface Counts {
  /** The number of other skills with the text of a hit that the filters admit; 0 where copies are shown. */
  copies: (hit: MeiliHit) => number
  /** The counted query's total and facets. */
  matches: MeiliResponse | undefined
}

/**
 * Counts the copies of hits, and the matches of a query.
 *
 * @param hits of a page
 * @param counted the query whose matches are counted, without copies; null: none are
 */
export async function countMatches(
  { query, conditions, sendEach }: MeiliSearch,
  hits: MeiliHit[],
  counted: SearchParams | null,
): Promise<Counts> {
  const keys = query.fold ? copyKeysOf(hits) : []
  const queries: SearchParams[] = [
    // Without a page, Meilisearch leaves out only the copies of hits that it returns.
    ...(counted === null ? [] : [{ ...counted, limit: 0, facets: query.facets, page: 1, hitsPerPage: 0 }]),
    ...(keys.length === 0
      ? []
      : [{ filter: [...conditions, isOneOf('copyKey', keys)], facets: ['copyKey'], limit: 0 }]),
  ]
  const responses = await sendEach(queries.map((each) => ({ ...each, attributesToRetrieve: [] })))
  const found = keys.length === 0 ? {} : responses.at(-1)?.facetDistribution?.['copyKey']
  return {
    copies: ({ copyKey }) => (found?.[copyKey ?? ''] ?? 1) - 1,
    matches: counted === null ? undefined : responses[0],
  }
}
