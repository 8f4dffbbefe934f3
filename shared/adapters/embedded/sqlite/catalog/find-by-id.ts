import type { Heir } from '../../../../ports/record-writer.js'
import { type FoundSkill, maxListTotal, maxOfRepository, type Repository } from '../../../../ports/skill-reader.js'
import { rankNearMatches } from '../../../../ranking/find-matches.js'
import { repositoryId } from '../../../../records/skill.js'
import { unavailable } from '../../../../runtime/errors.js'
import type { SqliteDatabase } from '../database.js'
import { stateCodes } from './skill-record.js'

/**
 * A skill of this id; for an id that is not published itself also the skill that had it before: the first published one
 * by id, or else the first removed one. Nothing leads to a hidden skill: its existence is not public.
 */
const foundById = `
  SELECT own.state, own.removed_at, own.record,
    heir.id AS heir_id, heir.state AS heir_state, heir.removed_at AS heir_removed_at
  FROM (SELECT ? AS wanted) LEFT JOIN skills own ON own.id = wanted
  LEFT JOIN skills heir ON heir.id = CASE WHEN own.state IS ${stateCodes.published} THEN NULL ELSE (
    SELECT s.id FROM former_ids f JOIN skills s ON s.id = f.id
    WHERE f.former_id = wanted AND s.state IN (${stateCodes.published}, ${stateCodes.removed})
    ORDER BY s.state <> ${stateCodes.published}, s.id LIMIT 1
  ) END`

interface FoundRow extends Record<string, string | number | null> {
  /** Null, as the next two: no skill has this id. */
  state: number | null
  removed_at: string | null
  record: string | null
  /** Null, as the next two: published, or not known by another id. */
  heir_id: string | null
  heir_state: number | null
  heir_removed_at: string | null
}

/**
 * Finds the skill of an id, or the reason for its absence, with one statement.
 *
 * @throws AppError `catalog_unavailable` (503) when the record is that of another id
 */
export function findById(db: SqliteDatabase, id: string): FoundSkill {
  const row = db.get<FoundRow>(foundById, [id])
  if (row?.state === stateCodes.published && row.record !== null) {
    return published(row.record, id)
  }
  if (row?.heir_state === stateCodes.published && row.heir_id !== null) {
    return { state: 'renamed', presentId: row.heir_id }
  }
  if (row?.state === stateCodes.removed) {
    return { state: 'removed', removedAt: row.removed_at ?? '' }
  }
  return row?.heir_state === stateCodes.removed
    ? { state: 'removed', removedAt: row.heir_removed_at ?? '' }
    : { state: 'unknown' }
}

/** @throws AppError when the record is that of another id: the file is damaged, or was replaced */
function published(record: string, id: string): FoundSkill {
  if (!record.startsWith(`{"id":${JSON.stringify(id)},`)) {
    throw unavailable('catalog_unavailable', 'The file of the catalog is damaged, or was replaced.', 30)
  }
  return { state: 'published', record }
}

/** The bounds of the ids of skills that have names of their own in a repository: "A" follows "@". */
export const idsIn = (repository: string): [string, string] => [`${repository}@`, `${repository}A`]

/** The ids of all records of a repository, see the port. */
export const idsOfRepository = (db: SqliteDatabase, repository: string): string[] =>
  db.column('SELECT id FROM skills WHERE id = ? OR (id > ? AND id < ?) ORDER BY id', [repository, ...idsIn(repository)])

/** The skills that had these ids before, see the port. */
export const findHeirs = (db: SqliteDatabase, formerIds: string[]): Heir[] =>
  db
    .all<{ former_id: string; id: string }>(
      'SELECT former_id, id FROM former_ids WHERE former_id IN (SELECT value FROM json_each(?))',
      [JSON.stringify(formerIds)],
    )
    .map(({ former_id, id }) => ({ formerId: former_id, id }))

/** The repository to which the skills of this one were renamed. */
function presentRepository(db: SqliteDatabase, repository: string): string | null {
  const heir = db.value<string>(
    `SELECT s.id FROM former_ids f JOIN skills s ON s.id = f.id
     WHERE f.former_id > ? AND f.former_id < ? AND s.state = ${stateCodes.published} LIMIT 1`,
    idsIn(repository),
  )
  return heir && repositoryId(heir)
}

/** A published skill of this id, if no other one in its repository has a name of its own. */
const foundAlone = `
  SELECT record FROM skills WHERE id = ? AND state = ${stateCodes.published} AND NOT EXISTS (
    SELECT 1 FROM skills WHERE id > ? AND id < ? AND state = ${stateCodes.published}
  )`

/** A repository, see the port. Most are one skill, which a short statement finds. */
export function readRepository(db: SqliteDatabase, repository: string, limit: number = maxOfRepository): Repository {
  const alone = db.value<string>(foundAlone, [repository, ...idsIn(repository)])
  return alone === null
    ? db.read(() => readNamed(db, repository, limit))
    : { own: published(alone, repository), records: [], total: 0, present: null }
}

function readNamed(db: SqliteDatabase, repository: string, limit: number): Repository {
  const own = findById(db, repository)
  const range = idsIn(repository)
  const records = db.column<string>(
    `SELECT record FROM (
       SELECT id, stars, record FROM skills WHERE id > ? AND id < ? AND state = ${stateCodes.published}
       ORDER BY id LIMIT ?
     ) ORDER BY stars DESC, id`,
    [...range, limit],
  )
  const counted =
    records.length < limit
      ? records.length
      : db.value(
          `SELECT count(*) FROM (
             SELECT 1 FROM skills WHERE id > ? AND id < ? AND state = ${stateCodes.published} LIMIT ${maxListTotal}
           )`,
          range,
        )
  const present = own.state === 'unknown' && records.length === 0 ? presentRepository(db, repository) : null
  return { own, records, total: Number(counted), present }
}

/** The maximum number of skills that are compared, from each place of possible near matches. */
const candidatesEach = 300

/**
 * Ids that are similar to an unknown one: of the same owner, of the same repository name elsewhere, or with the same
 * beginning. Best first.
 */
export function findNearMatches(db: SqliteDatabase, id: string, limit: number): string[] {
  const [owner = '', repo = ''] = id.split('/')
  const beginning = id.slice(0, Math.min(3, owner.length))
  const between = (first: string, end: string, order: 'ASC' | 'DESC') =>
    db.column<string>(`SELECT id FROM skills WHERE id >= ? AND id < ? AND state = 0 ORDER BY id ${order} LIMIT ?`, [
      first,
      end,
      candidatesEach,
    ])
  const candidates = [
    // Only the owner's skills just before and after the id: there may be thousands.
    ...between(`${owner}/`, id, 'DESC'),
    ...between(id, `${owner}0`, 'ASC'), // "0" follows "/": the end of this owner's ids
    ...db.column<string>('SELECT id FROM skills INDEXED BY skills_by_repo WHERE repo = ? AND state = 0 LIMIT ?', [
      repo,
      candidatesEach,
    ]),
    ...between(beginning, `${beginning}\u{10ffff}`, 'ASC'),
  ]
  return rankNearMatches(id, candidates, limit)
}
