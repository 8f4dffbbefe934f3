import type { PutOptions, PutResult } from '../../../../ports/record-writer.js'
import { type Content, contentOf } from '../../../../records/content-hash.js'
import { repositoryId, type StoredSkill } from '../../../../records/skill.js'
import { foldLetters } from '../../../../text/analyze.js'
import { recordToWrite } from '../../../../write-outcome.js'
import { LogEnd } from '../change-log/change-log.js'
import type { SqliteDatabase } from '../database.js'
import { countRows, facetCodes, facetsOfSkill } from '../filters.js'
import { skillsOf } from './skill-list.js'
import {
  hasContent,
  moreText,
  publicText,
  type RecordRow,
  recordColumns,
  stateCodes,
  stateOf,
  storedSkill,
} from './skill-record.js'
import { dropContent, keepContents } from './skill-texts.js'

interface RowBefore extends RecordRow {
  rowid: number
  id: string
  content_hash: string | null
}

/**
 * Writes skills, each once, with their texts, and logs those whose public content or text has changed. Must run inside a
 * write transaction.
 *
 * @param now the time of the write
 */
export function writeSkills(db: SqliteDatabase, skills: StoredSkill[], now: Date, options: PutOptions = {}): PutResult {
  const held: string[] = []
  const counts: PutResult = { added: 0, changed: 0, unchanged: 0, ...(options.holdChanges ? { held } : {}) }
  const log = new LogEnd(db, now)
  const facets = new FacetChanges()
  const ids = JSON.stringify(skills.map(({ id }) => id))
  const rows = new Map(
    db
      .all<RowBefore>(
        `SELECT rowid, id, content_hash, ${recordColumns} FROM skills WHERE id IN (SELECT value FROM json_each(?))`,
        [ids],
      )
      .map((row) => [row.id, row]),
  )
  let nextRow = (db.value<number>('SELECT max(rowid) FROM skills') ?? 0) + 1
  for (const record of skills) {
    const before = rows.get(record.id) ?? null
    const stored = before && { state: stateOf(before.state), members: () => ({ ...storedSkill(before) }) }
    const skill = recordToWrite(record.id, record, stored, options)
    const content = contentOf(skill)
    const more = moreText(skill)
    if (before !== null && isUnchanged(before, skill, content, more)) {
      counts.unchanged += 1
      continue
    }
    if (before !== null && options.holdChanges) {
      held.push(skill.id)
      continue
    }
    const previous = before === null ? null : storedSkill(before)
    const hash = skill.state === 'published' ? content.hash() : null
    const isLogged = hash !== (before?.content_hash ?? null)
    const indexedAt = isLogged || previous === null ? now.toISOString() : previous.indexedAt
    const values = [
      stateCodes[skill.state],
      skill.id.slice(skill.id.indexOf('/') + 1),
      foldLetters(skill.name),
      skill.stars,
      skill.createdAt,
      skill.updatedAt,
      skill.removedAt,
      publicText(content, indexedAt),
      more,
    ]
    const rowid = before?.rowid ?? nextRow
    if (before === null) {
      nextRow += 1
      db.run(
        `INSERT INTO skills (rowid, id, state, repo, name_key, stars, created_at, updated_at, removed_at, record,
           more, sequence, content_hash, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        [rowid, skill.id, ...values, ...(isLogged ? [log.next(), hash, now.toISOString()] : [null, null, null])],
      )
    } else {
      db.run(
        'UPDATE skills SET state = ?, repo = ?, name_key = ?, stars = ?, created_at = ?, updated_at = ?, removed_at = ?, record = ?, more = ? WHERE rowid = ?',
        [...values, rowid],
      )
      if (isLogged) {
        log.append(rowid, hash)
      }
    }
    // The kept content belongs to the earlier digest.
    if (previous?.digest && (skill.digest !== previous.digest || skill.state === 'removed')) {
      if (dropContent(db, rowid) && skill.digest === null && skill.state !== 'removed') {
        counts.droppedTexts = (counts.droppedTexts ?? 0) + 1
      }
    }
    facets.change(rowid, previous, skill)
    updateFormerIds(db, previous, skill)
    counts[before === null ? 'added' : 'changed'] += 1
  }
  const written = new Set(skills.map(({ id }) => id))
  for (const id of held) {
    written.delete(id)
  }
  keepContents(
    db,
    (options.contents ?? []).filter(({ id }) => written.has(id)),
    log,
  )
  log.write()
  facets.write(db)
  return counts
}

const isUnchanged = (before: RowBefore, skill: StoredSkill, content: Content, more: string | null): boolean =>
  before.state === stateCodes[skill.state] &&
  before.removed_at === skill.removedAt &&
  before.more === more &&
  hasContent(before.record, content)

/** Changes of what skills can be filtered by, summed over a batch so that each row is written once. */
class FacetChanges {
  readonly #totals = new Map<string, { facet: string; value: string; skills: number; stars: number }>()
  /** How many more skills of a repository are published than before, by repository. */
  readonly #repositories = new Map<string, number>()
  readonly #added: [facet: string, value: string, rowid: number][] = []
  readonly #removed: [facet: string, value: string, rowid: number][] = []

  change(rowid: number, previous: StoredSkill | null, skill: StoredSkill): void {
    const before = facetRows(previous)
    const after = facetRows(skill)
    const change = Number(after.size > 0) - Number(before.size > 0)
    if (change !== 0) {
      const repository = repositoryId(skill.id)
      this.#repositories.set(repository, (this.#repositories.get(repository) ?? 0) + change)
    }
    for (const [key, [facet, value]] of before) {
      this.#count(facet, value, -1, -(previous?.stars ?? 0))
      // A row for each skill under `all` would only repeat the table of skills.
      if (!after.has(key) && facet !== facetCodes.all) {
        this.#removed.push([facet, value, rowid])
      }
    }
    for (const [key, [facet, value]] of after) {
      this.#count(facet, value, 1, skill.stars ?? 0)
      if (!before.has(key) && facet !== facetCodes.all) {
        this.#added.push([facet, value, rowid])
      }
    }
  }

  write(db: SqliteDatabase): void {
    for (const row of this.#removed) {
      db.run('DELETE FROM skill_facets WHERE facet = ? AND value = ? AND skill = ?', row)
    }
    // Sorted by key, so that rows of one page are written together.
    db.run(`INSERT INTO skill_facets SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) ORDER BY 1, 2, 3`, [
      JSON.stringify(this.#added),
    ])
    for (const [repository, change] of this.#repositories) {
      // A repository with more skills than were added had some before.
      const after = countSkills(db, repository, Math.max(change, 0) + 1)
      this.#count(facetCodes.repositories, '', Number(after > 0) - Number(after > change), 0)
    }
    const totals = [...this.#totals.values()].filter(({ skills, stars }) => skills !== 0 || stars !== 0)
    // WHERE: without it, ON would begin the condition of a join.
    db.run(
      `INSERT INTO facet_totals SELECT value ->> 'facet', value ->> 'value', value ->> 'skills', value ->> 'stars'
       FROM json_each(?) WHERE true
       ON CONFLICT (facet, value) DO UPDATE SET skills = skills + excluded.skills, stars = stars + excluded.stars`,
      [JSON.stringify(totals)],
    )
    for (const { facet, value } of totals.filter(({ skills }) => skills < 0)) {
      db.run('DELETE FROM facet_totals WHERE facet = ? AND value = ? AND skills <= 0', [facet, value])
    }
  }

  #count(facet: string, value: string, skills: number, stars: number): void {
    const key = `${facet}${value}`
    const total = this.#totals.get(key) ?? { facet, value, skills: 0, stars: 0 }
    total.skills += skills
    total.stars += stars
    this.#totals.set(key, total)
  }
}

/** The number of published skills of a repository. @param limit the number at which the count ends */
const countSkills = (db: SqliteDatabase, repository: string, limit: number): number => {
  const { sql } = skillsOf('r.id')
  return countRows(db, { sql: `(SELECT ? AS id) r CROSS JOIN skills o WHERE ${sql}`, values: [repository] }, limit)
}

/** What a skill can be filtered by, by key; empty where it is not listed. */
function facetRows(skill: StoredSkill | null): Map<string, [facet: string, value: string]> {
  const facets = skill?.state === 'published' ? [{ facet: facetCodes.all, value: '' }, ...facetsOfSkill(skill)] : []
  return new Map(facets.map(({ facet, value }) => [`${facet}${value}`, [facet, value]]))
}

function updateFormerIds(db: SqliteDatabase, previous: StoredSkill | null, skill: StoredSkill): void {
  if (previous !== null && previous.formerIds.length > 0) {
    db.run('DELETE FROM former_ids WHERE id = ?', [skill.id])
  }
  for (const formerId of skill.formerIds) {
    db.run('INSERT OR IGNORE INTO former_ids VALUES (?, ?)', [formerId.toLowerCase(), skill.id])
  }
}
