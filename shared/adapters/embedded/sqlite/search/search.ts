import type { SkillSort } from '../../../../ports/filter-table.js'
import type { Concept, ReadQuery } from '../../../../ranking/concepts.js'
import { type Candidate, namedPlaces } from '../../../../ranking/merge-hits.js'
import { allConcepts, type Place, Weigher } from '../../../../ranking/weigh.js'
import { searchSettings } from '../../../../search-settings.js'
import { idsIn } from '../catalog/find-by-id.js'
import { filterRanks, findInFields, firstAndDifferent, haveCopies, type TextMatches } from './candidates.js'
import { sorted } from './in-order.js'
import {
  allOf,
  keyHash,
  type PreparedSearch,
  phrase,
  type Ranks,
  ranksOf,
  readPairs,
  readRanks,
  wordLinesOf,
} from './index-reads.js'
import type { nameColumns } from './index-tables.js'

/** Skills read for each way to have some of the words. */
const maxPartial = 100

/** A match, by the rank of its document. */
export interface RankedMatch extends Candidate {
  rank: number
  /** See `SearchHit`; absent: each match is shown. */
  others?: number
  /** The matches that are left out since their texts nearly repeat its own. */
  nearCopies?: RankedMatch[]
}

/** The matches of a search, in order: at most `maxReach`. */
export interface Matches {
  matches: RankedMatch[]
  /** Whether there may be more. */
  areMore: boolean
  /** See `TextMatches`; absent: the texts were not looked at. */
  conceptsIn?: TextMatches['conceptsIn']
}

/** The skills whose fields fit a search, the best first, with all copies; of exclusions alone, the most starred first. */
export function findByFields(search: PreparedSearch): Matches {
  const { concepts } = search.read
  if (search.read.isTask) {
    const first = searchSettings.maxTaskCandidates
    return bounded(weigh(search, firstAndDifferent(search, findInFields(search), { first, different: first })), false)
  }
  if (concepts.length === 0) {
    const { ranks, areMore } = ranksOf(search, null, searchSettings.maxReach + 1)
    return bounded(ranks.map(unweighed), areMore)
  }
  const { ranks: complete, areMore } = completeRanks(search)
  const exact = exactMatches(search, complete)
  const { enough, maxWeighed: first, maxNearest: different } = searchSettings
  const areCopies = areFirstCopies(search, complete)
  const isEnough = complete.length + exact.length >= enough && !(areCopies && haveCopies(search, complete, enough))
  const candidates = new Set([
    ...(complete.length > first ? namedWith(search, ['name', 'repo'], allOf(concepts)) : []),
    ...(areCopies ? firstAndDifferent(search, complete, { first, different }) : complete.slice(0, first)),
    ...(mayBeName(search.read) ? namedByAllWords(search) : []),
    ...(isEnough ? [] : partialRanks(search)),
  ])
  const known = new Set<number>()
  const matches = [...exact, ...weigh(search, [...candidates]), ...complete.map(unweighed)].filter(
    ({ rank }) => known.size < known.add(rank).size,
  )
  return bounded(matches, areMore)
}

/** Skills with all words in the order of a column; where there is none, those with some of the words. */
export function sortedMatches(search: PreparedSearch, sort: SkillSort): Matches {
  if (search.read.isTask && search.read.concepts.length === 0) {
    // No skill has one of its words.
    return bounded([], false)
  }
  const all = search.read.concepts.length === 0 ? null : allOf(search.read.concepts)
  const complete = sorted(search, sort, all)
  const exact = new Map(exactMatches(search, complete).map(({ rank, placement }) => [rank, placement]))
  const isPartial = all !== null && complete.length === 0
  const ranks = isPartial ? sorted(search, sort, [...exact.keys(), ...partialRanks(search)]) : complete
  const otherwise = isPartial ? 'some words' : 'all words'
  return bounded(
    ranks.map((rank) => ({ rank, placement: exact.get(rank) ?? otherwise, score: null })),
    false,
  )
}

/** Names seldom have more words. */
const maxNameWords = 5

/** Whether a name may have all words, function words too, that are not searched otherwise. */
const mayBeName = ({ words, concepts }: ReadQuery): boolean =>
  words.length > concepts.length && words.length <= maxNameWords

const unweighed = (rank: number): RankedMatch => ({ rank, placement: 'all words', score: allConcepts })

/** Skills with all concepts; of more than are weighed, those with the whole last word first, in each range of ranks. */
function completeRanks(search: PreparedSearch): Ranks {
  const { concepts } = search.read
  if (!concepts.every(({ isKnown }) => isKnown)) {
    return { ranks: [], areMore: false }
  }
  const limit = searchSettings.maxReach + 1
  const hasPrefix = concepts.some(({ isPrefix }) => isPrefix)
  const withWhole = () => firstRanks(search, allOf(concepts.map((concept) => ({ ...concept, isPrefix: false }))), limit)
  // A frequent word alone is enough: those that it begins are many, and slow to merge.
  const whole = hasPrefix && concepts.length === 1 ? withWhole() : null
  if (whole?.areMore) {
    return whole
  }
  const found = firstRanks(search, allOf(concepts), limit)
  if (!hasPrefix || found.ranks.length <= searchSettings.maxWeighed) {
    return found
  }
  const wholeFirst = [...new Set([...(whole ?? withWhole()).ranks, ...found.ranks])]
  const { ends } = search.ranges
  const endBefore = (rank: number) => ends.findLast((end) => end < rank) ?? -1
  return { ...found, ranks: wholeFirst.sort((a, b) => endBefore(a) - endBefore(b)).slice(0, found.ranks.length) }
}

/** Whether most of the first matches are copies of others. */
const areFirstCopies = (search: PreparedSearch, ranks: readonly number[]): boolean =>
  haveCopies(search, ranks.slice(0, searchSettings.maxWeighed), searchSettings.enough)

/** Matches that are read where many of the first are copies: in some 5 ms. */
const maxWithCopies = 20_000

/**
 * The first matches of an expression, and where most of them are copies, others that are none.
 *
 * @param enough see `ranksOf`
 */
function firstRanks(search: PreparedSearch, expression: string, limit: number, enough?: number): Ranks {
  const { ranks, areMore } = ranksOf(search, expression, limit, enough)
  if (!areMore || !areFirstCopies(search, ranks)) {
    return { ranks, areMore }
  }
  const all = ranksOf(search, expression, maxWithCopies, maxWithCopies)
  return { ranks: firstAndDifferent(search, all.ranks, { first: ranks.length, different: 100 }), areMore }
}

/** Matches up to the reach of pages. */
export const bounded = (matches: RankedMatch[], areMore: boolean): Matches => ({
  matches: matches.slice(0, searchSettings.maxReach),
  areMore: areMore || matches.length > searchSettings.maxReach,
})

/**
 * Skills with some of the words, and all phrases: all words that any skill has; without the rarest or the most frequent one;
 * then with two of the rarest, then with one of them, then with the phrases alone, until there are enough for three pages.
 */
function partialRanks(search: PreparedSearch): number[] {
  const known = search.read.concepts.filter(({ isKnown }) => isKnown).sort((a, b) => b.rarity - a.rarity)
  const [first = [], second = [], third = []] = known.map((concept) => [concept])
  const groups: Concept[][][] = [
    known.length < search.read.concepts.length ? [known] : [],
    known.length > 2 ? [known.slice(0, -1), known.slice(1)] : [],
    known.length > 3
      ? [
          [...first, ...second],
          [...first, ...third],
          [...second, ...third],
        ]
      : [],
    [first],
    [second],
  ]
  const phrases = search.phrases.map(phrase)
  const expressions = groups
    .map((group) => group.filter(({ length }) => length > 0).map((concepts) => `(${allOf(concepts)})`))
    .filter((group) => group.length > 0)
    .map((group) => [`(${group.join(' OR ')})`, ...phrases].join(' AND '))
  const found = new Set<number>()
  for (const expression of [...expressions, ...(phrases.length > 0 ? [phrases.join(' AND ')] : [])]) {
    if (found.size < 3 * searchSettings.enough) {
      for (const rank of firstRanks(search, expression, maxPartial, searchSettings.enough).ranks) {
        found.add(rank)
      }
    }
  }
  return [...found]
}

/** Skills with all words as written in name or repository, function words and phrases too. */
const namedByAllWords = (search: PreparedSearch): number[] => {
  const { words, lastIsPrefix, concepts } = search.read
  const isFinished = concepts.some(({ tokens, isPrefix }) => tokens.at(-1) === words.at(-1) && !isPrefix)
  return namedWith(
    search,
    ['name', 'repo'],
    `${[...search.phrases.map(phrase), ...words.map((word) => phrase([word]))].join(' AND ')}${lastIsPrefix && !isFinished ? ' *' : ''}`,
  )
}

/** Skills that match an expression in these columns of the table of names, the most starred first. */
export const namedWith = (search: PreparedSearch, columns: (typeof nameColumns)[number][], words: string): number[] =>
  filterRanks(
    search,
    readRanks(search.db, `SELECT rowid AS rank FROM names WHERE names MATCH ? ORDER BY rowid LIMIT ?`, [
      `{${columns.join(' ')}} : (${words})`,
      searchSettings.maxWeighed,
    ]),
  )

const { byId, inRepository, byName, byRepo } = namedPlaces
const byPlace: Record<number, Place> = { 1: byId, 2: inRepository, 3: byName, 4: byRepo }

/**
 * Skills whose id is the text, then those in the repository that the text is, then those whose name, then those whose
 * repository has it as its name; where there is none, the same of the corrected text.
 *
 * @param meeting skills that are known to meet the conditions of the search: each other one is looked up
 */
export function exactMatches(search: PreparedSearch, meeting: readonly number[] = []): RankedMatch[] {
  const known = new Set(meeting)
  const { repository } = search.read
  const idsOf = repository === null ? ['', ''] : idsIn(repository)
  // A text without words equals no name.
  for (const name of search.read.names.filter((key) => key !== '')) {
    const places = readPairs<number, number>(
      search.db,
      `SELECT rank AS key, min(place) AS value FROM (
         SELECT rank, 1 AS place FROM documents WHERE id_hash = ?1
         UNION ALL SELECT rank, 2 FROM catalog.skills s CROSS JOIN documents ON skill = s.rowid WHERE s.id > ?3 AND s.id < ?4
         UNION ALL SELECT rank, 3 FROM documents WHERE name_hash = ?1
         UNION ALL SELECT rank, 4 FROM documents WHERE repo_hash = ?1
       ) GROUP BY rank ORDER BY min(place), rank LIMIT ?2`,
      [keyHash(name), searchSettings.maxReach, ...idsOf],
    )
    const others = filterRanks(
      search,
      [...places.keys()].filter((rank) => !known.has(rank)),
    )
    const wanted = new Set([...known, ...others])
    const found = [...places].filter(([rank]) => wanted.has(rank))
    if (found.length > 0) {
      return found.map(([rank, place]) => ({ rank, ...(byPlace[place] as Place) }))
    }
  }
  return []
}

/** The candidates, the best first: those with all concepts before the others. */
export function weigh({ db, read }: Pick<PreparedSearch, 'db' | 'read'>, ranks: number[]): RankedMatch[] {
  const weigher = new Weigher(read)
  return [...wordLinesOf(db, ranks)]
    .map(([rank, lines]) => ({ rank, ...weigher.weigh(lines) }))
    .sort((a, b) => b.score - a.score || a.rank - b.rank)
}
