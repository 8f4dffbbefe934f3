import type { SkillFilters } from '../../../../ports/filter-table.js'
import type { Concept, Vocabulary } from '../../../../ranking/concepts.js'
import type { SearchTerm } from '../../../../ranking/interpret-query.js'
import { queryTypos, spellingVariants, toleratedTypos } from '../../../../ranking/spelling.js'
import { rankOfStars } from '../../../../records/content-hash.js'
import { searchSettings } from '../../../../search-settings.js'
import { stemOf } from '../../../../text/analyze.js'
import { askedFacets, hasFacet, rangesOf } from '../catalog/filter-columns.js'
import type { SqliteDatabase, SqlValue } from '../database.js'
import { tag } from './index-tables.js'

/** Words in a row. */
export const phrase = (tokens: readonly string[]): string => tokens.map((token) => `"${token}"`).join(' + ')

/** The expression for any of the alternatives of a concept, in any column. */
function anyOf({ alternatives, isPrefix, completions, tokens }: Concept): string {
  const words = isPrefix && completions !== null ? completions.map((word) => [word]) : []
  const texts = new Set([...alternatives.map((each) => each.tokens), ...words].map(phrase))
  return `(${[...texts, ...(isPrefix && completions === null ? [`${phrase(tokens)} *`] : [])].join(' OR ')})`
}

/** The expression for all of these concepts. */
export const allOf = (concepts: readonly Concept[]): string => concepts.map(anyOf).join(' AND ')

/** The conditions of a search other than its words. */
export interface Narrowing {
  /** Full-text expressions that must match, and that must not. */
  must: string[]
  mustNot: string[]
  /** SQL conditions on the full-text table `w`, joined with the skills `s` where `joins`. */
  conditions: { sql: string; values: SqlValue[] }[]
  joins: boolean
}

/** Filters and exclusions as conditions on the tables: tokens of the `tags` column, a range of ranks, a column. */
export function narrowingOf(filters: SkillFilters, excluded: SearchTerm[]): Narrowing {
  const conditions = rangesOf(filters).map(({ field, sql, values }) =>
    // The rank of a document says how many stars its skill has.
    field === 'stars' ? { sql: 'w.rowid < ?', values: [BigInt(rankOfStars(Number(values[0]) - 1))] } : { sql, values },
  )
  return {
    must: askedFacets(filters).map(({ parameter, value }) => `tags : "${tag(parameter, value)}"`),
    mustNot: excluded.map((term) => phrase(term.tokens)),
    conditions,
    joins: conditions.some(({ sql }) => sql.includes('s.')),
  }
}

/** The whole expression: words, which null leaves open, and conditions. No word of a text equals a tag. */
export function narrowed(expression: string | null, { must, mustNot }: Narrowing): string {
  const words = expression ?? `tags : "${tag('all')}"`
  const wanted = [words, ...must].map((each) => `(${each})`).join(' AND ')
  return mustNot.length === 0 ? wanted : `(${wanted}) NOT (${mustNot.map((each) => `(${each})`).join(' OR ')})`
}

/** Whether anything but the words decides. */
export const isNarrowed = ({ must, mustNot, conditions }: Narrowing): boolean =>
  must.length + mustNot.length + conditions.length > 0

/** The filters as conditions on the row of a skill `s`. */
export function rowConditions(filters: SkillFilters): { sql: string; values: SqlValue[] } {
  const conditions = [...askedFacets(filters).map(hasFacet('s.rowid')), ...rangesOf(filters)]
  return {
    sql: conditions.map(({ sql }) => ` AND ${sql}`).join(''),
    values: conditions.flatMap(({ values }) => values),
  }
}

/** Words of the map that are compared with a misspelled one. */
const maxCompared = 500

/** Documents with words of one beginning: FTS5 merges the lists of so many in a millisecond or two. */
const maxMerged = 20_000

/** The most frequent words that are searched in place of a beginning of more documents. */
const maxCompletions = 24

/** The words of an index's documents. */
export class SqliteVocabulary implements Vocabulary {
  readonly #db: SqliteDatabase
  #documents: number | undefined

  constructor(db: SqliteDatabase) {
    this.#db = db
  }

  /** Robertson and Spärck Jones' inverse document frequency, as BM25 has it. */
  rarity(documents: number): number {
    return Math.log(1 + (Math.max(0, this.documents - documents) + 0.5) / (documents + 0.5))
  }

  count(words: string[]): Map<string, number> {
    return new Map(
      this.#db
        .all<{ term: string; documents: number }>(
          `SELECT term, documents FROM terms WHERE term IN (SELECT value FROM json_each(?))`,
          [JSON.stringify(words)],
        )
        .map(({ term, documents }) => [term, documents]),
    )
  }

  /** The documents of all of these words, one with two of them counted twice. */
  occurrences(words: string[]): number {
    return words.length === 0 ? 0 : [...this.count(words).values()].reduce((sum, documents) => sum + documents, 0)
  }

  withStems(stems: string[]): Map<string, string[]> {
    const words = new Map<string, string[]>()
    const asked = JSON.stringify(stems)
    const rows = this.#db.all<{ term: string }>(
      `SELECT term, documents FROM terms WHERE stem IN (SELECT value FROM json_each(?1))
       UNION ALL
       SELECT term, documents FROM terms WHERE term IN (SELECT value FROM json_each(?1)) AND stem IS NULL
       ORDER BY documents DESC LIMIT ?2`,
      [asked, stems.length * searchSettings.maxForms * 4],
    )
    for (const { term } of rows) {
      const stem = stemOf(term)
      words.set(stem, [...(words.get(stem) ?? []), term])
    }
    return words
  }

  hasBeginning(prefix: string): boolean {
    const first = this.#db.get<{ term: string }>(`SELECT term FROM terms WHERE term >= ? ORDER BY term LIMIT 1`, [
      prefix,
    ])
    return first?.term.startsWith(prefix) ?? false
  }

  completions(prefix: string): string[] | null {
    const rows = this.#db.all<{ term: string; occurrences: number }>(
      `SELECT term, sum(documents) OVER () AS occurrences FROM terms WHERE term >= ? AND term < ?
       ORDER BY documents DESC LIMIT ?`,
      [prefix, `${prefix}\u{10ffff}`, maxCompletions],
    )
    return (rows[0]?.occurrences ?? 0) <= maxMerged ? null : rows.map(({ term }) => term)
  }

  /** The number of documents. */
  get documents(): number {
    this.#documents ??= this.count([tag('all')]).get(tag('all')) ?? 0
    return this.#documents
  }

  similar(word: string): string[] {
    const tolerated = toleratedTypos(word)
    if (tolerated === 0) {
      return []
    }
    const near = this.#db
      .all<{ term: string; documents: number }>(
        `SELECT t.term AS term, t.documents AS documents FROM terms t WHERE t.id IN (
           SELECT s.term FROM spelling s WHERE s.variant IN (SELECT value FROM json_each(?))
         ) ORDER BY t.documents DESC, t.term LIMIT ?`,
        [JSON.stringify([...spellingVariants(word, tolerated)]), maxCompared],
      )
      .map(({ term, documents }) => ({ term, documents, typos: queryTypos(word, term, tolerated) }))
      .filter(({ typos }) => typos <= tolerated)
    const fewest = Math.min(...near.map(({ typos }) => typos))
    return near.filter(({ typos }) => typos === fewest).map(({ term }) => term)
  }
}
