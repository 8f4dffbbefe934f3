import type { ScanPosition } from '../../../../ports/dataset-reader.js'
import { type Skill, skillOf } from '../../../../records/skill.js'
import type { SqliteDatabase, SqlValue } from '../database.js'

/** Published skills by id, after `afterId` (null: from the start). */
export const scanById = (db: SqliteDatabase, afterId: string | null, limit: number): Skill[] =>
  readSkills(db, 'skills WHERE state = 0 AND id > ? ORDER BY id LIMIT ?', [afterId ?? '', limit])

/** Published skills by stars, as the index orders its documents: those of a page are written next to each other. */
export function scanByStars(db: SqliteDatabase, after: ScanPosition | null, limit: number): Skill[] {
  const skills: Skill[] = []
  const read = (condition: string, values: SqlValue[]) => {
    const source = `skills INDEXED BY skills_by_stars WHERE state = 0 AND ${condition} ORDER BY stars DESC, id LIMIT ?`
    skills.push(...readSkills(db, source, [...values, limit - skills.length]))
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

/** @param source what follows FROM */
const readSkills = (db: SqliteDatabase, source: string, values: SqlValue[]): Skill[] =>
  db.all<{ record: string }>(`SELECT record FROM ${source}`, values).map(skillOf)
