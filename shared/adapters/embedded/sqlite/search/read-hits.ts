import { type SearchHit, type SearchQuery, skillOf } from '../../../../ports/search-index.js'
import { findSkillMatches, patternsOf } from '../../../../text/find-matches.js'
import { Weigher } from '../../../../text/weigh.js'
import type { SqliteDatabase } from '../database.js'
import { countCopies } from './copies.js'
import type { Slot } from './index-tables.js'
import { type PreparedSearch, textsOf } from './read-ranks.js'
import type { Match } from './search.js'

/** The records of documents, as JSON, by rank. */
export function recordsAt(db: SqliteDatabase, slot: Slot, ranks: number[]): Map<number, string> {
  const rows = db.all<{ rank: number; skill: string }>(
    `SELECT rank, skill FROM documents_${slot} WHERE rank IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(ranks)],
  )
  return new Map(rows.map(({ rank, skill }) => [rank, skill]))
}

/** The hits of a page, with all that the query asks for. */
export function readHits({ db, slot, read }: PreparedSearch, query: SearchQuery, page: Match[]): SearchHit[] {
  const ranks = page.map(({ rank }) => rank)
  const records = recordsAt(db, slot, ranks)
  const texts = query.explain ? textsOf(db, slot, ranks) : null
  const copies = query.fold ? countCopies(db, slot, ranks, query.filters) : null
  const weigher = new Weigher(read)
  return page.flatMap(({ rank, placement, score, similarity = null }): SearchHit[] => {
    const record = records.get(rank)
    const words = texts === null ? [] : weigher.explain(texts.get(rank) ?? '')
    return record === undefined
      ? []
      : [
          {
            record,
            score,
            matches: query.highlight ? findSkillMatches(skillOf({ record }), patternsOf(read)) : null,
            explanation: texts === null ? null : { placement, words, similarity },
            duplicates: copies?.get(rank) ?? 0,
          },
        ]
  })
}
