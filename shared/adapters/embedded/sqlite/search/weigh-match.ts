import { searchSettings } from '../../../../search-settings.js'
import { byFitness, type Fitness, farApart } from '../../../../text/fitness.js'
import { entrySeparator, textColumns } from './index-tables.js'
import type { ExpandedTerm } from './match.js'

/** A position at which a term occurs. */
interface Place {
  group: number
  /** Which text of the skill it is in: positions in two texts are far apart. */
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

/** A term that a word of a document may start. */
interface TermStart {
  /** Index of the term in the reading. */
  term: number
  typos: number
  whole: boolean
  /** Words that must follow. */
  following: string[]
}

/** A reading of the query, with the words to compare with. */
interface Reading {
  terms: ExpandedTerm[]
  termStarts: Map<string, TermStart[]>
}

/** Creates a function that computes the fitness of a document's stored words, by the reading that fits best. */
export function weigher(readings: ExpandedTerm[][]): (words: string) => Fitness {
  const prepared = readings.map((terms): Reading => ({ terms, termStarts: termStartsOf(terms) }))
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

function termStartsOf(terms: ExpandedTerm[]): Map<string, TermStart[]> {
  const termStarts = new Map<string, TermStart[]>()
  const add = (tokens: string[], term: number, typos: number, whole: boolean) => {
    const [first = '', ...following] = tokens
    termStarts.set(first, [...(termStarts.get(first) ?? []), { term, typos, whole, following }])
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
  return termStarts
}

/** Null when a term does not occur. */
function fitnessOf(entries: Entry[], reading: Reading): Fitness | null {
  const fitness: Fitness = { typos: 0, distance: 0, fields: 0, unfinished: 0 }
  let before: Place[] | null = null
  for (const [position, all] of placesOf(entries, reading).entries()) {
    const { joins = 1, common = false } = reading.terms[position] ?? {}
    if (all.length === 0) {
      return null
    }
    const typos = Math.min(...all.map((place) => place.typos))
    // Positions with more typos do not count if the term occurs with fewer.
    const places = all.filter((place) => place.typos === typos)
    fitness.typos += typos + (joins > 1 ? joins : 0)
    fitness.distance += joins - 1 + (before === null ? 0 : distanceBetween(before, places, common))
    fitness.fields += joins * Math.min(...places.map((place) => place.group))
    fitness.unfinished += joins === 1 && places.some((place) => place.whole) ? 0 : joins
    before = places
  }
  return fitness
}

/** The positions of each term, in order. Runs for every word of every weighed document, so it allocates little. */
function placesOf(entries: Entry[], { terms, termStarts }: Reading): Place[][] {
  const places: Place[][] = terms.map(() => [])
  const last = terms.length - 1
  const beginning = terms[last]?.prefix ? terms[last]?.tokens[0] : undefined
  for (let entry = 0; entry < entries.length; entry += 1) {
    const { group = 0, words = [] } = entries[entry] ?? {}
    for (let start = 0; start < words.length; start += 1) {
      const word = words[start] ?? ''
      const starts = termStarts.get(word)
      if (starts !== undefined) {
        for (const { term, typos, whole, following } of starts) {
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

/** A phrase takes the position of its first word, as in Meilisearch. */
const leadingGroup = (entries: Entry[], word: string, group: number): number =>
  Math.min(group, ...entries.filter(({ words }) => words.includes(word)).map((entry) => entry.group))

/**
 * The shortest distance from a position of one term to a position of the next; the reverse order adds one.
 *
 * @param wholeBefore whether only whole words count in the reverse order, as Meilisearch does for prefixes it indexes
 */
const distanceBetween = (left: Place[], right: Place[], wholeBefore: boolean): number =>
  Math.min(
    farApart,
    gapBetween(left, right) - 1,
    gapBetween(wholeBefore ? right.filter(({ typos, whole }) => typos > 0 || whole) : right, left),
  )

/** The smallest number of words from the end of one of `left` to the start of a later one of `right`. */
function gapBetween(left: Place[], right: Place[]): number {
  let shortest = Number.POSITIVE_INFINITY
  let next = 0
  for (const { entry, start } of right) {
    for (let place = left[next]; place !== undefined && endsBefore(place, entry, start); place = left[next]) {
      next += 1
    }
    const last = left[next - 1]
    if (last?.entry === entry) {
      shortest = Math.min(shortest, start - last.end)
    }
  }
  return shortest
}

const endsBefore = (place: Place, entry: number, start: number): boolean =>
  place.entry < entry || (place.entry === entry && place.end < start)
