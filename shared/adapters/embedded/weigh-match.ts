import { searchSettings } from '../../search-settings.js'
import { byFitness, type Fitness, farApart } from '../../text/fitness.js'
import { entrySeparator, textColumns } from './sqlite-index-tables.js'
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

/** By text column, the group of its field. */
const groups = textColumns.map((field) =>
  searchSettings.fieldGroups.findIndex((fields) => (fields as readonly string[]).includes(field)),
)

const entriesOf = (words: string): Entry[] =>
  words
    .split('\n')
    .flatMap((line, column) =>
      line === ''
        ? []
        : line.split(` ${entrySeparator} `).map((entry) => ({ group: groups[column] ?? 0, words: entry.split(' ') })),
    )

/** What a word of a document may be the start of. */
interface Sought {
  /** Which term of the reading. */
  term: number
  typos: number
  whole: boolean
  /** Words that must follow. */
  following: string[]
}

/** A way to read the query, with its words as they are looked for. */
interface Reading {
  terms: ExpandedTerm[]
  sought: Map<string, Sought[]>
}

/** Makes what tells how well a document, by its stored words, fits a query, in the reading that fits it best. */
export function weigher(readings: ExpandedTerm[][]): (words: string) => Fitness {
  const prepared = readings.map((terms): Reading => ({ terms, sought: soughtIn(terms) }))
  return (words) => {
    const entries = entriesOf(words)
    const [best] = prepared
      .map((reading) => fitnessOf(entries, reading))
      .filter((fitness) => fitness !== null)
      .sort(byFitness)
    return best ?? worst
  }
}

const worst: Fitness = { typos: Number.MAX_SAFE_INTEGER, distance: 0, fields: 0, unfinished: 0 }

function soughtIn(terms: ExpandedTerm[]): Map<string, Sought[]> {
  const sought = new Map<string, Sought[]>()
  const add = (tokens: string[], term: number, typos: number, whole: boolean) => {
    const [first = '', ...following] = tokens
    sought.set(first, [...(sought.get(first) ?? []), { term, typos, whole, following }])
  }
  for (const [position, { tokens, corrections, split }] of terms.entries()) {
    add(tokens, position, 0, true)
    for (const word of corrections.one) {
      add([word], position, 1, false)
    }
    for (const word of corrections.two) {
      add([word], position, 2, false)
    }
    if (split !== null) {
      add(split, position, 1, false)
    }
  }
  return sought
}

/** Null when a term is not there. */
function fitnessOf(entries: Entry[], reading: Reading): Fitness | null {
  const fitness: Fitness = { typos: 0, distance: 0, fields: 0, unfinished: 0 }
  let before: Place[] | null = null
  for (const [position, all] of placesOf(entries, reading).entries()) {
    const { joins = 1, common = false } = reading.terms[position] ?? {}
    if (all.length === 0) {
      return null
    }
    const typos = Math.min(...all.map((place) => place.typos))
    // What stands there with more typos does not count where the term stands with fewer.
    const places = all.filter((place) => place.typos === typos)
    fitness.typos += typos + (joins > 1 ? joins : 0)
    fitness.distance += joins - 1 + (before === null ? 0 : distanceBetween(before, places, common))
    fitness.fields += joins * Math.min(...places.map((place) => place.group))
    fitness.unfinished += joins === 1 && places.some((place) => place.whole) ? 0 : joins
    before = places
  }
  return fitness
}

/** Where each term stands, in order. Runs for every word of every document that is weighed: nothing is made in vain. */
function placesOf(entries: Entry[], { terms, sought }: Reading): Place[][] {
  const places: Place[][] = terms.map(() => [])
  const last = terms.length - 1
  const beginning = terms[last]?.prefix ? terms[last]?.tokens[0] : undefined
  for (let entry = 0; entry < entries.length; entry += 1) {
    const { group = 0, words = [] } = entries[entry] ?? {}
    for (let start = 0; start < words.length; start += 1) {
      const word = words[start] ?? ''
      const here = sought.get(word)
      if (here !== undefined) {
        for (const { term, typos, whole, following } of here) {
          if (following.length === 0) {
            places[term]?.push({ group, entry, start, end: start, typos, whole })
          } else if (following.every((next, offset) => words[start + 1 + offset] === next)) {
            const leading = leadingGroup(entries, word, group)
            places[term]?.push({ group: leading, entry, start, end: start + following.length, typos, whole })
          }
        }
      }
      if (beginning !== undefined && word.length > beginning.length && word.startsWith(beginning)) {
        places[last]?.push({ group, entry, start, end: start, typos: 0, whole: false })
      }
    }
  }
  return places
}

/** Words that belong together are as well placed as the first of them is anywhere: Meilisearch looks no closer. */
const leadingGroup = (entries: Entry[], word: string, group: number): number =>
  Math.min(group, ...entries.filter(({ words }) => words.includes(word)).map((entry) => entry.group))

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
