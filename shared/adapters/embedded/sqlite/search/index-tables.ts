import { hash } from 'node:crypto'
import { searchedFields } from '../../../../ports/search-index.js'
import type { Skill } from '../../../../records/skill.js'
import { wordsIn } from '../../../../text/analyze.js'
import { copyKey, embeddedText } from '../../../../text/embedded-text.js'
import { nameKey, skillWords, wordsOfId, wordsOfIdEnd } from '../../../../text/skill-words.js'
import type { SqliteDatabase } from '../database.js'
import { createVectorTables } from './vector-tables.js'

/** The columns of the full-text table with words, in order. A further one, `tags`, has the filter values. */
export const textColumns = searchedFields

/** Columns of the table of names, in order. */
export const nameColumns = ['name', 'repo', 'owner'] as const

/** The documents `d` with the rows `s` of their skills. */
export const documentsWithSkills = 'documents d CROSS JOIN catalog.skills s ON s.rowid = d.skill'

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
    -- stems its text has, and what of it is compared, see \`sketchText\`; null: nothing is.
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
  id: keyHash(nameKey(wordsOfId(skill.id))),
  name: keyHash(nameKey(wordsIn(skill.name))),
  repo: keyHash(nameKey(wordsOfIdEnd(skill.id))),
})

/** The key of skills with the same text, as a number; null: none. */
export function copyNumber(skill: Skill): number | null {
  const key = copyKey(skill)
  return key === null ? null : Number.parseInt(key.slice(0, 12), 16)
}

/** Equal for skills whose texts have the same vector. */
export const textHash = (skill: Skill): number => keyHash(embeddedText(skill))

/** 48 bits of a text key: among 2 million keys, a given query collides with a chance of 1 in 10^8. */
export const keyHash = (key: string): number => Number.parseInt(hash('sha1', key).slice(0, 12), 16)
