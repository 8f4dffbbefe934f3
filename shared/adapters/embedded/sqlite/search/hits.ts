import type { FacetName, SkillFilters } from '../../../../ports/filter-table.js'
import type { FacetCount, SearchHit } from '../../../../ports/search-index.js'
import { withText } from '../../../../ranking/concepts.js'
import { findSkillMatches, patternsOf } from '../../../../ranking/find-matches.js'
import {
  firstOfRepositories,
  foldCopies,
  foldNearCopies,
  fusionWeights,
  inFusedOrder,
  maxCompared,
  meaningScore,
  othersThanCopies,
  sketchIn,
} from '../../../../ranking/merge-hits.js'
import { Weigher } from '../../../../ranking/weigh.js'
import { skillOf } from '../../../../records/skill.js'
import { searchSettings } from '../../../../search-settings.js'
import type { Sketch } from '../../../../text/skill-words.js'
import { stateCodes } from '../catalog/skill-record.js'
import type { SqliteDatabase } from '../database.js'
import { rowConditions } from '../filters.js'
import { findInTexts, type Near, nearAmong, nearest, nearestTo, type TextMatches } from './candidates.js'
import {
  columnOf,
  documentsWithSkills,
  listOf,
  type Meaning,
  type PreparedSearch,
  readPairs,
  wordLinesOf,
} from './index-reads.js'
import { bounded, exactMatches, findByFields, type Matches, type RankedMatch, sortedMatches, weigh } from './search.js'
import type { VectorCodes } from './vector-codes.js'

/** The best texts that are compared with the matches of other kinds. */
const maxTexts = 50

/** The skills of a search in another order than by relevance, or of exclusions alone; of copies the first. */
export function findInOrder(search: PreparedSearch): Matches {
  const { sort } = search.query
  const { matches, areMore } = sort === 'relevance' ? findByFields(search) : sortedMatches(search, sort)
  return { matches: withoutCopies(search, matches), areMore }
}

/** The nearest skills, exact names first; of copies the best. */
export function findByMeaning(search: PreparedSearch, meaning: Meaning): Matches {
  const { maxReach } = searchSettings
  const near = nearest(search, meaning, { count: maxReach, enough: maxReach })
  const similarities = new Map(near.map(({ rank, similarity }) => [rank, similarity]))
  const exact = exactMatches(search).map((match) => ({ ...match, similarity: similarities.get(match.rank) ?? null }))
  const named = new Set(exact.map(({ rank }) => rank))
  const others = near
    .filter(({ rank }) => !named.has(rank))
    .map((each): RankedMatch => ({ ...each, placement: 'meaning', score: meaningScore(each.similarity) }))
  const matches = withoutCopies(search, [...exact, ...others])
  return bounded(withoutNearCopies(search, matches), near.length >= maxReach)
}

/**
 * The skills of a search by the words of their fields, the words of their texts and, where it has one, its meaning, in one
 * order; of copies the best.
 */
export function findByRelevance(search: PreparedSearch): Matches {
  const { maxNearest, maxTaskCandidates, enough } = searchSettings
  const { db, query, meaning, read } = search
  const near = meaning === null ? [] : nearest(search, meaning, { count: maxNearest, enough })
  const texts = findInTexts(search)
  const { matches: byFields, areMore } = findByFields(search)
  const inTexts = [...texts.scores.keys()].map((rank) => ({ rank }))
  const keyOf = query.fold ? foldKeys(db, [...byFields, ...near, ...inTexts]) : () => null
  // Copies take no places.
  const best = [
    ...foldCopies(near, keyOf).slice(0, read.isTask ? maxTaskCandidates : maxNearest),
    ...foldCopies(inTexts, keyOf).slice(0, read.isTask ? maxTaskCandidates : maxTexts),
  ]
  const known = new Set(byFields.map(({ rank }) => rank))
  const others = new Set(best.map(({ rank }) => rank).filter((rank) => !known.has(rank)))
  const found = [...byFields, ...weigh(search, [...others])]
  const similarities = new Map(near.map(({ rank, similarity }) => [rank, similarity]))
  if (meaning !== null && read.isTask) {
    // Else one among the nearest would be far before one that is hardly less near.
    const unknown = found.flatMap(({ rank }) => (similarities.has(rank) ? [] : [rank]))
    for (const { rank, similarity } of nearAmong(db, meaning.vector, unknown)) {
      similarities.set(rank, similarity)
    }
  }
  for (const match of found) {
    match.text = texts.scores.get(match.rank) ?? 0
    match.similarity = similarities.get(match.rank) ?? null
    if (match.score === 0 && others.has(match.rank)) {
      match.placement = match.text > 0 ? 'text' : 'meaning'
    }
  }
  const matches = inFusedOrder(found, fusionWeights(found, meaning !== null))
  const folded = withoutNearCopies(search, foldCopies(matches, keyOf))
  return { ...bounded(folded, areMore), conceptsIn: texts.conceptsIn }
}

/** The copy keys of the documents that others repeat, by rank. */
const copyKeysOf = (db: SqliteDatabase, matches: readonly { rank: number }[]): Map<number, number> =>
  columnOf(
    db,
    'copies',
    'copy_key',
    matches.map(({ rank }) => rank),
  )

/** The sketch of each of these documents; null: it has none. */
function sketchesOf(db: SqliteDatabase, matches: { rank: number }[]): (match: { rank: number }) => Sketch | null {
  const ranks = matches.map(({ rank }) => rank)
  const sketches = columnOf<string>(db, 'texts', 'sketch', ranks)
  return ({ rank }) => sketchIn(sketches.get(rank))
}

/** A key of these documents: equal for copies; null: no other one repeats it. */
function foldKeys(db: SqliteDatabase, matches: { rank: number }[]): (match: { rank: number }) => number | null {
  const keys = copyKeysOf(db, matches)
  return ({ rank }) => keys.get(rank) ?? null
}

/** The matches, of copies only the best where the search leaves out copies. */
const withoutCopies = ({ db, query }: PreparedSearch, matches: RankedMatch[]): RankedMatch[] =>
  query.fold ? foldCopies(matches, foldKeys(db, matches)) : matches

/** The matches without the near copies of better ones, see `foldNearCopies`, where the search leaves out copies. */
function withoutNearCopies({ db, query, read }: PreparedSearch, matches: RankedMatch[]): RankedMatch[] {
  if (!query.fold) {
    return matches
  }
  const sketchOf = sketchesOf(db, matches.slice(0, maxCompared))
  const linesOf = ({ rank }: RankedMatch) => wordLinesOf(db, [rank]).get(rank) ?? ''
  return foldNearCopies(matches, { sketchOf, linesOf }, read)
}

/** The number of other documents with the text of each, by rank, that the filters admit; absent: none. */
function countCopies(db: SqliteDatabase, matches: RankedMatch[], filters: SkillFilters): Map<number, number> {
  const keys = copyKeysOf(db, matches)
  const { sql, values } = rowConditions(filters)
  const documents = readPairs<number, number>(
    db,
    `SELECT copy_key AS key, count(*) AS value FROM json_each(?) m CROSS JOIN ${sql === '' ? 'documents d' : documentsWithSkills}
     WHERE copy_key = m.value${sql} GROUP BY copy_key`,
    [JSON.stringify([...new Set(keys.values())]), ...values],
  )
  return new Map([...keys].map(([rank, key]) => [rank, (documents.get(key) ?? 1) - 1]))
}

/** The records of documents, as JSON, by rank, in this order; absent: the skill is not published any more. */
export const recordsAt = (db: SqliteDatabase, ranks: number[]): Map<number, string> =>
  readPairs(
    db,
    `SELECT d.rank AS key, s.record AS value FROM json_each(?) m CROSS JOIN ${documentsWithSkills}
     WHERE d.rank = m.value AND s.state = ?`,
    [listOf(ranks), stateCodes.published],
  )

/** The best match of each repository. */
export function bestOfRepositories(db: SqliteDatabase, matches: RankedMatch[]): RankedMatch[] {
  const ids = readPairs<number, string>(
    db,
    `SELECT d.rank AS key, s.id AS value FROM json_each(?) m CROSS JOIN ${documentsWithSkills} WHERE d.rank = m.value`,
    [listOf(matches.map(({ rank }) => rank))],
  )
  return firstOfRepositories(matches, ({ rank }) => ids.get(rank) ?? String(rank))
}

/** The hits of a page, with all that the query asks for. */
export function readHits(
  { db, query, read }: PreparedSearch,
  page: RankedMatch[],
  conceptsIn: TextMatches['conceptsIn'],
): SearchHit[] {
  const ranks = page.map(({ rank }) => rank)
  const records = recordsAt(db, ranks)
  const inTexts = new Map(ranks.map((rank) => [rank, conceptsIn(rank)]))
  const lines = wordLinesOf(
    db,
    ranks.filter((rank) => query.explain || inTexts.get(rank)?.length),
  )
  const near = page.flatMap(({ nearCopies = [] }) => nearCopies)
  const copies = query.fold ? countCopies(db, [...page, ...near], query.filters) : null
  const copiesOf = (rank: number) => copies?.get(rank) ?? 0
  const weigher = new Weigher(read)
  return page.flatMap(({ rank, placement, score, similarity = null, others = null, nearCopies = [] }): SearchHit[] => {
    const record = records.get(rank)
    const explained = lines.get(rank)
    const inFields = explained === undefined ? [] : weigher.explain(explained)
    const { words, stems } = withText(read, inFields, inTexts.get(rank) ?? [])
    return record === undefined
      ? []
      : [
          {
            record,
            score,
            matches: query.highlight ? findSkillMatches(skillOf({ record }), patternsOf(read)) : null,
            explanation: query.explain ? { placement, words, similarity } : null,
            duplicates: nearCopies.reduce((sum, copy) => sum + 1 + copiesOf(copy.rank), copiesOf(rank)),
            textWords: stems,
            others,
          },
        ]
  })
}

const maxFacetValues = 20

/** The most frequent values of a facet among the matches. */
export function facetCounts({ db }: PreparedSearch, matches: RankedMatch[], facet: FacetName): FacetCount[] {
  // Owners are logins, in lower case.
  const value = facet === 'owner' ? 'lower(t.value)' : 't.value'
  return db
    .all(
      // Values that differ in case only are one value, as for filters.
      `SELECT min(${value}) AS value, count(*) AS count
       FROM json_each(?) m CROSS JOIN ${documentsWithSkills} CROSS JOIN json_each(s.record, '$.${facet}') t
       WHERE d.rank = m.value AND t.value IS NOT NULL GROUP BY lower(t.value)
       ORDER BY count(*) DESC, min(${value}) LIMIT ?`,
      [listOf(matches.map(({ rank }) => rank)), maxFacetValues],
    )
    .map((row) => ({ value: String(row['value']), count: Number(row['count']) }))
}

/** The documents nearest to that of a skill: without itself and its copies, and one of each set of other copies. */
export function relatedTo(db: SqliteDatabase, codes: VectorCodes, id: string, limit: number): Near[] {
  const rank = db.value<number>(`SELECT rank FROM ${documentsWithSkills} WHERE s.id = ?`, [id])
  if (rank === null) {
    return []
  }
  const all = [{ rank, similarity: 1 }, ...nearestTo(db, codes, rank, limit)]
  const [own, ...others] = foldCopies(all, foldKeys(db, all))
  const sketchOf = sketchesOf(db, all)
  return othersThanCopies(own === undefined ? null : sketchOf(own), others, sketchOf).slice(0, limit)
}
