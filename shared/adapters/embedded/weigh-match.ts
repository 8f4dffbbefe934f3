import type { Skill } from '../../records/skill.js'
import { searchSettings } from '../../search-settings.js'
import { byFitness, type Fitness, farApart } from '../../text/fitness.js'
import { skillWords } from '../../text/skill-words.js'
import type { ExpandedTerm } from './sqlite-match.js'

/** A place where a term stands. */
interface Place {
  group: number
  /** Which text of the skill: places in two of them are far apart. */
  entry: number
  start: number
  end: number
  typos: number
  whole: boolean
}

/** The words of a skill, entry by entry, each with the group of its field. */
interface Entry {
  group: number
  words: string[]
}

const entriesOf = (skill: Skill): Entry[] => {
  const words = skillWords(skill)
  return searchSettings.fieldGroups.flatMap((fields, group) =>
    fields.flatMap((field) => words[field].map((entry) => ({ group, words: entry }))),
  )
}

/** A term, and with how many typos it stands for which words. */
interface Sought {
  term: ExpandedTerm
  typosOf: Map<string, number>
}

/** Makes what tells how well a skill fits a query, in the reading that fits it best. */
export function weigher(readings: ExpandedTerm[][]): (skill: Skill) => Fitness {
  const sought = readings.map((terms) => terms.map((term): Sought => ({ term, typosOf: typosOf(term) })))
  return (skill) => {
    const entries = entriesOf(skill)
    const [best] = sought
      .map((terms) => fitnessOf(entries, terms))
      .filter((fitness) => fitness !== null)
      .sort(byFitness)
    return best ?? worst
  }
}

const worst: Fitness = { typos: Number.MAX_SAFE_INTEGER, distance: 0, fields: 0, unfinished: 0 }

/** Null when a term is not there. */
function fitnessOf(entries: Entry[], sought: Sought[]): Fitness | null {
  const fitness: Fitness = { typos: 0, distance: 0, fields: 0, unfinished: 0 }
  let before: Place[] | null = null
  for (const { term, typosOf } of sought) {
    const all = placesOf(entries, term, typosOf)
    if (all.length === 0) {
      return null
    }
    const typos = Math.min(...all.map((place) => place.typos))
    // What stands there with more typos does not count where the term stands with fewer.
    const places = all.filter((place) => place.typos === typos)
    fitness.typos += typos + (term.joins > 1 ? term.joins : 0)
    fitness.distance += term.joins - 1 + (before === null ? 0 : distanceBetween(before, places, term.common))
    fitness.fields += term.joins * Math.min(...places.map((place) => place.group))
    fitness.unfinished += term.joins === 1 && places.some((place) => place.whole) ? 0 : term.joins
    before = places
  }
  return fitness
}

/**
 * The shortest way from a place of one term to one of the next; the other way round is one longer.
 *
 * @param wholeBefore whether only whole words count the other way round: so Meilisearch takes common beginnings
 */
const distanceBetween = (left: Place[], right: Place[], wholeBefore: boolean): number =>
  Math.min(
    farApart,
    wayBetween(left, right) - 1,
    wayBetween(wholeBefore ? right.filter(({ typos, whole }) => typos > 0 || whole) : right, left),
  )

/** The least number of words from the end of one of `left` to the start of one of `right` behind it. */
function wayBetween(left: Place[], right: Place[]): number {
  let shortest = Number.POSITIVE_INFINITY
  let next = 0
  for (const { entry, start } of right) {
    for (let place = left[next]; place !== undefined && isBehind(place, entry, start); place = left[next]) {
      next += 1
    }
    const last = left[next - 1]
    if (last?.entry === entry) {
      shortest = Math.min(shortest, start - last.end)
    }
  }
  return shortest
}

const isBehind = (place: Place, entry: number, start: number): boolean =>
  place.entry < entry || (place.entry === entry && place.end < start)

/** In order. */
function placesOf(entries: Entry[], { tokens, prefix, split }: ExpandedTerm, typosOf: Map<string, number>): Place[] {
  const places: Place[] = []
  const [first = ''] = tokens
  // Words that belong together are as well placed as the first of them is anywhere: Meilisearch looks no closer.
  const lead = (group: number, word: string) =>
    Math.min(group, ...entries.filter(({ words }) => words.includes(word)).map((entry) => entry.group))
  for (const [entry, { group, words }] of entries.entries()) {
    for (const [start, word] of words.entries()) {
      if (tokens.length > 1) {
        if (standsAt(words, start, tokens)) {
          places.push({
            group: lead(group, first),
            entry,
            start,
            end: start + tokens.length - 1,
            typos: 0,
            whole: true,
          })
        }
        continue
      }
      const typos = typosOf.get(word) ?? (prefix && word.startsWith(first) ? 0 : null)
      if (typos !== null) {
        places.push({ group, entry, start, end: start, typos, whole: word === first })
      }
      if (split !== null && standsAt(words, start, split)) {
        places.push({ group: lead(group, split[0]), entry, start, end: start + 1, typos: 1, whole: false })
      }
    }
  }
  return places
}

const standsAt = (words: string[], start: number, wanted: string[]): boolean =>
  wanted.every((word, offset) => words[start + offset] === word)

const typosOf = ({ tokens, corrections: { one, two } }: ExpandedTerm): Map<string, number> =>
  new Map([
    ...two.map((word) => [word, 2] as const),
    ...one.map((word) => [word, 1] as const),
    ...(tokens.length === 1 ? tokens.map((word) => [word, 0] as const) : []),
  ])
