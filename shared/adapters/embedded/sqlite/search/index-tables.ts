import { createHash } from 'node:crypto'
import { searchedFields } from '../../../../ports/search-index.js'
import type { Skill } from '../../../../records/skill.js'
import { wordsIn } from '../../../../text/analyze.js'
import { nameKey } from '../../../../text/concepts.js'
import { copyKey } from '../../../../text/embedded-text.js'
import { skillWords } from '../../../../text/skill-words.js'
import type { SqliteDatabase } from '../database.js'
import { createVectorTables } from './vector-tables.js'

/**
 * The sets of tables: one is live, another free or being built. Two are enough, unless the disk has damaged one so that
 * it cannot even be dropped.
 */
export const slots = ['a', 'b', 'c', 'd'] as const
export type Slot = (typeof slots)[number]

/** The columns of the full-text table with words, in order. A further one, `tags`, has the filter values. */
export const textColumns = searchedFields

/** Columns of the table of names, in order. */
export const nameColumns = ['name', 'repo', 'owner'] as const

/** Whether a slot has the newest of its tables: an earlier version made it without. */
export const hasTables = (db: SqliteDatabase, slot: Slot): boolean =>
  db.get(`SELECT 1 FROM sqlite_master WHERE name = 'codes_${slot}'`) !== null

/** Drops a slot's tables, if they are there. */
export function dropSlot(db: SqliteDatabase, slot: Slot): void {
  for (const table of ['documents', 'texts', 'words', 'names', 'terms', 'spelling', 'copies', 'vectors', 'codes']) {
    db.exec(`DROP TABLE IF EXISTS ${table}_${slot}`)
  }
}

/**
 * Creates a slot's empty tables.
 *
 * A document's rank is its row id in all of them: the smaller, the more stars, then the fresher. So full text yields
 * matches best first without sorting, and the first N of any match are the best N.
 */
export function createSlot(db: SqliteDatabase, slot: Slot): void {
  dropSlot(db, slot)
  db.exec(`
    CREATE TABLE documents_${slot} (
      rank INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      content_hash TEXT NOT NULL,
      id_hash INTEGER NOT NULL,
      name_hash INTEGER NOT NULL,
      repo_hash INTEGER NOT NULL,
      copy_key INTEGER,
      owner TEXT NOT NULL,
      license TEXT,
      language TEXT,
      stars INTEGER,
      name_key TEXT NOT NULL,
      created_at TEXT,
      updated_at TEXT,
      skill TEXT NOT NULL
    );
    -- The words of a document, apart: many are read for each search, and more of them fit on a page.
    CREATE TABLE texts_${slot} (rank INTEGER PRIMARY KEY, words TEXT NOT NULL);
    CREATE INDEX documents_${slot}_by_id ON documents_${slot} (id_hash);
    CREATE INDEX documents_${slot}_by_name ON documents_${slot} (name_hash);
    CREATE INDEX documents_${slot}_by_repo ON documents_${slot} (repo_hash);
    -- The documents whose text others repeat; no key: the text is too short to compare.
    CREATE INDEX documents_${slot}_by_copy_key ON documents_${slot} (copy_key) WHERE copy_key IS NOT NULL;
    CREATE TABLE copies_${slot} (rank INTEGER PRIMARY KEY, copy_key INTEGER NOT NULL);
    CREATE VIRTUAL TABLE words_${slot} USING fts5 (
      ${textColumns.join(', ')}, tags,
      content = '', contentless_delete = 1, prefix = '1 2 3', tokenize = "ascii tokenchars '=_'"
    );
    INSERT INTO words_${slot} (words_${slot}, rank) VALUES ('hashsize', 16777216);
    -- For completions: a word that is frequent in texts and rare in names is slow to find in the table above.
    CREATE VIRTUAL TABLE names_${slot} USING fts5 (
      ${nameColumns.join(', ')},
      content = '', contentless_delete = 1, prefix = '1 2 3', tokenize = "ascii tokenchars '='"
    );
    -- The stem is null where the word is its own.
    CREATE TABLE terms_${slot} (
      id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE, documents INTEGER NOT NULL, stem TEXT
    );
    CREATE INDEX terms_${slot}_by_stem ON terms_${slot} (stem) WHERE stem IS NOT NULL;
    CREATE TABLE spelling_${slot} (
      variant TEXT NOT NULL, term INTEGER NOT NULL, PRIMARY KEY (variant, term)
    ) WITHOUT ROWID;
  `)
  createVectorTables(db, slot)
}

/** The row of the full-text table: folded words, so that FTS5 compares bytes and never parses user text as syntax. */
export const wordsOf = (skill: Skill): string[] => [...skillWords(skill), tagsOf(skill).join(' ')]

/** The row of the table of names, from the row of the full-text table. */
export const namesOf = (words: string[]): string[] => nameColumns.map((name) => words[textColumns.indexOf(name)] ?? '')

/** One token for a filter value. No user's word begins with `=`, so prefixes never match these. */
export const tag = (kind: 'owner' | 'topic' | 'license' | 'language' | 'archived' | 'all', value = ''): string =>
  `=${kind}=${value.toLowerCase().replace(/[^a-z0-9\u0080-\u{10ffff}]/gu, (character) => `_${character.codePointAt(0)?.toString(16)}_`)}`

const tagsOf = (skill: Skill): string[] => [
  tag('all'),
  tag('owner', skill.owner),
  tag('archived', String(skill.archived)),
  ...skill.topics.map((topic) => tag('topic', topic)),
  ...(skill.license === null ? [] : [tag('license', skill.license)]),
  ...(skill.language === null ? [] : [tag('language', skill.language)]),
]

/** The exact-match keys of a document, as numbers: half the size of texts in an index of 2 million rows. */
export const keysOf = (skill: Skill) => ({
  id: keyHash(nameKey(wordsIn(`${skill.owner} ${skill.repo}`))),
  name: keyHash(nameKey(wordsIn(skill.name))),
  repo: keyHash(nameKey(wordsIn(skill.repo))),
})

/** The key of skills with the same text, as a number; null: none. */
export function copyNumber(skill: Skill): number | null {
  const key = copyKey(skill)
  return key === null ? null : Number.parseInt(key.slice(0, 12), 16)
}

/** 48 bits of a text key: among 2 million keys, a given query collides with a chance of 1 in 10^8. */
export const keyHash = (key: string): number => createHash('sha1').update(key).digest().readUIntBE(0, 6)
