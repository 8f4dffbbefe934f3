import type { FacetName, SkillFilters } from '../../../../ports/filter-table.js'
import type { FacetCount, SearchHit, SearchQuery } from '../../../../ports/search-index.js'
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
import { columnOf, documentsWithSkills, listOf, type PreparedSearch, readColumn, wordLinesOf } from './index-reads.js'
import { bounded, exactMatches, findByFields, type Matches, type RankedMatch, sortedMatches, weigh } from './search.js'
import type { VectorCodes } from './vector-codes.js'

type Meaning = NonNullable<SearchQuery['meaning']>

/** The best texts that are compared with the matches of other kinds. */
const maxTexts = 50

/** The skills of a search in another order than by relevance, or of exclusions alone; of copies the first. */
export function findInOrder(search: PreparedSearch): Matches {
  const { sort } = search.query
  const { matches, areMore } = sort === 'relevance' ? findByFields(search) : sortedMatches(search, sort)
  return { matches: withoutCopies(search, matches), areMore }
}

/** The nearest skills, exact names first; of copies the best. */
export function findByMeaning(search: PreparedSearch, codes: VectorCodes, { vector }: Meaning): Matches {
  const { maxReach } = searchSettings
  const near = nearest(search, codes, vector, { count: maxReach, enough: maxReach })
  const similarities = new Map(near.map(({ rank, similarity }) => [rank, similarity]))
  const exact = exactMatches(search).map((match) => ({ ...match, similarity: similarities.get(match.rank) ?? null }))
  const named = new Set(exact.map(({ rank }) => rank))
  const others = near
    .filter(({ rank }) => !named.has(rank))
    .map((each): RankedMatch => ({ ...each, placement: 'meaning', score: meaningScore(each.similarity), text: 0 }))
  const matches = withoutCopies(search, [...exact, ...others])
  return bounded(withoutNearCopies(search, matches), near.length >= maxReach)
}

/**
 * The skills of a search by the words of their fields, the words of their texts and, where it has one, its meaning, in one
 * order; of copies the best.
 */
export function findByRelevance(search: PreparedSearch, codes: VectorCodes, meaning: Meaning | null): Matches {
  const { maxNearest, maxTaskCandidates, enough } = searchSettings
  const near = meaning === null ? [] : nearest(search, codes, meaning.vector, { count: maxNearest, enough })
  const texts = findInTexts(search)
  const { matches: byFields, areMore } = findByFields(search)
  const similarities = new Map(near.map(({ rank, similarity }) => [rank, similarity]))
  const known = new Set(byFields.map(({ rank }) => rank))
  const inTexts = [...texts.scores.keys()].map((rank) => ({ rank }))
  const keyOf = foldKeys(search, [...byFields, ...near, ...inTexts])
  // Copies take no places.
  const best = [
    ...foldCopies(near, keyOf).slice(0, search.read.isTask ? maxTaskCandidates : maxNearest),
    ...foldCopies(inTexts, keyOf).slice(0, search.read.isTask ? maxTaskCandidates : maxTexts),
  ]
  const ranks = new Set(best.map(({ rank }) => rank).filter((rank) => !known.has(rank)))
  const byOthers = placed(search, [...ranks], texts)
  const found = [...byFields, ...byOthers]
  if (meaning !== null && search.read.isTask) {
    // Else one among the nearest would be far before one that is hardly less near.
    const others = found.flatMap(({ rank }) => (similarities.has(rank) ? [] : [rank]))
    for (const { rank, similarity } of nearAmong(search.db, meaning.vector, others)) {
      similarities.set(rank, similarity)
    }
  }
  for (const match of found) {
    match.text = texts.scores.get(match.rank) ?? 0
    match.similarity = similarities.get(match.rank) ?? null
  }
  const matches = inFusedOrder(found, fusionWeights(found, meaning !== null))
  const folded = withoutNearCopies(search, foldCopies(matches, keyOf))
  return { ...bounded(folded, areMore), conceptsIn: texts.conceptsIn }
}

/** Skills that were found by text or meaning: their fields may have some of the words nevertheless. */
function placed(search: PreparedSearch, ranks: number[], texts: TextMatches): RankedMatch[] {
  return weigh(search, ranks).map((match) =>
    match.score === 0 ? { ...match, placement: texts.scores.has(match.rank) ? 'text' : 'meaning' } : match,
  )
}

/** The copy keys of the documents that others repeat, by rank. */
function copyKeysOf(db: SqliteDatabase, ranks: number[]): Map<number, number> {
  return new Map([...columnOf(db, 'copies', 'copy_key', ranks)].map(([rank, key]) => [rank, Number(key)]))
}

/** The sketches of documents, by rank. */
const sketchesOf = (db: SqliteDatabase, ranks: number[]): Map<number, Sketch | null> =>
  new Map([...columnOf(db, 'texts', 'sketch', ranks)].map(([rank, sketch]) => [rank, sketchIn(sketch)]))

/** A key of these documents: equal for copies, where the search leaves them out; null: it leaves out none of it. */
function foldKeys(
  { db, query }: PreparedSearch,
  matches: { rank: number }[],
): (match: { rank: number }) => number | null {
  const ranks = query.fold ? matches.map(({ rank }) => rank) : []
  const keys = copyKeysOf(db, ranks)
  return ({ rank }) => keys.get(rank) ?? null
}

/** The matches, of copies only the best where the search leaves out copies. */
const withoutCopies = (search: PreparedSearch, matches: RankedMatch[]): RankedMatch[] =>
  foldCopies(matches, foldKeys(search, matches))

/** The matches without the near copies of better ones, see `foldNearCopies`, where the search leaves out copies. */
function withoutNearCopies({ db, query, read }: PreparedSearch, matches: RankedMatch[]): RankedMatch[] {
  if (!query.fold) {
    return matches
  }
  const sketches = sketchesOf(
    db,
    matches.slice(0, maxCompared).map(({ rank }) => rank),
  )
  return foldNearCopies(
    matches,
    {
      sketchOf: ({ rank }) => sketches.get(rank) ?? null,
      linesOf: ({ rank }) => wordLinesOf(db, [rank]).get(rank) ?? '',
    },
    read,
  )
}

/** The number of other documents with the text of each, by rank, that the filters admit; absent: none. */
function countCopies(db: SqliteDatabase, ranks: number[], filters: SkillFilters): Map<number, number> {
  const keys = copyKeysOf(db, ranks)
  const { sql, values } = rowConditions(filters)
  const rows = db.all<{ copy_key: number; documents: number }>(
    `SELECT copy_key, count(*) AS documents FROM json_each(?) m CROSS JOIN ${sql === '' ? 'documents d' : documentsWithSkills}
     WHERE copy_key = m.value${sql} GROUP BY copy_key`,
    [JSON.stringify([...new Set(keys.values())]), ...values],
  )
  const documents = new Map(rows.map((row) => [row.copy_key, row.documents]))
  return new Map([...keys].map(([rank, key]) => [rank, (documents.get(key) ?? 1) - 1]))
}

/** The records of documents, as JSON, by rank; absent: the skill is not published any more. */
export function recordsAt(db: SqliteDatabase, ranks: number[]): Map<number, string> {
  return readColumn(
    db,
    `SELECT d.rank AS rank, s.record AS text FROM json_each(?) m CROSS JOIN ${documentsWithSkills}
     WHERE d.rank = m.value AND s.state = ?`,
    [listOf(ranks), stateCodes.published],
  )
}

/** The best match of each repository. */
export function bestOfRepositories(db: SqliteDatabase, matches: RankedMatch[]): RankedMatch[] {
  const rows = db.all<{ rank: number; id: string }>(
    `SELECT d.rank AS rank, s.id AS id FROM json_each(?) m CROSS JOIN ${documentsWithSkills} WHERE d.rank = m.value`,
    [listOf(matches.map(({ rank }) => rank))],
  )
  const ids = new Map(rows.map(({ rank, id }) => [rank, id]))
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
  const explained = query.explain ? ranks : ranks.filter((rank) => inTexts.get(rank)?.length)
  const linesOf = explained.length === 0 ? new Map<number, string>() : wordLinesOf(db, explained)
  const near = page.flatMap(({ nearCopies = [] }) => nearCopies.map((copy) => copy.rank))
  const copies = query.fold ? countCopies(db, [...ranks, ...near], query.filters) : null
  const copiesOf = (rank: number) => copies?.get(rank) ?? 0
  const weigher = new Weigher(read)
  return page.flatMap(({ rank, placement, score, similarity, others = null, nearCopies = [] }): SearchHit[] => {
    const record = records.get(rank)
    const lines = linesOf.get(rank)
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
            duplicates: nearCopies.reduce((sum, copy) => sum + 1 + copiesOf(copy.rank), copiesOf(rank)),
            textWords: stems,
            others,
          },
        ]
  })
}

/** Values returned of a facet. */
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
  const rank = db.get<{ rank: number }>(`SELECT rank FROM ${documentsWithSkills} WHERE s.id = ?`, [id])?.rank
  if (rank === undefined) {
    return []
  }
  const near = nearestTo(db, codes, rank, limit)
  const keys = copyKeysOf(db, [rank, ...near.map((each) => each.rank)])
  const own = keys.get(rank)
  const others = foldCopies(
    near.filter((each) => own === undefined || keys.get(each.rank) !== own),
    (each) => keys.get(each.rank) ?? null,
  )
  const sketches = sketchesOf(db, [rank, ...others.map((each) => each.rank)])
  const sketchOf = (each: number) => sketches.get(each) ?? null
  return othersThanCopies(sketchOf(rank), others, (each) => sketchOf(each.rank)).slice(0, limit)
}
