import { nextSequence, sequenceStep } from '../../../../ports/change-log.js'
import { contentHash } from '../../../../records/content-hash.js'
import type { StoredSkill } from '../../../../records/skill.js'
import { fold } from '../../../../text/analyze.js'
import { canonicalJson } from '../../../../text/canonical-json.js'
import type { SqliteDatabase, SqlRow } from '../database.js'
import { facetCodes } from './skill-list.js'

/** The codes of record states in the tables. */
export const stateCodes = { published: 0, hidden: 1, removed: 2 } as const

/** The effect of one write on one record. */
export type WriteOutcome = 'added' | 'changed' | 'unchanged'

/** Changes of the facet totals, summed over a batch so that each row is written once. */
export class FacetTotals {
  readonly #changes = new Map<string, { facet: string; value: string; skills: number; stars: number }>()

  add(facet: string, value: string, skills: number, stars: number): void {
    const key = `${facet}${value}`
    const change = this.#changes.get(key) ?? { facet, value, skills: 0, stars: 0 }
    change.skills += skills
    change.stars += stars
    this.#changes.set(key, change)
  }

  write(db: SqliteDatabase): void {
    for (const { facet, value, skills, stars } of this.#changes.values()) {
      if (skills !== 0 || stars !== 0) {
        db.run(
          `INSERT INTO facet_totals VALUES (?, ?, ?, ?)
           ON CONFLICT (facet, value) DO UPDATE SET skills = skills + excluded.skills, stars = stars + excluded.stars`,
          [facet, value, skills, stars],
        )
        db.run('DELETE FROM facet_totals WHERE facet = ? AND value = ? AND skills <= 0', [facet, value])
      }
    }
  }
}

/** A skill's row before it is written. */
interface RowBefore extends SqlRow {
  rowid: number
  record: string
  content_hash: string | null
}

/**
 * Writes one skill, and logs the change if its public content has changed. Must run inside a write transaction.
 *
 * @param now the time of the write
 */
export function writeSkill(db: SqliteDatabase, skill: StoredSkill, now: Date, totals: FacetTotals): WriteOutcome {
  const before = db.get<RowBefore>('SELECT rowid, record, content_hash FROM skills WHERE id = ?', [skill.id])
  const previous = before === null ? null : (JSON.parse(before.record) as StoredSkill)
  const sameRecord = canonicalJson({ ...skill, indexedAt: previous?.indexedAt ?? null })
  if (before?.record === sameRecord) {
    return 'unchanged'
  }
  const hash = skill.state === 'published' ? contentHash(skill) : null
  const isLogged = hash !== (before?.content_hash ?? null)
  const indexedAt = isLogged || previous === null ? now.toISOString() : previous.indexedAt
  const [owner = '', repo = ''] = skill.id.split('/')
  const values = [
    stateCodes[skill.state],
    repo,
    fold(skill.name),
    skill.stars,
    skill.createdAt,
    skill.updatedAt,
    skill.removedAt,
    canonicalJson({ ...skill, indexedAt }),
  ]
  let rowid = before?.rowid
  if (rowid === undefined) {
    db.run(
      'INSERT INTO skills (id, state, repo, name_key, stars, created_at, updated_at, removed_at, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      [skill.id, ...values],
    )
    rowid = Number(db.get('SELECT rowid FROM skills WHERE id = ?', [skill.id])?.['rowid'])
  } else {
    db.run(
      'UPDATE skills SET state = ?, repo = ?, name_key = ?, stars = ?, created_at = ?, updated_at = ?, removed_at = ?, record = ? WHERE rowid = ?',
      [...values, rowid],
    )
  }
  if (isLogged) {
    logChange(db, rowid, hash, now)
  }
  updateFacets(db, rowid, previous, skill, owner, totals)
  updateFormerIds(db, previous, skill)
  return before === null ? 'added' : 'changed'
}

/**
 * Gives a skill's row the next sequence of the change log. Must run inside a write transaction.
 *
 * @param hash of the public content; null: no longer published
 */
export function logChange(db: SqliteDatabase, rowid: number, hash: string | null, now: Date): void {
  const head = Number(db.get('SELECT head FROM change_log')?.['head'] ?? 0)
  const sequence = nextSequence(head, now)
  // No reader can continue from before the first change.
  db.run('UPDATE change_log SET head = ?, horizon = CASE head WHEN 0 THEN ? ELSE horizon END', [
    sequence,
    sequence - sequenceStep,
  ])
  db.run('UPDATE skills SET sequence = ?, content_hash = ?, changed_at = ? WHERE rowid = ?', [
    sequence,
    hash,
    now.toISOString(),
    rowid,
  ])
}

function facetsOf(skill: StoredSkill | null, owner: string): Map<string, [facet: string, value: string]> {
  if (skill === null || skill.state !== 'published') {
    return new Map()
  }
  const pairs: [string, string][] = [
    [facetCodes.all, ''],
    [facetCodes.owner, owner],
    [facetCodes.archived, String(skill.archived)],
    ...skill.topics.map((topic): [string, string] => [facetCodes.topic, topic.toLowerCase()]),
  ]
  if (skill.license !== null) {
    pairs.push([facetCodes.license, skill.license.toLowerCase()])
  }
  if (skill.language !== null) {
    pairs.push([facetCodes.language, skill.language.toLowerCase()])
  }
  return new Map(pairs.map((pair) => [pair.join(''), pair]))
}

function updateFacets(
  db: SqliteDatabase,
  rowid: number,
  previous: StoredSkill | null,
  skill: StoredSkill,
  owner: string,
  totals: FacetTotals,
): void {
  const before = facetsOf(previous, owner)
  const after = facetsOf(skill, owner)
  for (const [key, [facet, value]] of before) {
    totals.add(facet, value, -1, -(previous?.stars ?? 0))
    // A row for each skill under `all` would only repeat the table of skills.
    if (!after.has(key) && facet !== facetCodes.all) {
      db.run('DELETE FROM skill_facets WHERE facet = ? AND value = ? AND skill = ?', [facet, value, rowid])
    }
  }
  for (const [key, [facet, value]] of after) {
    totals.add(facet, value, 1, skill.stars ?? 0)
    if (!before.has(key) && facet !== facetCodes.all) {
      db.run('INSERT INTO skill_facets VALUES (?, ?, ?)', [facet, value, rowid])
    }
  }
}

function updateFormerIds(db: SqliteDatabase, previous: StoredSkill | null, skill: StoredSkill): void {
  if (previous !== null && previous.formerIds.length > 0) {
    db.run('DELETE FROM former_ids WHERE id = ?', [skill.id])
  }
  if (skill.state === 'published') {
    for (const formerId of skill.formerIds) {
      db.run('INSERT OR IGNORE INTO former_ids VALUES (?, ?)', [formerId.toLowerCase(), skill.id])
    }
  }
}
