import type { SearchHit, SearchQuery } from '../../../../ports/search-index.js'
import { skillOf } from '../../../../records/skill.js'
import { findSkillMatches, patternsOf } from '../../../../text/find-matches.js'
import { firstOfRepositories } from '../../../../text/fold-hits.js'
import { withText } from '../../../../text/text-stems.js'
import { Weigher } from '../../../../text/weigh.js'
import { stateCodes } from '../catalog/skill-record.js'
import type { SqliteDatabase } from '../database.js'
import type { TextMatches } from './by-rarity.js'
import { countCopies } from './copies.js'
import { documentsWithSkills } from './index-tables.js'
import { type PreparedSearch, textsOf } from './read-ranks.js'
import type { Match } from './search.js'

/** The records of documents, as JSON, by rank; absent: the skill is not published any more. */
export function recordsAt(db: SqliteDatabase, ranks: number[]): Map<number, string> {
  const rows = db.all<{ rank: number; skill: string }>(
    `SELECT d.rank AS rank, s.record AS skill FROM json_each(?) m CROSS JOIN ${documentsWithSkills}
     WHERE d.rank = m.value AND s.state = ?`,
    [JSON.stringify(ranks), stateCodes.published],
  )
  return new Map(rows.map(({ rank, skill }) => [rank, skill]))
}

/** Of the matches the best one of each repository. */
export function bestOfRepositories(db: SqliteDatabase, matches: Match[]): Match[] {
  const rows = db.all<{ rank: number; id: string }>(
    `SELECT d.rank AS rank, s.id AS id FROM json_each(?) m CROSS JOIN ${documentsWithSkills} WHERE d.rank = m.value`,
    [JSON.stringify(matches.map(({ rank }) => rank))],
  )
  const ids = new Map(rows.map(({ rank, id }) => [rank, id]))
  const first = firstOfRepositories(matches, ({ rank }) => ids.get(rank) ?? String(rank))
  return first.map(({ hit, others }) => ({ ...hit, others }))
}

/** The hits of a page, with all that the query asks for. */
export function readHits(
  { db, read }: PreparedSearch,
  query: SearchQuery,
  page: Match[],
  conceptsIn: TextMatches['conceptsIn'],
): SearchHit[] {
  const ranks = page.map(({ rank }) => rank)
  const records = recordsAt(db, ranks)
  const inTexts = new Map(ranks.map((rank) => [rank, conceptsIn(rank)]))
  const explained = query.explain ? ranks : ranks.filter((rank) => inTexts.get(rank)?.length)
  const texts = explained.length === 0 ? new Map<number, string>() : textsOf(db, explained)
  const near = page.flatMap(({ nearCopies = [] }) => nearCopies)
  const copies = query.fold ? countCopies(db, [...ranks, ...near], query.filters) : null
  const copiesOf = (rank: number) => copies?.get(rank) ?? 0
  const weigher = new Weigher(read)
  return page.flatMap(({ rank, placement, score, similarity = null, others = null, nearCopies = [] }): SearchHit[] => {
    const record = records.get(rank)
    const lines = texts.get(rank)
    const inFields = lines === undefined ? [] : weigher.explain(lines)
    const { words, stems } = withText(read, inFields, lines === undefined ? [] : (inTexts.get(rank) ?? []))
    return record === undefined
      ? []
      : [
          {
            record,
            score,
            matches: query.highlight ? findSkillMatches(skillOf({ record }), patternsOf(read)) : null,
            explanation: query.explain ? { placement, words, similarity } : null,
            duplicates: nearCopies.reduce((sum, each) => sum + 1 + copiesOf(each), copiesOf(rank)),
            textWords: stems,
            others,
          },
        ]
  })
}
