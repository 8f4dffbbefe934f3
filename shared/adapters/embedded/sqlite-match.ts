import type { SkillFilters } from '../../ports/catalog-store.js'
import { rankOfStars } from '../../records/popularity-rank.js'
import { searchSettings } from '../../search-settings.js'
import { isUnspaced } from '../../text/analyze.js'
import type { SearchTerm, SearchText } from '../../text/parse-search-text.js'
import { maxJoined } from '../../text/skill-matches.js'
import type { SqliteDatabase, SqlValue } from './sqlite-database.js'
import { type Slot, tag } from './sqlite-index-tables.js'
import { type Corrections, correctionsOf, isCommonBeginning, isKnown, splitOf } from './sqlite-spelling.js'

/** A term of the query with the words of the index that it may stand for. */
export interface ExpandedTerm extends SearchTerm {
  prefix: boolean
  /** Of a prefix: the words it may be completed to, itself included; null: whatever begins so. */
  completions: string[] | null
  /** Whether so many words begin with this prefix that Meilisearch keeps it as a word of its own. */
  common: boolean
  corrections: Corrections
  /** Two words that stand together where this one is asked for; null: none. */
  split: [string, string] | null
  /** How many of the query's words it is made of: one, or several written together. */
  joins: number
}

/** How loosely terms are taken: as written; completed; and with one or two typos forgiven. */
export type Looseness = 'exact' | 'prefix' | 'oneTypo' | 'twoTypos'

/** A prefix with no more completions than this is looked up by them. */
const fewCompletions = 8

/**
 * A prefix that stands in so many documents as a word is completed to its most frequent completions only: to gather
 * every word that begins so would cost more than the rest of the search, for matches that rank behind all of its own
 * and are not counted any more.
 */
const frequentWord = searchSettings.counted

/** At most so many ways to read a query are looked at. */
const maxReadings = 8

/**
 * The ways to read a text: its terms, each with the words it may stand for, and the same with neighbours written
 * together where the index has such a word. The first is the text as it was written.
 */
export function readingsOf(db: SqliteDatabase, slot: Slot, text: SearchText): ExpandedTerm[][] {
  const single = text.terms.map((term, position) =>
    expandTerm(db, slot, term, { prefix: text.lastIsPrefix && position === text.terms.length - 1, joins: 1 }),
  )
  const joined = joinedTerms(db, slot, single)
  let readings: ExpandedTerm[][] = [[]]
  // From the end: each place goes on with every reading of what follows it.
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

/** Neighbouring words written together, by the place of the first, as far as the index knows them. */
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
  const asItIs = term.quoted || term.tokens.length > 1
  return {
    ...term,
    prefix,
    joins,
    common: prefix && isCommonBeginning(db, slot, word),
    completions: prefix ? completionsOf(db, slot, word) : null,
    corrections: asItIs
      ? { one: [], two: [] }
      : correctionsOf(db, slot, word, { unfinished: prefix, fewer: joins - 1 }),
    split: asItIs ? null : splitOf(db, slot, word),
  }
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

const allFields = `{${searchSettings.fieldGroups.flat().join(' ')}}`

/** Words in a row. */
export const phrase = (tokens: string[]): string => tokens.map((token) => `"${token}"`).join(' + ')

/** The ways in which a term may be written, as operands of OR. */
const completed = ({ tokens, prefix, completions }: ExpandedTerm): string[] =>
  prefix ? (completions?.map((word) => `"${word}"`) ?? [`${phrase(tokens)} *`]) : [phrase(tokens)]

function termExpression(term: ExpandedTerm, looseness: Looseness): string {
  if (looseness === 'exact') {
    return `(${phrase(term.tokens)})`
  }
  const { one, two } = term.corrections
  const corrections = looseness === 'prefix' ? [] : looseness === 'oneTypo' ? one : [...one, ...two]
  const split = term.split !== null && looseness !== 'prefix' ? [phrase(term.split)] : []
  const ways = [...completed(term), ...corrections.map((word) => `"${word}"`), ...split]
  return `(${[...new Set(ways)].join(' OR ')})`
}

/** A term in some fields. Of a phrase only the first word need be in them: Meilisearch looks no closer. */
function termIn(fields: string, term: ExpandedTerm, looseness: Looseness): string {
  const [first] = term.tokens
  return term.tokens.length > 1
    ? `(${fields} : "${first}") AND (${allFields} : (${phrase(term.tokens)}))`
    : `${fields} : ${termExpression(term, looseness)}`
}

/** How many other words may stand between words that are near each other. */
const nearWords = 2

/** How close together neighbouring terms are asked to stand: one behind the other, within a few words, anywhere. */
export type Closeness = 'adjacent' | 'near' | 'anywhere'

/**
 * The full-text expression for all of `terms`.
 *
 * @param groups how many of the settings' field groups are looked in, the most telling first
 */
export function allOf(terms: ExpandedTerm[], closeness: Closeness, groups: number, looseness: Looseness): string {
  const fields = `{${searchSettings.fieldGroups.slice(0, groups).flat().join(' ')}}`
  if (closeness === 'anywhere') {
    return terms.map((term) => `(${termIn(fields, term, looseness)})`).join(' AND ')
  }
  // Each with the next: the first two may stand together in one field, and the next two in another.
  const pairs = terms.slice(1).map((right, at) => {
    const left = phrase(terms[at]?.tokens ?? [])
    const endings = looseness === 'exact' ? [phrase(right.tokens)] : completed(right)
    const ways = endings.map((ending) =>
      closeness === 'adjacent' ? `${left} + ${ending}` : `NEAR(${left} ${ending}, ${nearWords})`,
    )
    return `(${fields} : (${ways.join(' OR ')}))`
  })
  return pairs.join(' AND ')
}

/** The full-text expression for all terms of any of the readings, in any field, as loosely as they may be taken. */
export const anyReading = (readings: ExpandedTerm[][]): string =>
  readings.map((terms) => `(${allOf(terms, 'anywhere', allGroups, 'twoTypos')})`).join(' OR ')

/** How many groups of fields there are. */
export const allGroups = searchSettings.fieldGroups.length

/** The full-text expression for one term alone, in any field, as loosely as it may be taken. */
export const anyField = (term: ExpandedTerm): string => allOf([term], 'anywhere', allGroups, 'twoTypos')

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
    mustNot: excluded.map((term) => `${allFields} : (${phrase(term.tokens)})`),
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
