import { textKey } from '../../../../text/analyze.js'
import { idBeginning } from '../../../../text/id-beginning.js'
import { parsePlainText, type SearchTerm, type SearchText } from '../../../../text/parse-search-text.js'
import type { SqliteDatabase, SqlValue } from '../database.js'
import { keyHash, type nameColumns, type Slot } from './index-tables.js'
import { phrase, readingsOf } from './match.js'

type NameColumn = (typeof nameColumns)[number]

/** Ranks of the skills that complete a text, best first; see the port. */
export function suggestedRanks(db: SqliteDatabase, slot: Slot, typed: string, limit: number): number[] {
  const text = parsePlainText(typed)
  const found = new Set<number>()
  const stages: (() => number[])[] = [
    () => exactSkills(db, slot, textKey(typed)),
    () => skillsWithIdPrefix(db, slot, idBeginning(typed), limit),
    () => withWords(db, slot, allWords(text, ['name', 'repo']), limit),
    () => withWords(db, slot, allWords(text, ['name', 'repo', 'owner']), limit),
  ]
  for (const stage of stages) {
    for (const rank of found.size < limit ? stage() : []) {
      found.add(rank)
    }
  }
  const ranks = found.size > 0 ? [...found] : withWords(db, slot, withOneTypo(db, slot, text), limit)
  return ranks.slice(0, limit)
}

/** The skill with exactly this owner and repository, and the most popular one with exactly this name or repository. */
function exactSkills(db: SqliteDatabase, slot: Slot, key: string): number[] {
  if (key === '') {
    return []
  }
  const first = (column: string) =>
    ranks(db, `SELECT rank FROM documents_${slot} WHERE ${column} = ? ORDER BY rank LIMIT 1`, [keyHash(key)])
  const named = [...first('name_hash'), ...first('repo_hash')].sort((a, b) => a - b).slice(0, 1)
  return [...first('id_hash'), ...named]
}

/** Skills whose id begins with the text, read from the index of ids, which includes their ranks. */
const skillsWithIdPrefix = (db: SqliteDatabase, slot: Slot, beginning: string | null, limit: number): number[] =>
  beginning === null
    ? []
    : ranks(
        db,
        `SELECT rank FROM documents_${slot} INDEXED BY sqlite_autoindex_documents_${slot}_1 WHERE id >= ? AND id < ? ORDER BY rank LIMIT ?`,
        [beginning, `${beginning}\u{10ffff}`, limit],
      )

const withWords = (db: SqliteDatabase, slot: Slot, expression: string | null, limit: number): number[] =>
  expression === null
    ? []
    : ranks(db, `SELECT rowid AS rank FROM names_${slot} WHERE names_${slot} MATCH ? ORDER BY rowid LIMIT ?`, [
        expression,
        limit,
      ])

const ranks = (db: SqliteDatabase, sql: string, values: SqlValue[]): number[] =>
  db.all(sql, values).map((row) => Number(row['rank']))

/** The full-text expression for all words of a text, in any of these columns; null when it has none. */
const allWords = (text: SearchText, columns: NameColumn[]): string | null =>
  text.terms.length === 0 ? null : inColumns(text.terms.map((term) => asTyped(text, term)).join(' AND '), columns)

/** The same with one typo in any one of the words; null when none of them may have one. */
function withOneTypo(db: SqliteDatabase, slot: Slot, text: SearchText): string | null {
  const [terms = []] = readingsOf(db, slot, text)
  const alternatives = terms.flatMap((wrong, at) => {
    const forms = [...wrong.corrections.one.map((word) => [word]), ...(wrong.split === null ? [] : [wrong.split])]
    const right = text.terms.filter((_, other) => other !== at).map((term) => asTyped(text, term))
    return forms.length === 0 ? [] : [[`(${forms.map(phrase).join(' OR ')})`, ...right].join(' AND ')]
  })
  return alternatives.length === 0
    ? null
    : inColumns(alternatives.map((alternative) => `(${alternative})`).join(' OR '), ['name', 'repo'])
}

const asTyped = ({ terms, lastIsPrefix }: SearchText, term: SearchTerm): string =>
  `(${phrase(term.tokens)}${lastIsPrefix && term === terms.at(-1) ? ' *' : ''})`

const inColumns = (expression: string, columns: NameColumn[]): string => `{${columns.join(' ')}} : (${expression})`
