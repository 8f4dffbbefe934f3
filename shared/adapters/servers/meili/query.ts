import type { SearchQuery } from '../../../ports/search-index.js'
import type { SkillFilters } from '../../../ports/skill-reader.js'
import type { SearchTerm, SearchText } from '../../../text/parse-search-text.js'
import { wellFormed } from './documents.js'

/** A value in a filter, with its special characters escaped. */
const quoted = (value: string): string => `"${wellFormed(value).replace(/["\\]/g, '\\$&')}"`

/** A filter for an attribute that equals a value, ignoring case. */
export const equals = (attribute: string, value: string): string => `${attribute} = ${quoted(value)}`

/** A filter for an attribute with a value that starts with a prefix. */
export const startsWith = (attribute: string, prefix: string): string => `${attribute} STARTS WITH ${quoted(prefix)}`

/** A filter for documents of these ids. */
export const isOneOf = (ids: Iterable<string>): string => `id IN [${[...ids].map(quoted).join(', ')}]`

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

/** A term in the syntax of Meilisearch. Tokens consist of letters, digits and pictographs: nothing needs escaping. */
const termText = ({ tokens, quoted: isPhrase }: SearchTerm): string =>
  isPhrase || tokens.length > 1 ? `"${tokens.join(' ')}"` : tokens.join(' ')

/**
 * The query for some terms of a text, with the terms that the text excludes.
 *
 * @param terms of `text`, in its order
 */
export function queryText(text: SearchText, terms: SearchTerm[] = text.terms): string {
  const included = terms.map(termText).join(' ')
  const excluded = text.excluded.map((term) => `-${termText(term)} `).join('')
  const endsAsPrefix = text.lastIsPrefix && terms.at(-1) === text.terms.at(-1)
  // Meilisearch matches the last word as a prefix, unless a space follows it.
  return `${excluded}${included}${endsAsPrefix ? '' : ' '}`
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
