import type { SkillFilters } from '../../ports/catalog-store.js'
import type { SearchQuery } from '../../ports/search-index.js'
import type { SearchTerm, SearchText } from '../../text/parse-search-text.js'
import { wellFormed } from './meili-documents.js'

/** A value in a filter, whatever characters are in it. */
const quoted = (value: string): string => `"${wellFormed(value).replace(/["\\]/g, '\\$&')}"`

/** A filter for an attribute that equals a value; without regard to case, as the engine compares. */
export const equals = (attribute: string, value: string): string => `${attribute} = ${quoted(value)}`

/** A filter for an attribute of which a value begins so. */
export const startsWith = (attribute: string, beginning: string): string =>
  `${attribute} STARTS WITH ${quoted(beginning)}`

/** A filter for documents of these ids. */
export const isOneOf = (ids: Iterable<string>): string => `id IN [${[...ids].map(quoted).join(', ')}]`

/** A filter for documents whose id comes after one. */
export const idAfter = (id: string | null): string => (id === null ? 'id EXISTS' : `id > ${quoted(id)}`)

/** Filters as conditions that must all hold. */
export const filterConditions = (filters: SkillFilters): string[] => [
  ...(filters.owner === undefined ? [] : [equals('owner', filters.owner.toLowerCase())]),
  ...(filters.topics ?? []).map((topic) => equals('topics', topic)),
  ...(filters.license === undefined ? [] : [equals('license', filters.license)]),
  ...(filters.language === undefined ? [] : [equals('language', filters.language)]),
  ...(filters.archived === undefined ? [] : [`archived = ${filters.archived}`]),
  ...(filters.minStars === undefined ? [] : [`stars >= ${filters.minStars}`]),
  ...(filters.updatedSince === undefined ? [] : [`updatedAtMs >= ${Date.parse(filters.updatedSince)}`]),
]

/** A term in the engine's syntax. Tokens hold letters, digits and pictographs only, so that nothing need be escaped. */
const written = ({ tokens, quoted: asItIs }: SearchTerm): string =>
  asItIs || tokens.length > 1 ? `"${tokens.join(' ')}"` : tokens.join(' ')

/**
 * The engine's query for some of a text's terms, without what the text excludes.
 *
 * @param terms of `text`, in its order
 */
export function queryText(text: SearchText, terms: SearchTerm[] = text.terms): string {
  const wanted = terms.map(written).join(' ')
  const unwanted = text.excluded.map((term) => `-${written(term)} `).join('')
  const endsAsPrefix = text.lastIsPrefix && terms.at(-1) === text.terms.at(-1)
  // A word with a space behind it is whole.
  return `${unwanted}${wanted}${endsAsPrefix ? '' : ' '}`
}

const sortAttributes = { updated: 'updatedAtMs', stars: 'stars', created: 'createdAtMs', name: 'nameKey' } as const

/** The order asked for; null: by relevance. The engine puts what has no value last, whichever the direction. */
export function sortOrder({ sort, order }: SearchQuery): string[] | null {
  if (sort === 'relevance') {
    return null
  }
  // Ties as in the list: each order's opposite is its reverse, ids included.
  const idOrder = (order === 'asc') === (sort === 'name') ? 'asc' : 'desc'
  return [`${sortAttributes[sort]}:${order}`, `id:${idOrder}`]
}
