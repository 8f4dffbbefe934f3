import { readQuery, withEqualRarity } from '../../../../ranking/concepts.js'
import { idBeginning } from '../../../../ranking/find-matches.js'
import { parsePlainText } from '../../../../ranking/interpret-query.js'
import type { Synonyms } from '../../../../ranking/other-words.js'
import { isUnspaced } from '../../../../text/analyze.js'
import type { SqliteDatabase } from '../database.js'
import { narrowingOf } from '../filters.js'
import type { RangesOfRanks } from './index-files.js'
import { type PreparedSearch, phrase, SqliteVocabulary } from './index-reads.js'
import type { nameColumns } from './index-tables.js'
import { exactMatches, findByFields, namedWith, type RankedMatch, weigh } from './search.js'

/** The index that completions are read from. */
interface SuggestedFrom {
  db: SqliteDatabase
  synonyms: Synonyms
  ranges: RangesOfRanks
}

/** The query for the skills that a text may be completed to. */
const completion: Omit<PreparedSearch['query'], 'limit'> = {
  ...{ filters: {}, sort: 'relevance', order: 'desc', offset: 0, facets: [] },
  ...{ fold: false, highlight: false, explain: false },
}

/** Ranks of the skills that complete a text, best first; see the port. */
export function suggestedRanks({ db, synonyms, ranges }: SuggestedFrom, typed: string, limit: number): number[] {
  const text = parsePlainText(typed)
  const vocabulary = new SqliteVocabulary(db)
  const read = readQuery(text, vocabulary, synonyms)
  const search: PreparedSearch = {
    db,
    query: { ...completion, limit },
    vocabulary,
    read,
    meaning: null,
    phrases: [],
    excluded: [],
    narrowing: narrowingOf({}, []),
    meeting: null,
    ranges: ranges.of(db, vocabulary.documents, read.occurrences),
  }
  const words = text.terms
    .map((term) => `(${phrase(term.tokens)}${text.lastIsPrefix && term === text.terms.at(-1) ? ' *' : ''})`)
    .join(' AND ')
  const withWords = (columns: (typeof nameColumns)[number][]): number[] => {
    const found = words === '' ? [] : namedWith(search, columns, words)
    // The first two letters say little: the most starred are the likeliest.
    return [...typed].length < 3 && !isUnspaced(typed)
      ? found
      : weigh({ ...search, read: withEqualRarity(search.read) }, found).map(({ rank }) => rank)
  }
  const named = withWords(['name', 'repo'])
  const stages: (() => number[])[] = [
    () => distinctPlacements(exactMatches(search)),
    () => skillsWithIdPrefix(db, idBeginning(typed), limit),
    () => named,
    () => withWords(['name', 'repo', 'owner']),
  ]
  const found = new Set<number>()
  for (const stage of stages) {
    for (const rank of found.size < limit ? stage() : []) {
      found.add(rank)
    }
  }
  if (words !== '' && (found.size === 0 || (named.length === 0 && found.size < limit))) {
    for (const rank of withAllWords(findByFields(search).matches)) {
      found.add(rank)
    }
  }
  return [...found].slice(0, limit)
}

/** The first match of each placement, the most starred: only these are placed ahead of the others. */
const distinctPlacements = (matches: RankedMatch[]): number[] =>
  matches
    .filter(({ placement }, at) => matches.findIndex((match) => match.placement === placement) === at)
    .map(({ rank }) => rank)

const withAllWords = (matches: RankedMatch[]): number[] =>
  matches.filter(({ placement }) => placement !== 'some words').map(({ rank }) => rank)

/** Skills whose id begins with the text, read from the index of ids, which includes their ranks. */
const skillsWithIdPrefix = (db: SqliteDatabase, beginning: string | null, limit: number): number[] =>
  beginning === null
    ? []
    : db.column(
        `SELECT rank FROM catalog.skills s CROSS JOIN documents d ON d.skill = s.rowid
         WHERE s.id >= ? AND s.id < ? ORDER BY rank LIMIT ?`,
        [beginning, `${beginning}\u{10ffff}`, limit],
      )
