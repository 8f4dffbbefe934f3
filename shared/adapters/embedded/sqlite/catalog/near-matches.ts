import { rankNearMatches } from '../../../../text/near-matches.js'
import type { SqliteDatabase } from '../database.js'

/** The maximum number of skills that are compared, from each place of possible near matches. */
const candidatesEach = 300

/**
 * Ids that are similar to an unknown one: of the same owner, of the same repository name elsewhere, or with the same
 * beginning. Best first.
 */
export function findNearMatches(db: SqliteDatabase, id: string, limit: number): string[] {
  const [owner = '', repo = ''] = id.split('/')
  const beginning = id.slice(0, Math.min(3, owner.length))
  const candidates = [
    // Those before and after it: an owner may have thousands.
    ...db.all('SELECT id FROM skills WHERE id >= ? AND id < ? AND state = 0 ORDER BY id DESC LIMIT ?', [
      `${owner}/`,
      id,
      candidatesEach,
    ]),
    ...db.all('SELECT id FROM skills WHERE id >= ? AND id < ? AND state = 0 ORDER BY id LIMIT ?', [
      id,
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
