import type { FoundSkill } from '../../../../ports/skill-reader.js'
import { unavailable } from '../../../../runtime/errors.js'
import type { SqliteDatabase } from '../database.js'
import { stateCodes } from './skill-record.js'

/** A skill of this id, and the first published one by id that had it before, for an id that is not published itself. */
const foundById = `
  SELECT state, removed_at, record,
    CASE WHEN state IS ${stateCodes.published} THEN NULL ELSE (
      SELECT f.id FROM former_ids f JOIN skills s ON s.id = f.id AND s.state = ${stateCodes.published}
      WHERE f.former_id = wanted ORDER BY f.id LIMIT 1
    ) END AS present_id
  FROM (SELECT ? AS wanted) LEFT JOIN skills ON id = wanted`

interface FoundRow extends Record<string, string | number | null> {
  /** Null, as the next two: no skill has this id. */
  state: number | null
  removed_at: string | null
  record: string | null
  /** Null: published, or not known by another id. */
  present_id: string | null
}

/**
 * Finds the skill of an id, or the reason for its absence, with one statement.
 *
 * @throws AppError `catalog_unavailable` (503) when the record is that of another id: the file is damaged, or was
 * replaced
 */
export function findById(db: SqliteDatabase, id: string): FoundSkill {
  const row = db.get<FoundRow>(foundById, [id])
  if (row?.state === stateCodes.published && row.record !== null) {
    if (!row.record.startsWith(`{"id":${JSON.stringify(id)},`)) {
      throw unavailable('catalog_unavailable', 'The file of the catalog is damaged, or was replaced.', 30)
    }
    return { state: 'published', record: row.record }
  }
  if (row !== null && row.present_id !== null) {
    return { state: 'renamed', presentId: row.present_id }
  }
  return row?.state === stateCodes.removed
    ? { state: 'removed', removedAt: row.removed_at ?? '' }
    : { state: 'unknown' }
}
