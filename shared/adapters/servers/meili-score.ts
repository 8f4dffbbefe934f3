import { mostDistance, mostFields, scoreOf } from '../../text/fitness.js'

/** What the engine tells of each step of its ranking, as far as the published ranking has it. */
export interface RankingSteps {
  typo?: { typoCount: number }
  proximity?: { score: number }
  attributeRank?: { score: number }
  exactness?: { matchingWords?: number; maxMatchingWords?: number }
}

/**
 * The score of a match with all words.
 *
 * @param terms how many the query has
 */
export function scoreOfSteps({ typo, proximity, attributeRank, exactness }: RankingSteps, terms: number): number {
  // The engine gives a match's place among all that are possible as a share, 1 for the best of them.
  const placeOf = (share: number, worst: number) => Math.round((1 - share) * (worst + 1))
  return terms === 0
    ? 0
    : scoreOf(
        {
          typos: typo?.typoCount ?? 0,
          distance: placeOf(proximity?.score ?? 1, mostDistance(terms)),
          fields: placeOf(attributeRank?.score ?? 1, mostFields(terms)),
          unfinished: (exactness?.maxMatchingWords ?? 0) - (exactness?.matchingWords ?? 0),
        },
        terms,
      )
}
