import type { ScanPosition } from '../../../../ports/dataset-reader.js'
import type { Skill } from '../../../../records/skill.js'
import type { SqliteDatabase, SqlValue } from '../database.js'

/** Published skills by id, after `afterId` (null: from the start). */
export const scanById = (db: SqliteDatabase, afterId: string | null, limit: number): Skill[] =>
  readSkills(db, 'skills', 'id > ?', 'id', [afterId ?? ''], limit)

/** Published skills by stars, as the index orders its documents: those of a page are written next to each other. */
export function scanByStars(db: SqliteDatabase, after: ScanPosition | null, limit: number): Skill[] {
  const skills: Skill[] = []
  const read = (condition: string, values: SqlValue[]) => {
    const table = 'skills INDEXED BY skills_by_stars'
    skills.push(...readSkills(db, table, condition, 'stars DESC, id', values, limit - skills.length))
  }
  return db.read(() => {
    if (after !== null) {
      read('stars IS ? AND id > ?', [after.stars, after.id])
    }
    if (after?.stars !== null) {
      read('stars < ?', [after?.stars ?? Number.MAX_SAFE_INTEGER])
      read('stars IS NULL', [])
    }
    return skills
  })
}

/** Published skills of a condition, in an order. */
const readSkills = (
  db: SqliteDatabase,
  table: string,
  condition: string,
  order: string,
  values: SqlValue[],
  limit: number,
): Skill[] =>
  db
    .all<{ record: string }>(`SELECT record FROM ${table} WHERE state = 0 AND ${condition} ORDER BY ${order} LIMIT ?`, [
      ...values,
      limit,
    ])
    .map(({ record }) => JSON.parse(record) as Skill)
