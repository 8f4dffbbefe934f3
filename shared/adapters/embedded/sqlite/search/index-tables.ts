import { type SearchDocument, type SkillWithText, searchedFields } from '../../../../ports/search-index.js'
import { indexedDeletions, isCorrection, spellingVariants } from '../../../../ranking/other-words.js'
import type { RankedSkill } from '../../../../records/content-hash.js'
import type { Skill } from '../../../../records/skill.js'
import { nameKey, textStems, wordsIn } from '../../../../text/analyze.js'
import {
  copyKey,
  embeddedHash,
  sketchOf,
  skillWords,
  wordLines,
  wordsOfId,
  wordsOfIdEnd,
} from '../../../../text/skill-words.js'
import type { SqliteDatabase } from '../database.js'
import { facetsOfSkill, tag } from '../filters.js'
import { keyHash } from './index-reads.js'
import { createVectorTables, type PreparedVector, prepareVector } from './vector-writes.js'

/** The columns of the full-text table with words, in order. A further one, `tags`, has the filter values. */
export const textColumns = searchedFields

/** Columns of the table of names, in order. */
export const nameColumns = ['name', 'repo', 'owner'] as const

/** The version of the tables, which an index file names; one with another version is built again. */
export const tablesVersion = 4

/**
 * Creates the empty tables of an index.
 *
 * A document's rank is its row id in all of them: the smaller, the more stars, then the fresher. So full text yields
 * matches best first without sorting, and the first N of any match are the best N. Its record stays in the catalog: the
 * document has the number of its row. What only searches read is made apart, see `createLookups`.
 */
export function createTables(db: SqliteDatabase): void {
  db.exec(`
    CREATE TABLE documents (
      rank INTEGER PRIMARY KEY,
      skill INTEGER NOT NULL UNIQUE,
      content_hash BLOB NOT NULL,
      id_hash INTEGER NOT NULL,
      name_hash INTEGER NOT NULL,
      repo_hash INTEGER NOT NULL,
      copy_key INTEGER,
      -- Of the searched text of its SKILL.md; null: there is none.
      body_hash INTEGER
    );
    -- The words of a document, apart: many are read for each search, and more of them fit on a page. And how many
    -- stems its text has, and what of it is compared, see \`sketchOf\`; null: nothing is.
    CREATE TABLE texts (rank INTEGER PRIMARY KEY, words TEXT NOT NULL, stems INTEGER NOT NULL, sketch TEXT);
    -- The documents whose text others repeat, by the lookups. No key: the text is too short to compare.
    CREATE TABLE copies (rank INTEGER PRIMARY KEY, copy_key INTEGER NOT NULL);
    CREATE VIRTUAL TABLE words USING fts5 (
      ${textColumns.join(', ')}, tags, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '=_'"
    );
    INSERT INTO words (words, rank) VALUES ('hashsize', 16777216);
    -- The stems of the SKILL.md files, without their places: a third of the size, and one number a match is read.
    CREATE VIRTUAL TABLE bodies USING fts5 (
      stems, content = '', contentless_delete = 1, detail = 'none', tokenize = "ascii"
    );
    INSERT INTO bodies (bodies, rank) VALUES ('hashsize', 4194304);
    -- For completions: a word that is frequent in texts and rare in names is slow to find in the table above.
    CREATE VIRTUAL TABLE names USING fts5 (
      ${nameColumns.join(', ')},
      content = '', contentless_delete = 1, prefix = '1 2 3', tokenize = "ascii tokenchars '='"
    );
    -- The stem is null where the word is its own.
    CREATE TABLE terms (
      id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE, documents INTEGER NOT NULL, stem TEXT
    );
  `)
  createVectorTables(db)
  db.exec(`PRAGMA user_version = ${tablesVersion}`)
}

/** The row of the full-text table: folded words, so that FTS5 compares bytes and never parses user text as syntax. */
const wordsOf = (skill: Skill): string[] => [...skillWords(skill), tagsOf(skill).join(' ')]

/** The row of the table of names, from the row of the full-text table. */
export const namesOf = (words: string[]): string[] => nameColumns.map((name) => words[textColumns.indexOf(name)] ?? '')

const tagsOf = (skill: Skill): string[] => [
  tag('all'),
  ...facetsOfSkill(skill).map(({ parameter, value }) => tag(parameter, value)),
]

/** The exact-match keys of a document, as numbers: half the size of texts in an index of 2 million rows. */
const keysOf = (skill: Skill) => ({
  id: keyHash(nameKey(wordsOfId(skill.id))),
  name: keyHash(nameKey(wordsIn(skill.name))),
  repo: keyHash(nameKey(wordsOfIdEnd(skill.id))),
})

/** The key of skills with the same text, as a number; null: none. */
function copyNumber(skill: Skill): number | null {
  const key = copyKey(skill)
  return key === null ? null : Number.parseInt(key.slice(0, 12), 16)
}

/** `embeddedHash` as a number. */
export const vectorHash = ({ skill, text }: SkillWithText): number =>
  Number.parseInt(embeddedHash(skill, text).slice(0, 12), 16)

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
    // In the order of the terms, so that most variants of neighbours are neighbours.
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

/** What the tables of an index take of a document; no file is read to make it. */
export interface PreparedDocument {
  id: string
  contentHash: string
  ranked: RankedSkill
  keys: ReturnType<typeof keysOf>
  /** See `copyNumber`. */
  copy: number | null
  /** Equal for equal texts of SKILL.md files; null: there is none. */
  bodyHash: number | null
  /** The row of the full-text table. */
  words: string[]
  /** See `wordLines`. */
  lines: string
  /** Of its text, see `textStems`. */
  stems: string[]
  /** See `sketchOf`; null: there is none. */
  sketch: string | null
  vector: PreparedVector | null
}

/** A document as the tables of an index take it: without reading or writing any of them. */
export const prepareDocument = ({ id, contentHash, skill, vector, text }: SearchDocument): PreparedDocument => {
  const words = wordsOf(skill)
  const textWords = text === null ? [] : wordsIn(text)
  return {
    id,
    contentHash,
    ranked: { id, stars: skill.stars, updatedAt: skill.updatedAt },
    keys: keysOf(skill),
    copy: copyNumber(skill),
    bodyHash: text === null ? null : keyHash(text),
    words,
    lines: wordLines(words.slice(0, textColumns.length)),
    stems: textStems(textWords),
    sketch: sketchOf(skill, textWords),
    vector: vector === null ? null : prepareVector(vectorHash({ skill, text }), vector),
  }
}
