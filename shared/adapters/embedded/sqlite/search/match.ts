import type { SkillFilters } from '../../../../ports/skill-reader.js'
import { rankOfStars } from '../../../../records/popularity-rank.js'
import { searchSettings } from '../../../../search-settings.js'
import { isUnspaced } from '../../../../text/analyze.js'
import type { SearchTerm, SearchText } from '../../../../text/parse-search-text.js'
import { maxJoined } from '../../../../text/skill-matches.js'
import type { SqliteDatabase, SqlValue } from '../database.js'
import { type Slot, tag } from './index-tables.js'
import { type Corrections, correctionsOf, isCommonBeginning, isKnown, splitOf } from './spelling.js'

/** A term of the query with the words of the index that it matches. */
export interface ExpandedTerm extends SearchTerm {
  prefix: boolean
  /** Of a prefix: its completions, itself included; null: too many to list. */
  completions: string[] | null
  /** Whether the prefix has as many words as make Meilisearch index it as a word. */
  common: boolean
  corrections: Corrections
  /** Two adjacent words that match this one term; null: none. */
  split: [string, string] | null
  /** How many of the query's words it consists of: one, or several joined. */
  joins: number
}

/** How a term matches: as written; as a prefix; with one or two typos. */
export type Tolerance = 'exact' | 'prefix' | 'oneTypo' | 'twoTypos'

/** A prefix with at most this number of completions is searched by them. */
const maxCompletions = 8

/**
 * A prefix that is itself a word of at least this number of documents is searched by its most frequent completions
 * only: all of them would cost more than the rest of the search, for matches that rank after those of the word and are
 * no longer counted.
 */
const frequentWord = searchSettings.counted

/** Readings of a query that are considered. */
const maxReadings = 8

/**
 * The readings of a text: its terms, each with the words that it matches, and variants with adjacent words joined where
 * the index has the joined word. The first is the text as written.
 */
export function readingsOf(db: SqliteDatabase, slot: Slot, text: SearchText): ExpandedTerm[][] {
  const single = text.terms.map((term, position) =>
    expandTerm(db, slot, term, { prefix: text.lastIsPrefix && position === text.terms.length - 1, joins: 1 }),
  )
  const joined = joinedTerms(db, slot, single)
  let readings: ExpandedTerm[][] = [[]]
  // From the end: each position continues with every reading of the rest.
  const from: ExpandedTerm[][][] = [readings]
  for (let start = single.length - 1; start >= 0; start -= 1) {
    const here = single[start]
    readings = [...(here === undefined ? [] : [here]), ...(joined.get(start) ?? [])].flatMap((term) =>
      (from[from.length - term.joins] ?? []).map((rest) => [term, ...rest]),
    )
    from.push(readings.slice(0, maxReadings))
  }
  return from.at(-1) ?? []
}

const isSpacedWord = ({ quoted, tokens }: SearchTerm): boolean =>
  !quoted && tokens.length === 1 && tokens.every((token) => !isUnspaced(token))

/** Adjacent words joined, by the position of the first, where the index has them. */
function joinedTerms(db: SqliteDatabase, slot: Slot, terms: ExpandedTerm[]): Map<number, ExpandedTerm[]> {
  const joined = new Map<number, ExpandedTerm[]>()
  for (const start of terms.keys()) {
    for (let joins = 2; joins <= maxJoined && start + joins <= terms.length; joins += 1) {
      const parts = terms.slice(start, start + joins)
      if (parts.every(isSpacedWord)) {
        const word = parts.flatMap(({ tokens }) => tokens).join('')
        const prefix = parts.at(-1)?.prefix ?? false
        const term = expandTerm(db, slot, { tokens: [word], quoted: false }, { prefix, joins })
        if (term.split?.every((part, at) => part === parts[at]?.tokens[0])) {
          term.split = null
        }
        const { one, two } = term.corrections
        if (term.split !== null || one.length + two.length > 0 || isKnown(db, slot, word, prefix)) {
          joined.set(start, [...(joined.get(start) ?? []), term])
        }
      }
    }
  }
  return joined
}

function expandTerm(
  db: SqliteDatabase,
  slot: Slot,
  term: SearchTerm,
  { prefix, joins }: { prefix: boolean; joins: number },
): ExpandedTerm {
  const [word = ''] = term.tokens
  const isPhrase = term.quoted || term.tokens.length > 1
  return {
    ...term,
    prefix,
    joins,
    common: prefix && isCommonBeginning(db, slot, word),
    completions: prefix ? completionsOf(db, slot, word) : null,
    corrections: isPhrase
      ? { one: [], two: [] }
      : correctionsOf(db, slot, word, { unfinished: prefix, typosUsed: joins - 1 }),
    split: isPhrase ? null : splitOf(db, slot, word),
  }
}

function completionsOf(db: SqliteDatabase, slot: Slot, word: string): string[] | null {
  const completions = db.all<{ term: string; documents: number }>(
    `SELECT term, documents FROM terms_${slot} WHERE term >= ? AND term < ? LIMIT ?`,
    [word, `${word}\u{10ffff}`, maxCompletions + 1],
  )
  if (completions.length <= maxCompletions) {
    return [word, ...completions.map(({ term }) => term).filter((term) => term !== word)]
  }
  // A word sorts before all words that it begins.
  const [first] = completions
  if (first?.term !== word || first.documents < frequentWord) {
    return null
  }
  return db
    .all<{ term: string }>(
      `SELECT term FROM terms_${slot} WHERE term >= ? AND term < ? ORDER BY documents DESC, term LIMIT ?`,
      [word, `${word}\u{10ffff}`, maxCompletions],
    )
    .map(({ term }) => term)
}

const allFields = `{${searchSettings.fieldGroups.flat().join(' ')}}`

/** Words in a row. */
export const phrase = (tokens: string[]): string => tokens.map((token) => `"${token}"`).join(' + ')

/** The alternatives to match a term, as operands of OR. */
const completed = ({ tokens, prefix, completions }: ExpandedTerm): string[] =>
  prefix ? (completions?.map((word) => `"${word}"`) ?? [`${phrase(tokens)} *`]) : [phrase(tokens)]

function termExpression(term: ExpandedTerm, tolerance: Tolerance): string {
  if (tolerance === 'exact') {
    return `(${phrase(term.tokens)})`
  }
  const { one, two } = term.corrections
  const corrections = tolerance === 'prefix' ? [] : tolerance === 'oneTypo' ? one : [...one, ...two]
  const split = term.split !== null && tolerance !== 'prefix' ? [phrase(term.split)] : []
  const alternatives = [...completed(term), ...corrections.map((word) => `"${word}"`), ...split]
  return `(${[...new Set(alternatives)].join(' OR ')})`
}

/** A term in some fields. Of a phrase only the first word need be in them, as in Meilisearch. */
function termIn(fields: string, term: ExpandedTerm, tolerance: Tolerance): string {
  const [first] = term.tokens
  return term.tokens.length > 1
    ? `(${fields} : "${first}") AND (${allFields} : (${phrase(term.tokens)}))`
    : `${fields} : ${termExpression(term, tolerance)}`
}

/** The number of words that may be between two near words. */
const nearWords = 2

/** The distance required between adjacent terms: consecutive, within a few words, any. */
export type Closeness = 'adjacent' | 'near' | 'anywhere'

/**
 * The full-text expression for all of `terms`.
 *
 * @param groups number of the settings' field groups to search, the most important first
 */
export function allOf(terms: ExpandedTerm[], closeness: Closeness, groups: number, tolerance: Tolerance): string {
  const fields = `{${searchSettings.fieldGroups.slice(0, groups).flat().join(' ')}}`
  if (closeness === 'anywhere') {
    return terms.map((term) => `(${termIn(fields, term, tolerance)})`).join(' AND ')
  }
  // Pairwise: the first two terms may be near each other in one field, and the next two in another.
  const pairs = terms.slice(1).map((right, at) => {
    const left = phrase(terms[at]?.tokens ?? [])
    const endings = tolerance === 'exact' ? [phrase(right.tokens)] : completed(right)
    const alternatives = endings.map((ending) =>
      closeness === 'adjacent' ? `${left} + ${ending}` : `NEAR(${left} ${ending}, ${nearWords})`,
    )
    return `(${fields} : (${alternatives.join(' OR ')}))`
  })
  return pairs.join(' AND ')
}

/** The full-text expression for all terms of any of the readings, in any field, with every way to match. */
export const anyReading = (readings: ExpandedTerm[][]): string =>
  readings.map((terms) => `(${allOf(terms, 'anywhere', allGroups, 'twoTypos')})`).join(' OR ')

/** How many groups of fields there are. */
export const allGroups = searchSettings.fieldGroups.length

/** The full-text expression for a single term, in any field, with every way to match. */
export const anyField = (term: ExpandedTerm): string => allOf([term], 'anywhere', allGroups, 'twoTypos')

/** The conditions of a search other than its terms. */
export interface Narrowing {
  /** Full-text expressions that must match, and that must not. */
  must: string[]
  mustNot: string[]
  /** SQL conditions on the full-text table `w`, joined with the documents `d` where `joins`. */
  conditions: { sql: string; values: SqlValue[] }[]
  joins: boolean
}

/** Filters and exclusions as conditions on the tables: tokens of the `tags` column, a range of ranks, a column. */
export function narrowingOf(filters: SkillFilters, excluded: SearchTerm[]): Narrowing {
  const tags = [
    ...(filters.owner === undefined ? [] : [tag('owner', filters.owner)]),
    ...(filters.topics ?? []).map((topic) => tag('topic', topic)),
    ...(filters.license === undefined ? [] : [tag('license', filters.license)]),
    ...(filters.language === undefined ? [] : [tag('language', filters.language)]),
    ...(filters.archived === undefined ? [] : [tag('archived', String(filters.archived))]),
  ]
  const conditions = [
    ...(filters.minStars === undefined ? [] : [{ sql: 'w.rowid < ?', values: [rankOfStars(filters.minStars - 1)] }]),
    ...(filters.updatedSince === undefined ? [] : [{ sql: 'd.updated_at >= ?', values: [filters.updatedSince] }]),
  ]
  return {
    must: tags.map((word) => `tags : "${word}"`),
    mustNot: excluded.map((term) => `${allFields} : (${phrase(term.tokens)})`),
    conditions,
    joins: conditions.some(({ sql }) => sql.includes('d.')),
  }
}

/** The whole expression: terms and conditions. */
export function narrowed(expression: string, { must, mustNot }: Narrowing): string {
  const wanted = [expression, ...must].map((each) => `(${each})`).join(' AND ')
  return mustNot.length === 0 ? wanted : `(${wanted}) NOT (${mustNot.map((each) => `(${each})`).join(' OR ')})`
}
