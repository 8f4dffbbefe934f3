import type { SearchDocument } from '../../../../ports/search-index.js'
import { rankOf } from '../../../../records/popularity-rank.js'
import type { Skill } from '../../../../records/skill.js'
import { fold } from '../../../../text/analyze.js'
import { entrySeparator, wordLines } from '../../../../text/skill-words.js'
import { indexedDeletions, isCorrection, spellingVariants } from '../../../../text/spelling.js'
import { stemOf } from '../../../../text/stem.js'
import type { SqliteDatabase } from '../database.js'
import { copyNumber, keysOf, nameColumns, namesOf, type Slot, tag, textColumns, wordsOf } from './index-tables.js'
import { VectorWrites } from './vector-writes.js'

/** Replaces and deletes documents of a slot, and updates its spelling map. Must run inside a write transaction. */
export function writeDocuments(
  db: SqliteDatabase,
  slot: Slot,
  changes: { publish: SearchDocument[]; remove: string[] },
): void {
  const terms = new TermCounts()
  const vectors = new VectorWrites(db, slot)
  for (const id of changes.remove) {
    removeDocument(db, slot, id, terms, vectors)
  }
  const placed: Placed[] = []
  const taken = new Set<number>()
  for (const document of changes.publish) {
    const before = db.get<{ skill: string; place: number | null }>(
      `SELECT skill, place FROM documents_${slot} d LEFT JOIN vectors_${slot} v ON v.rank = d.rank WHERE id = ?`,
      [document.id],
    )
    const hasVector = before !== null && before.place !== null
    if (before?.skill !== JSON.stringify(document.skill) || hasVector !== (document.vector !== null)) {
      removeDocument(db, slot, document.id, terms, vectors)
      const rank = freeRank(db, slot, document.skill, taken)
      taken.add(rank)
      placed.push({ document, rank })
    }
  }
  // Sorted, since FTS5 buffers words while row ids rise and writes a segment whenever one falls: unsorted, that is a
  // segment per document, ten times slower.
  for (const { document, rank } of placed.sort((a, b) => a.rank - b.rank)) {
    insertDocument(db, slot, document, rank, terms)
    if (document.vector !== null) {
      vectors.insert(rank, document.vector)
    }
  }
  terms.write(db, slot)
  vectors.write()
}

interface Placed {
  document: SearchDocument
  rank: number
}

function removeDocument(db: SqliteDatabase, slot: Slot, id: string, terms: TermCounts, vectors: VectorWrites): void {
  const row = db.get<{ rank: number; skill: string; copy_key: number | null }>(
    `SELECT rank, skill, copy_key FROM documents_${slot} WHERE id = ?`,
    [id],
  )
  if (row !== null) {
    vectors.remove(row.rank)
    terms.count(wordsOf(JSON.parse(row.skill) as Skill), -1)
    db.run(`DELETE FROM documents_${slot} WHERE rank = ?`, [row.rank])
    db.run(`DELETE FROM texts_${slot} WHERE rank = ?`, [row.rank])
    db.run(`DELETE FROM words_${slot} WHERE rowid = ?`, [row.rank])
    db.run(`DELETE FROM names_${slot} WHERE rowid = ?`, [row.rank])
    listCopies(db, slot, row.copy_key, row.rank, -1)
  }
}

function insertDocument(
  db: SqliteDatabase,
  slot: Slot,
  { skill, contentHash }: SearchDocument,
  rank: number,
  terms: TermCounts,
): void {
  const keys = keysOf(skill)
  const copy = copyNumber(skill)
  const words = wordsOf(skill)
  db.run(`INSERT INTO documents_${slot} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
    rank,
    skill.id,
    contentHash,
    keys.id,
    keys.name,
    keys.repo,
    copy,
    skill.owner.toLowerCase(),
    skill.license,
    skill.language,
    skill.stars,
    fold(skill.name),
    skill.createdAt,
    skill.updatedAt,
    JSON.stringify(skill),
  ])
  db.run(`INSERT INTO texts_${slot} VALUES (?, ?)`, [rank, wordLines(words.slice(0, textColumns.length))])
  db.run(`INSERT INTO words_${slot} (rowid, ${textColumns.join(', ')}, tags) VALUES (?, ?, ?, ?, ?, ?, ?)`, [
    rank,
    ...words,
  ])
  db.run(`INSERT INTO names_${slot} (rowid, ${nameColumns.join(', ')}) VALUES (?, ?, ?, ?)`, [rank, ...namesOf(words)])
  terms.count(words, 1)
  listCopies(db, slot, copy, rank, 1)
}

/**
 * Keeps the list of the documents that share their copy key with others: most share it with none, so it is short.
 *
 * @param change 1: the document was added; -1: it was removed
 */
function listCopies(db: SqliteDatabase, slot: Slot, key: number | null, rank: number, change: 1 | -1): void {
  if (key === null) {
    return
  }
  const rows = db.all<{ rank: number }>(`SELECT rank FROM documents_${slot} WHERE copy_key = ? LIMIT 3`, [key])
  const ranks = rows.map((row) => row.rank)
  if (change === -1) {
    for (const alone of [rank, ...(ranks.length === 1 ? ranks : [])]) {
      db.run(`DELETE FROM copies_${slot} WHERE rank = ?`, [alone])
    }
  } else if (ranks.length > 1) {
    // Of three and more, the others are listed already.
    for (const copy of ranks.length === 2 ? ranks : [rank]) {
      db.run(`INSERT OR IGNORE INTO copies_${slot} VALUES (?, ?)`, [copy, key])
    }
  }
}

function freeRank(db: SqliteDatabase, slot: Slot, skill: Skill, taken: ReadonlySet<number>): number {
  for (let attempt = 0; ; attempt += 1) {
    const rank = rankOf(skill, attempt)
    if (!taken.has(rank) && db.get(`SELECT 1 FROM documents_${slot} WHERE rank = ?`, [rank]) === null) {
      return rank
    }
  }
}

const variantsOf = (word: string): Iterable<string> =>
  isCorrection(word) ? spellingVariants(word, indexedDeletions(word)) : []

/** Counts the documents of each word over a batch, so that each row is written once. */
class TermCounts {
  readonly #changes = new Map<string, number>()

  /** @param words the row of the full-text table */
  count(words: string[], change: 1 | -1): void {
    // The tag of all documents is counted as well: how many there are.
    for (const word of new Set([...words.slice(0, textColumns.length).join(' ').split(' '), tag('all')])) {
      if (word !== '' && word !== entrySeparator) {
        this.#changes.set(word, (this.#changes.get(word) ?? 0) + change)
      }
    }
  }

  write(db: SqliteDatabase, slot: Slot): void {
    // Sorted, so that neighbouring rows are written together.
    for (const [word, change] of [...this.#changes].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (change === 0) {
        continue
      }
      const row = db.get<{ id: number; documents: number }>(
        `INSERT INTO terms_${slot} (term, documents, stem) VALUES (?, ?, ?)
         ON CONFLICT (term) DO UPDATE SET documents = documents + excluded.documents RETURNING id, documents`,
        [word, change, stemOf(word) === word ? null : stemOf(word)],
      )
      if (row === null) {
        continue
      }
      if (row.documents <= 0) {
        for (const variant of variantsOf(word)) {
          db.run(`DELETE FROM spelling_${slot} WHERE variant = ? AND term = ?`, [variant, row.id])
        }
        db.run(`DELETE FROM terms_${slot} WHERE id = ?`, [row.id])
      } else if (row.documents === change) {
        for (const variant of variantsOf(word)) {
          db.run(`INSERT OR IGNORE INTO spelling_${slot} VALUES (?, ?)`, [variant, row.id])
        }
      }
    }
  }
}
