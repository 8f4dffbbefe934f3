import { searchSettings } from '../search-settings.js'

/** How well a skill fits a query: smaller numbers are better, earlier ones are compared first. */
export interface Fitness {
  /** Typos of all terms together; joined or split words count as typos. */
  typos: number
  /** Distance of adjacent terms, at most `farApart` for each pair; 0: consecutive. */
  distance: number
  /** Importance of the fields of the terms: 0 for each in the first group, 1 in the second … */
  fields: number
  /** Number of terms that do not occur as whole words. */
  unfinished: number
}

/** The distance of terms with at least three words between them, or in different texts. */
export const farApart = 3

/** Sorts the better fit first. */
export const byFitness = (a: Fitness, b: Fitness): number =>
  a.typos - b.typos || a.distance - b.distance || a.fields - b.fields || a.unfinished - b.unfinished

/** The maximum total distance of this number of terms. */
export const maxDistance = (terms: number): number => farApart * (terms - 1)

/** The maximum field score of this number of terms. */
export const maxFieldScore = (terms: number): number => (searchSettings.fieldGroups.length - 1) * terms

/**
 * Scores of matches with all words are between 0.2 and 0.97 and fall as fitness gets penalty; exact matches have higher
 * ones.
 *
 * @param terms number of terms in the query
 */
export function scoreOf({ typos, distance, fields, unfinished }: Fitness, terms: number): number {
  const within = (value: number, rest: number, highest: number) => (Math.min(value, highest) + rest) / (highest + 1)
  const penalty = within(
    typos,
    within(distance, within(fields, within(unfinished, 0, terms), maxFieldScore(terms)), maxDistance(terms)),
    2 * terms,
  )
  return 0.97 - 0.77 * penalty
}
