import { type ListSort, maxDividedSkills, type SkillListQuery } from '../../../../ports/skill-reader.js'
import type { SqliteDatabase } from '../database.js'
import { columns } from '../filters.js'
import type { ListTotals, SkillTotal, SqlPart } from './list-totals.js'
import { type ListMatches, matchingRows, otherMatches, repositoryTotal, whereAll } from './skill-list.js'

/** The id of the repository of a skill, see `repositoryId`. */
const repositoryOf = (skill: string): string => `substr(${skill}.id, 1, instr(${skill}.id || '@', '@') - 1)`

/**
 * The published skills `o` of a repository, found by their ids: "A" follows "@". The plus keeps SQLite from reading an
 * index of all published skills instead.
 */
export const skillsOf = (repository: string): SqlPart => ({
  sql: `(o.id = ${repository} OR (o.id > ${repository} || '@' AND o.id < ${repository} || 'A')) AND +o.state = 0`,
  values: [],
})

/** The matches in the repository of a skill `s`. */
const matchesOfRepository = (matches: ListMatches, more: SqlPart[]): SqlPart =>
  whereAll('skills o', [skillsOf(repositoryOf('s')), ...otherMatches(matches), ...more])

/** The condition that no match of its repository stands before a skill `s` in the list. */
export function isFirstOfRepository(matches: ListMatches, { sort, order }: SkillListQuery): SqlPart {
  const { sql, values } = matchesOfRepository(matches, [{ sql: `(${precedes(sort, order)})`, values: [] }])
  return { sql: `NOT EXISTS (SELECT 1 FROM ${sql})`, values }
}

/** The number of the other matches in the repository of a skill `s`. */
export function countOthers(matches: ListMatches): SqlPart {
  const { sql, values } = matchesOfRepository(matches, [])
  return { sql: `(SELECT count(*) FROM ${sql}) - 1`, values }
}

/** Whether a skill `o` stands before a skill `s` in the list: the order that `partsAfter` reads in parts. */
function precedes(sort: ListSort, order: 'asc' | 'desc'): string {
  if (sort === 'trending') {
    const [other, own] = ['nullif(o.trend, 0)', 'nullif(s.trend, 0)']
    const byStars = `${other} IS NULL AND ${own} IS NULL AND (${precedes('stars', order)})`
    return `${isBefore(order, other, own)} OR (${other} = ${own} AND ${isIdBefore(sort, order)}) OR (${byStars})`
  }
  const [other, own] = [`o.${columns[sort].column}`, `s.${columns[sort].column}`]
  return `${isBefore(order, other, own)} OR (${other} IS ${own} AND ${isIdBefore(sort, order)})`
}

/** Values before others, those without one last. */
const isBefore = (order: 'asc' | 'desc', other: string, own: string): string =>
  `${other} ${order === 'asc' ? '<' : '>'} ${own} OR (${other} IS NOT NULL AND ${own} IS NULL)`

const isIdBefore = (sort: ListSort, order: 'asc' | 'desc'): string =>
  (order === 'asc') === columns[sort].ascending ? 'o.id < s.id' : 'o.id > s.id'

/** Counts the repositories of the matches, see `maxDividedSkills`; without filters their number is known. */
export function totalOfRepositories(db: SqliteDatabase, matches: ListMatches, totals: ListTotals): SkillTotal {
  const { facets, ranges, total } = matches
  if (facets.length + ranges.length === 0) {
    return { total: repositoryTotal(db), totalIsLowerBound: false }
  }
  if (total.total === 0) {
    return total
  }
  const matching = matchingRows(matches)
  const rows = `(SELECT ${repositoryOf('s')} AS repository FROM ${matching.sql} LIMIT ${maxDividedSkills})`
  const counted = totals.count(db, { ...matching, sql: `(SELECT DISTINCT repository FROM ${rows})` })
  const areMore = () =>
    total.totalIsLowerBound
      ? totals.count(db, matching, maxDividedSkills).totalIsLowerBound
      : total.total > maxDividedSkills
  return { ...counted, totalIsLowerBound: counted.totalIsLowerBound || areMore() }
}
