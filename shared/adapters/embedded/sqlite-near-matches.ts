import { rankNearMatches } from '../../text/near-matches.js'
import type { SqliteDatabase } from './sqlite-database.js'

/** At most this many skills are compared, from each place where a near match may stand. */
const candidatesEach = 300

/**
 * Ids that look like one that is not there: of the same owner, of the same repository name elsewhere, or beginning
 * alike. Best first.
 */
export function findNearMatches(db: SqliteDatabase, id: string, limit: number): string[] {
  const [owner = '', repo = ''] = id.split('/')
  const beginning = id.slice(0, Math.min(3, owner.length))
  const candidates = [
    ...db.all('SELECT id FROM skills WHERE id >= ? AND id < ? AND state = 0 ORDER BY id LIMIT ?', [
      `${owner}/`,
      `${owner}0`, // "0" follows "/": the end of this owner's ids
      candidatesEach,
    ]),
    ...db.all('SELECT id FROM skills INDEXED BY skills_by_repo WHERE repo = ? AND state = 0 LIMIT ?', [
      repo,
      candidatesEach,
    ]),
    ...db.all('SELECT id FROM skills WHERE id >= ? AND id < ? AND state = 0 ORDER BY id LIMIT ?', [
      beginning,
      `${beginning}\u{10ffff}`,
      candidatesEach,
    ]),
  ].map((row) => String(row['id']))
  return rankNearMatches(id, candidates, limit)
}
