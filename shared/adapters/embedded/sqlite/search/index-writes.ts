import type { Vector } from '../../../../ports/embedder.js'
import type { SkillWithText } from '../../../../ports/search-index.js'
import { type RankedSkill, rankOf } from '../../../../records/content-hash.js'
import { stemOf } from '../../../../text/analyze.js'
import { entrySeparator } from '../../../../text/skill-words.js'
import type { SqliteDatabase } from '../database.js'
import { tag } from '../filters.js'
import { vectorIn } from './candidates.js'
import {
  addVariants,
  hasLookups,
  nameColumns,
  namesOf,
  type PreparedDocument,
  removeVariants,
  textColumns,
  vectorHash,
} from './index-tables.js'
import { VectorWrites } from './vector-writes.js'

/** Replaces and deletes documents of an index, and updates its lookups. Must run inside a write transaction. */
export function writeDocuments(db: SqliteDatabase, changes: { publish: PreparedDocument[]; remove: string[] }): void {
  const terms = new TermCounts()
  const vectors = new VectorWrites(db)
  const copies = new CopyList()
  const before = storedDocuments(db, [...changes.remove, ...changes.publish.map(({ id }) => id)])
  for (const id of changes.remove) {
    removeDocument(db, before.get(id), terms, vectors, copies)
  }
  const placed: Placed[] = []
  const taken = new Set<number>()
  for (const document of changes.publish) {
    const stored = before.get(document.id)
    const isUnchanged =
      stored?.contentHash === document.contentHash &&
      stored.bodyHash === document.bodyHash &&
      stored.hasVector === (document.vector !== null)
    // A skill that the catalog does not have cannot be shown.
    if (stored !== undefined && !isUnchanged) {
      removeDocument(db, stored, terms, vectors, copies)
      const rank = freeRank(db, document.ranked, taken)
      taken.add(rank)
      placed.push({ document, rank, skill: stored.skill })
    }
  }
  // Sorted, since FTS5 buffers words while row ids rise and writes a segment whenever one falls: unsorted, that is a
  // segment per document, ten times slower.
  for (const each of placed.sort((a, b) => a.rank - b.rank)) {
    insertDocument(db, each, terms, copies)
    if (each.document.vector !== null) {
      vectors.insert(each.rank, each.document.vector)
    }
  }
  const keepLookups = hasLookups(db)
  terms.write(db, keepLookups)
  vectors.write()
  if (keepLookups) {
    copies.write(db)
  }
}

/** The documents of an index, by id. */
export const listDocuments = (
  db: SqliteDatabase,
  afterId: string,
  limit: number,
): { id: string; contentHash: string }[] =>
  db
    .all<{ id: string; content_hash: string }>(
      `SELECT s.id AS id, lower(hex(d.content_hash)) AS content_hash
       FROM catalog.skills s CROSS JOIN documents d ON d.skill = s.rowid WHERE s.id > ? ORDER BY s.id LIMIT ?`,
      [afterId, limit],
    )
    .map((row) => ({ id: row.id, contentHash: row.content_hash }))

/** The vectors that an index has of these skills' present texts, by id. */
export function vectorsOf(db: SqliteDatabase, skills: SkillWithText[]): Map<string, Vector> {
  const hashes = new Map(skills.map((each) => [each.skill.id, vectorHash(each)]))
  const rows = db.all<{ id: string; text_hash: number; vector: ArrayBuffer }>(
    `SELECT s.id AS id, text_hash, vector FROM json_each(?) m CROSS JOIN catalog.skills s ON s.id = m.value
     CROSS JOIN documents d ON d.skill = s.rowid CROSS JOIN vectors v ON v.rank = d.rank`,
    [JSON.stringify([...hashes.keys()])],
  )
  const known = rows.filter(({ id, text_hash }) => text_hash === hashes.get(id))
  return new Map(known.map(({ id, vector }) => [id, vectorIn(vector)]))
}

/** A skill of the catalog, with its document. */
interface StoredDocument {
  /** The row of the skill. */
  skill: number
  /** Null: it has no document. */
  rank: number | null
  contentHash: string | null
  copyKey: number | null
  bodyHash: number | null
  hasVector: boolean
}

function storedDocuments(db: SqliteDatabase, ids: string[]): Map<string, StoredDocument> {
  // As one text: a row for each would take three times as long.
  const json = db.value<string>(
    `SELECT json_group_array(json_array(s.id, s.rowid, d.rank, lower(hex(d.content_hash)), copy_key, body_hash, place))
     FROM json_each(?) m CROSS JOIN catalog.skills s ON s.id = m.value
     LEFT JOIN documents d ON d.skill = s.rowid LEFT JOIN vectors v ON v.rank = d.rank`,
    [JSON.stringify(ids)],
  )
  type Found = [string, number, number | null, string | null, number | null, number | null, number | null]
  const found = JSON.parse(json ?? '[]') as Found[]
  return new Map(
    found.map(([id, skill, rank, contentHash, copyKey, bodyHash, place]) => [
      id,
      { skill, rank, contentHash, copyKey, bodyHash, hasVector: place !== null },
    ]),
  )
}

interface Placed {
  document: PreparedDocument
  rank: number
  /** The row of the skill in the catalog. */
  skill: number
}

function removeDocument(
  db: SqliteDatabase,
  stored: StoredDocument | undefined,
  terms: TermCounts,
  vectors: VectorWrites,
  copies: CopyList,
): void {
  const rank = stored?.rank ?? null
  if (stored === undefined || rank === null) {
    return
  }
  vectors.remove(rank)
  terms.count(db.value<string>('SELECT words FROM texts WHERE rank = ?', [rank]) ?? '', -1)
  db.run('DELETE FROM documents WHERE rank = ?', [rank])
  db.run('DELETE FROM texts WHERE rank = ?', [rank])
  db.run('DELETE FROM words WHERE rowid = ?', [rank])
  db.run('DELETE FROM names WHERE rowid = ?', [rank])
  db.run('DELETE FROM bodies WHERE rowid = ?', [rank])
  copies.removed(rank, stored.copyKey)
}

function insertDocument(
  db: SqliteDatabase,
  { document, rank, skill: row }: Placed,
  terms: TermCounts,
  copies: CopyList,
): void {
  const { contentHash, keys, copy, bodyHash, words, lines, stems, sketch } = document
  db.run('INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?)', [
    ...[rank, row, Buffer.from(contentHash, 'hex'), keys.id, keys.name, keys.repo, copy, bodyHash],
  ])
  db.run('INSERT INTO texts VALUES (?, ?, ?, ?)', [rank, lines, stems.length, sketch])
  if (stems.length > 0) {
    db.run('INSERT INTO bodies (rowid, stems) VALUES (?, ?)', [rank, stems.join(' ')])
  }
  db.run(`INSERT INTO words (rowid, ${textColumns.join(', ')}, tags) VALUES (?, ?, ?, ?, ?, ?, ?)`, [rank, ...words])
  db.run(`INSERT INTO names (rowid, ${nameColumns.join(', ')}) VALUES (?, ?, ?, ?)`, [rank, ...namesOf(words)])
  terms.count(lines, 1)
  copies.added(copy)
}

/** Keeps the list of the documents that share their copy key with others: most share it with none, so it is short. */
class CopyList {
  readonly #keys = new Set<number>()
  readonly #removed: number[] = []

  /** @param key null: of no other document */
  added(key: number | null): void {
    if (key !== null) {
      this.#keys.add(key)
    }
  }

  removed(rank: number, key: number | null): void {
    this.#removed.push(rank)
    this.added(key)
  }

  write(db: SqliteDatabase): void {
    const keys = JSON.stringify([...this.#keys])
    db.run('DELETE FROM copies WHERE rank IN (SELECT value FROM json_each(?))', [JSON.stringify(this.#removed)])
    if (this.#removed.length > 0) {
      // The last one of a set of copies is no longer listed as a copy.
      db.run(
        `DELETE FROM copies WHERE rank IN (
           SELECT min(d.rank) FROM json_each(?) m CROSS JOIN documents d ON d.copy_key = m.value
           GROUP BY d.copy_key HAVING count(*) = 1
         )`,
        [keys],
      )
    }
    db.run(
      `INSERT OR IGNORE INTO copies SELECT d.rank, d.copy_key FROM (
         SELECT m.value AS copy_key FROM json_each(?) m CROSS JOIN documents d ON d.copy_key = m.value
         GROUP BY m.value HAVING count(*) > 1
       ) k CROSS JOIN documents d ON d.copy_key = k.copy_key`,
      [keys],
    )
  }
}

function freeRank(db: SqliteDatabase, skill: RankedSkill, taken: ReadonlySet<number>): number {
  for (let attempt = 0; ; attempt += 1) {
    const rank = rankOf(skill, attempt)
    if (!taken.has(rank) && db.get(`SELECT 1 FROM documents WHERE rank = ?`, [rank]) === null) {
      return rank
    }
  }
}

/** Counts the documents of each word over a batch, so that each row is written once. */
class TermCounts {
  readonly #changes = new Map<string, number>()

  /** @param lines see `wordLines` */
  count(lines: string, change: 1 | -1): void {
    // The tag of all documents is counted as well: how many there are.
    for (const word of new Set([...lines.replaceAll('\n', ' ').split(' '), tag('all')])) {
      if (word !== '' && word !== entrySeparator) {
        this.#changes.set(word, (this.#changes.get(word) ?? 0) + change)
      }
    }
  }

  write(db: SqliteDatabase, keepLookups: boolean): void {
    // Sorted, so that neighbouring rows are written together.
    const changes = [...this.#changes].filter(([, change]) => change !== 0).sort(([a], [b]) => (a < b ? -1 : 1))
    const stems = changes.map(([word, change]) => [word, change, stemOf(word) === word ? null : stemOf(word)])
    // WHERE: without it, ON would begin the condition of a join.
    const rows = db.all<{ id: number; term: string; documents: number }>(
      `INSERT INTO terms (term, documents, stem) SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true
       ON CONFLICT (term) DO UPDATE SET documents = documents + excluded.documents RETURNING id, term, documents`,
      [JSON.stringify(stems)],
    )
    for (const term of rows.filter(({ documents }) => documents <= 0)) {
      db.run('DELETE FROM terms WHERE id = ?', [term.id])
      if (keepLookups) {
        removeVariants(db, term)
      }
    }
    if (keepLookups) {
      const added = rows.filter(({ term, documents }) => documents > 0 && documents === this.#changes.get(term))
      addVariants(db, added)
    }
  }
}
