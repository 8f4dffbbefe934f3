import { searchSettings } from '../search-settings.js'

/** How well a skill fits a query: each number the smaller the better, the earlier ones deciding first. */
export interface Fitness {
  /** Typos in all terms together; words that were written apart count as such. */
  typos: number
  /** How far from each other neighbouring terms stand, at most `farApart` for each pair; 0: all in a row. */
  distance: number
  /** In how telling fields the terms are found: 0 for each in the first group, 1 in the second … */
  fields: number
  /** How many terms are not there as whole words. */
  unfinished: number
}

/** The distance of terms that have three words or more between them, or stand in different texts. */
export const farApart = 3

/** The better first. */
export const byFitness = (a: Fitness, b: Fitness): number =>
  a.typos - b.typos || a.distance - b.distance || a.fields - b.fields || a.unfinished - b.unfinished

/** The most that so many terms can be apart from each other. */
export const mostDistance = (terms: number): number => farApart * (terms - 1)

/** The least telling fields that so many terms can be found in. */
export const mostFields = (terms: number): number => (searchSettings.fieldGroups.length - 1) * terms

/**
 * Scores of matches with all words lie between 0.2 and 0.97, and fall as fitness does; the exact ones are above.
 *
 * @param terms how many the query has
 */
export function scoreOf({ typos, distance, fields, unfinished }: Fitness, terms: number): number {
  const within = (value: number, rest: number, highest: number) => (Math.min(value, highest) + rest) / (highest + 1)
  const worse = within(
    typos,
    within(distance, within(fields, within(unfinished, 0, terms), mostFields(terms)), mostDistance(terms)),
    2 * terms,
  )
  return 0.97 - 0.77 * worse
}
