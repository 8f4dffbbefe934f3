import type { SkillFilters } from '../../../../ports/skill-reader.js'
import { rankOfStars } from '../../../../records/popularity-rank.js'
import type { Concept } from '../../../../text/concepts.js'
import type { SearchTerm } from '../../../../text/parse-search-text.js'
import type { SqlValue } from '../database.js'
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
  const tags = [
    ...(filters.owner === undefined ? [] : [tag('owner', filters.owner)]),
    ...(filters.topics ?? []).map((topic) => tag('topic', topic)),
    ...(filters.license === undefined ? [] : [tag('license', filters.license)]),
    ...(filters.language === undefined ? [] : [tag('language', filters.language)]),
    ...(filters.archived === undefined ? [] : [tag('archived', String(filters.archived))]),
  ]
  const conditions = [
    ...(filters.minStars === undefined
      ? []
      : [{ sql: 'w.rowid < ?', values: [BigInt(rankOfStars(filters.minStars - 1))] }]),
    ...(filters.updatedSince === undefined ? [] : [{ sql: 's.updated_at >= ?', values: [filters.updatedSince] }]),
  ]
  return {
    must: tags.map((word) => `tags : "${word}"`),
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
export function columnConditions(filters: SkillFilters): { sql: string; values: SqlValue[] } {
  const { owner, topics = [], license, language, archived, minStars, updatedSince } = filters
  const conditions: [string, SqlValue][] = [
    ...(owner === undefined ? [] : [['instr(s.id, ?) = 1', `${owner.toLowerCase()}/`] as [string, SqlValue]]),
    ...(license === undefined
      ? []
      : [["lower(s.record ->> 'license') = ?", license.toLowerCase()] as [string, SqlValue]]),
    ...(language === undefined
      ? []
      : [["lower(s.record ->> 'language') = ?", language.toLowerCase()] as [string, SqlValue]]),
    ...(minStars === undefined ? [] : [['s.stars >= ?', minStars] as [string, SqlValue]]),
    ...(updatedSince === undefined ? [] : [['s.updated_at >= ?', updatedSince] as [string, SqlValue]]),
    ...(archived === undefined ? [] : [["s.record ->> 'archived' = ?", archived ? 1 : 0] as [string, SqlValue]]),
    ...topics.map((topic): [string, SqlValue] => [
      "EXISTS (SELECT 1 FROM json_each(s.record, '$.topics') t WHERE t.value = ?)",
      topic,
    ]),
  ]
  return { sql: conditions.map(([sql]) => ` AND ${sql}`).join(''), values: conditions.map(([, value]) => value) }
}
