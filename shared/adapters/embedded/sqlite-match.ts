import type { SkillFilters } from '../../ports/catalog-store.js'
import { rankOfStars } from '../../records/popularity-rank.js'
import { searchSettings } from '../../search-settings.js'
import type { SearchTerm, SearchText } from '../../text/parse-search-text.js'
import { forgivenTypos, spellingVariants, typosBetween } from '../../text/spelling.js'
import type { SqliteDatabase, SqlValue } from './sqlite-database.js'
import { type Slot, tag } from './sqlite-index-tables.js'

/** A term of the query with the words of the index that it may stand for. */
export interface ExpandedTerm extends SearchTerm {
  prefix: boolean
  /** Of a prefix: the words it may be completed to, itself included; null: whatever begins so. */
  completions: string[] | null
  /** Words one, and one or two, typos away; the most frequent ones. */
  corrections: { one: string[]; two: string[] }
}

/** How loosely terms are taken: as written; completed; and with one or two typos forgiven. */
export type Looseness = 'exact' | 'prefix' | 'oneTypo' | 'twoTypos'

/** At most this many corrections of a word are looked for: the most frequent ones are the likeliest. */
const maxCorrections = 8

/** At most this many words of the map are compared with a query's word. */
const maxCompared = 2_000

/** A prefix with no more completions than this is looked up by them. */
const fewCompletions = 8

/**
 * A prefix that stands in so many documents as a word is completed to its most frequent completions only: to gather
 * every word that begins so would cost more than the rest of the search, for matches that rank behind all of its own.
 */
const frequentWord = 1_000

/** Adds to each term the words it may stand for. */
export function expandTerms(db: SqliteDatabase, slot: Slot, text: SearchText): ExpandedTerm[] {
  return text.terms.map((term, position) => {
    const [word = ''] = term.tokens
    const prefix = text.lastIsPrefix && position === text.terms.length - 1
    return {
      ...term,
      prefix,
      completions: prefix ? completionsOf(db, slot, word) : null,
      corrections: term.quoted || term.tokens.length > 1 ? { one: [], two: [] } : correctionsOf(db, slot, word),
    }
  })
}

function completionsOf(db: SqliteDatabase, slot: Slot, word: string): string[] | null {
  const beginningSo = db.all<{ term: string; documents: number }>(
    `SELECT term, documents FROM terms_${slot} WHERE term >= ? AND term < ? LIMIT ?`,
    [word, `${word}\u{10ffff}`, fewCompletions + 1],
  )
  if (beginningSo.length <= fewCompletions) {
    return [word, ...beginningSo.map(({ term }) => term).filter((term) => term !== word)]
  }
  // A word comes before everything that it begins.
  const [first] = beginningSo
  if (first?.term !== word || first.documents < frequentWord) {
    return null
  }
  return db
    .all<{ term: string }>(
      `SELECT term FROM terms_${slot} WHERE term >= ? AND term < ? ORDER BY documents DESC, term LIMIT ?`,
      [word, `${word}\u{10ffff}`, fewCompletions],
    )
    .map(({ term }) => term)
}

function correctionsOf(db: SqliteDatabase, slot: Slot, word: string): ExpandedTerm['corrections'] {
  const forgiven = forgivenTypos(word)
  if (forgiven === 0) {
    return { one: [], two: [] }
  }
  const near = db
    .all<{ term: string }>(
      `SELECT t.term AS term FROM terms_${slot} t WHERE t.id IN (
         SELECT s.term FROM spelling_${slot} s WHERE s.variant IN (SELECT value FROM json_each(?))
       ) ORDER BY t.documents DESC, t.term LIMIT ?`,
      [JSON.stringify([...spellingVariants(word, forgiven)]), maxCompared],
    )
    .map(({ term }) => ({ term, typos: typosBetween(word, term) }))
  const within = (typos: number) =>
    near
      .filter((candidate) => candidate.typos > 0 && candidate.typos <= typos)
      .slice(0, maxCorrections)
      .map((candidate) => candidate.term)
  return { one: within(1), two: forgiven === 2 ? within(2) : [] }
}

const phrase = (tokens: string[]): string => tokens.map((token) => `"${token}"`).join(' + ')

/** The ways in which a term may be written, as operands of OR. */
const completed = ({ tokens, prefix, completions }: ExpandedTerm): string[] =>
  prefix ? (completions?.map((word) => `"${word}"`) ?? [`${phrase(tokens)} *`]) : [phrase(tokens)]

function termExpression(term: ExpandedTerm, looseness: Looseness): string {
  const corrections =
    looseness === 'oneTypo'
      ? term.corrections.one
      : looseness === 'twoTypos'
        ? [...term.corrections.one, ...term.corrections.two]
        : []
  const written = looseness === 'exact' ? [phrase(term.tokens)] : completed(term)
  return `(${[...new Set([...written, ...corrections.map((word) => `"${word}"`)])].join(' OR ')})`
}

/** How close together the terms are asked to stand: one behind the other, within a few words, anywhere. */
export type Closeness = 'adjacent' | 'near' | 'anywhere'

/**
 * The full-text expression for all of `terms`.
 *
 * @param groups how many of the settings' field groups are looked in, the most telling first
 */
export function allOf(terms: ExpandedTerm[], closeness: Closeness, groups: number, looseness: Looseness): string {
  const fields = `{${searchSettings.fieldGroups.slice(0, groups).flat().join(' ')}}`
  if (closeness === 'anywhere') {
    return `${fields} : (${terms.map((term) => termExpression(term, looseness)).join(' AND ')})`
  }
  const last = terms.at(-1)
  const before = terms.slice(0, -1).map((term) => phrase(term.tokens))
  const endings = last === undefined ? [] : looseness === 'exact' ? [phrase(last.tokens)] : completed(last)
  const ways = endings.map((ending) =>
    closeness === 'adjacent'
      ? [...before, ending].join(' + ')
      : `NEAR(${[...before, ending].join(' ')}, ${terms.length + 4})`,
  )
  return `${fields} : (${ways.join(' OR ')})`
}

/** The full-text expression for one term alone, in any field, as loosely as it may be taken. */
export const anyField = (term: ExpandedTerm): string => allOf([term], 'anywhere', 3, 'twoTypos')

/** Everything that narrows a search beside its terms. */
export interface Narrowing {
  /** Full-text expressions that must match, and that must not. */
  must: string[]
  mustNot: string[]
  /** SQL on the full-text table `w` joined with the documents `d` where `joins`. */
  conditions: { sql: string; values: SqlValue[] }[]
  joins: boolean
}

/** Filters and exclusions as the tables take them: words of the `tags` column, a range of ranks, a column. */
export function narrowingOf(filters: SkillFilters, excluded: SearchTerm[]): Narrowing {
  const tags = [
    ...(filters.owner === undefined ? [] : [tag('owner', filters.owner)]),
    ...(filters.topics ?? []).map((topic) => tag('topic', topic)),
    ...(filters.license === undefined ? [] : [tag('license', filters.license)]),
    ...(filters.language === undefined ? [] : [tag('language', filters.language)]),
    ...(filters.archived === undefined ? [] : [tag('archived', String(filters.archived))]),
  ]
  return {
    must: tags.map((word) => `tags : "${word}"`),
    mustNot: excluded.map((term) => `{${searchSettings.fieldGroups.flat().join(' ')}} : (${phrase(term.tokens)})`),
    conditions: [
      ...(filters.minStars === undefined ? [] : [{ sql: 'w.rowid < ?', values: [rankOfStars(filters.minStars - 1)] }]),
      ...(filters.updatedSince === undefined ? [] : [{ sql: 'd.updated_at >= ?', values: [filters.updatedSince] }]),
    ],
    joins: filters.updatedSince !== undefined,
  }
}

/** The whole expression: a match of terms, narrowed. */
export function narrowed(expression: string, { must, mustNot }: Narrowing): string {
  const wanted = [expression, ...must].map((each) => `(${each})`).join(' AND ')
  return mustNot.length === 0 ? wanted : `(${wanted}) NOT (${mustNot.map((each) => `(${each})`).join(' OR ')})`
}
