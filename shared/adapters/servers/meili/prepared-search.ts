import type { SearchParams } from 'meilisearch'
import type { SearchQuery } from '../../../ports/search-index.js'
import type { SearchText } from '../../../text/parse-search-text.js'
import { nameKey } from '../../../text/skill-words.js'
import type { Synonyms } from '../../../text/synonyms.js'
import { exactHash } from './documents.js'
import type { MeiliResponse } from './multi-search.js'
import { equals, excludedText } from './query.js'
import type { WordCounts } from './word-counts.js'

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
