import { indexedDeletions, isCorrection, spellingVariants } from '../../../../text/spelling.js'
import type { SqliteDatabase } from '../database.js'

/** Words whose variants are added at a time: some 30 each. */
const termsAtOnce = 10_000

/** A row of the table of words. */
interface Term {
  [column: string]: string | number
  id: number
  term: string
}

/**
 * Creates what only searches read: the lookups of exact names, of copies and of stems, and the spelling map. An index
 * that is full takes them in a fraction of the time that they take while it is filled. Must run inside a write
 * transaction.
 */
export function createLookups(db: SqliteDatabase): void {
  const isKept = hasLookups(db)
  db.exec(`
    CREATE INDEX IF NOT EXISTS documents_by_id ON documents (id_hash);
    CREATE INDEX IF NOT EXISTS documents_by_name ON documents (name_hash);
    CREATE INDEX IF NOT EXISTS documents_by_repo ON documents (repo_hash);
    CREATE INDEX IF NOT EXISTS documents_by_copy_key ON documents (copy_key) WHERE copy_key IS NOT NULL;
    CREATE INDEX IF NOT EXISTS terms_by_stem ON terms (stem) WHERE stem IS NOT NULL;
    CREATE TABLE IF NOT EXISTS spelling (
      variant TEXT NOT NULL, term INTEGER NOT NULL, PRIMARY KEY (variant, term)
    ) WITHOUT ROWID;
  `)
  if (isKept) {
    return
  }
  db.run(
    `INSERT INTO copies SELECT d.rank, d.copy_key FROM (
       SELECT copy_key FROM documents WHERE copy_key IS NOT NULL GROUP BY copy_key HAVING count(*) > 1
     ) k CROSS JOIN documents d ON d.copy_key = k.copy_key`,
  )
  for (let after = ''; ; ) {
    // In their order, so that most variants of neighbours are neighbours.
    const terms = db.all<Term>('SELECT id, term FROM terms WHERE term > ? ORDER BY term LIMIT ?', [after, termsAtOnce])
    addVariants(db, terms)
    const last = terms.at(-1)
    if (last === undefined) {
      return
    }
    after = last.term
  }
}

/** Whether an index has its lookups: only then do writes update them. */
export const hasLookups = (db: SqliteDatabase): boolean =>
  db.get(`SELECT 1 FROM sqlite_schema WHERE name = 'spelling'`) !== null

/** Adds words to the spelling map. */
export function addVariants(db: SqliteDatabase, terms: Term[]): void {
  const variants = terms.flatMap(({ id, term }) =>
    [...variantsOf(term)].map((variant): [string, number] => [variant, id]),
  )
  db.run(
    'INSERT OR IGNORE INTO spelling SELECT value ->> 0 AS variant, value ->> 1 AS term FROM json_each(?) ORDER BY variant, term',
    [JSON.stringify(variants)],
  )
}

/** Removes a word from the spelling map. */
export function removeVariants(db: SqliteDatabase, { id, term }: Term): void {
  for (const variant of variantsOf(term)) {
    db.run('DELETE FROM spelling WHERE variant = ? AND term = ?', [variant, id])
  }
}

const variantsOf = (word: string): Iterable<string> =>
  isCorrection(word) ? spellingVariants(word, indexedDeletions(word)) : []
