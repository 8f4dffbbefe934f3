import type { StoredSkill } from '../../records/skill.js'
import { fold } from '../../text/analyze.js'
import { canonicalJson } from '../../text/canonical-json.js'
import type { SqliteDatabase } from './sqlite-database.js'
import { facetCodes } from './sqlite-skill-list.js'

/** How the tables write a record's state. */
export const stateCodes = { published: 0, hidden: 1, removed: 2 } as const

/** What one write did to one record. */
export type WriteOutcome = 'added' | 'changed' | 'unchanged'

/** Changes of the facets' totals, gathered over a batch so that each row is written once. */
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

/** Writes one skill as it is to be from now on. Must run inside a write transaction. */
export function writeSkill(db: SqliteDatabase, skill: StoredSkill, now: string, totals: FacetTotals): WriteOutcome {
  const before = db.get<{ rowid: number; record: string }>('SELECT rowid, record FROM skills WHERE id = ?', [skill.id])
  const previous = before === null ? null : (JSON.parse(before.record) as StoredSkill)
  const sameRecord = canonicalJson({ ...skill, indexedAt: previous?.indexedAt ?? null })
  if (before?.record === sameRecord) {
    return 'unchanged'
  }
  const sequence = nextSequence(db)
  const [owner = '', repo = ''] = skill.id.split('/')
  const values = [
    stateCodes[skill.state],
    sequence,
    repo,
    fold(skill.name),
    skill.stars,
    skill.createdAt,
    skill.updatedAt,
    skill.removedAt,
    canonicalJson({ ...skill, indexedAt: now }),
  ]
  let rowid = before?.rowid
  if (rowid === undefined) {
    db.run(
      'INSERT INTO skills (id, state, sequence, repo, name_key, stars, created_at, updated_at, removed_at, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      [skill.id, ...values],
    )
    rowid = Number(db.get('SELECT rowid FROM skills WHERE id = ?', [skill.id])?.['rowid'])
  } else {
    db.run(
      'UPDATE skills SET state = ?, sequence = ?, repo = ?, name_key = ?, stars = ?, created_at = ?, updated_at = ?, removed_at = ?, record = ? WHERE rowid = ?',
      [...values, rowid],
    )
  }
  updateFacets(db, rowid, previous, skill, owner, totals)
  updateFormerIds(db, previous, skill)
  return before === null ? 'added' : 'changed'
}

function nextSequence(db: SqliteDatabase): number {
  db.run(`UPDATE counters SET value = value + 1 WHERE name = 'sequence'`)
  return Number(db.get(`SELECT value FROM counters WHERE name = 'sequence'`)?.['value'])
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
    // The row of all skills would say no more than the table of skills does.
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
