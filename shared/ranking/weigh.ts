import { type FoundWord, type MatchKind, type Placement, searchedFields } from '../ports/search-index.js'
import { searchSettings } from '../search-settings.js'
import { entrySeparator } from '../text/skill-words.js'
import type { Concept, ReadQuery } from './concepts.js'

/** The lowest score of a skill with all concepts; each one without all of them scores lower. */
export const allConcepts = 0.5

/** Where a skill stands among all that a query finds by the words of their fields. */
export interface Place {
  placement: Placement
  /** 0 to 1: how well it fits. */
  score: number
}

/**
 * What the fit of a text is divided by: its length, compared with that of a usual one. A shorter text counts no more: a stub
 * has few words because it says little.
 *
 * @param stems different ones of the text
 */
export function lengthOfText(stems: number, isTask: boolean): number {
  const { usualStems, lengthCounts, lengthCountsForTask } = searchSettings.text
  const counts = isTask ? lengthCountsForTask : lengthCounts
  return Math.max(1, 1 - counts + (counts * stems) / usualStems)
}

/** The best possible score before it is scaled to 1. */
const maxScore =
  1 + searchSettings.closeness + searchSettings.filledName + searchSettings.beginning + searchSettings.functionWords

/** A text to find, and what it counts. */
interface Needle {
  text: string
  kind: MatchKind
  weight: number
}

/** Where a concept is found, at its best. */
interface FoundConcept extends Needle {
  field: number
  place: number
  words: number
}

/** Characters of a field after which the place of a word makes no difference. */
const farFromStart = 200

const fieldWeights = searchedFields.map((field) => searchSettings.fields[field])

/** Weighs skills for one query; see `docs/ranking.md`. */
export class Weigher {
  readonly #needles: Needle[][]
  readonly #words: string[]
  readonly #rarities: number[]
  readonly #total: number
  readonly #others: string[]
  readonly #isTask: boolean

  constructor({ concepts, words, isTask }: ReadQuery) {
    this.#isTask = isTask
    this.#needles = concepts.map(needlesOf)
    this.#words = concepts.map(({ tokens }) => tokens.join(' '))
    this.#total = concepts.reduce((sum, { rarity }) => sum + rarity, 0)
    this.#rarities = concepts.map(({ rarity }) => rarity / this.#total)
    const informative = new Set(concepts.flatMap(({ tokens }) => tokens))
    this.#others = words.filter((word) => !informative.has(word)).map((word) => ` ${word} `)
  }

  /**
   * Skills with all concepts have higher scores than the others, except for a task, all of which no skill has.
   *
   * @param lines the words of a skill, see `wordLines`
   */
  weigh(lines: string): Place {
    const ends = endsOf(lines)
    const inNames: [number, number] = [0, 0]
    let [found, score, begins, named, closeness] = [0, 0, false, 0, 0]
    let last: FoundConcept | null = null
    for (const [at, needles] of this.#needles.entries()) {
      const match = this.#bestMatch(needles, lines, ends)
      if (match === null) {
        last = null
        continue
      }
      closeness += last === null ? 0 : closenessOf(last.text, match.text, lines)
      last = match
      found += 1
      score += (this.#rarities[at] ?? 0) * match.weight
      if (match.field < 2) {
        inNames[match.field === 0 ? 0 : 1] += shareOfWords(match, lines)
        named += this.#rarities[at] ?? 0
        begins ||= match.place === (match.field === 0 ? 0 : (ends[0] ?? 0) + 1)
      }
    }
    // Function words only place skills that fit otherwise alike.
    const others = this.#others.filter((word) => lines.includes(word)).length
    const filled = Math.max(
      ...inNames.map((words, field) => {
        const [start, end] = [field === 0 ? 0 : (ends[0] ?? 0), ends[field] ?? 0]
        const functionWords = this.#others.filter((word) => isWithin(lines.indexOf(word, start), end)).length
        return words === 0 ? 0 : Math.min(1, (words + functionWords) / wordsOfName(lines, ends, field))
      }),
    )
    const extra =
      (this.#needles.length === 1
        ? searchSettings.closeness
        : (searchSettings.closeness * closeness) / (this.#needles.length - 1)) +
      searchSettings.filledName * filled * named +
      (begins ? searchSettings.beginning : 0) +
      (this.#others.length === 0 ? 0 : (searchSettings.functionWords * others) / this.#others.length)
    const fitness = (score * (1 + extra)) / maxScore
    const hasAll = found === this.#needles.length
    const placed = this.#isTask
      ? fitness
      : hasAll
        ? allConcepts + fitness * (0.97 - allConcepts)
        : fitness * allConcepts
    return {
      placement: hasAll ? 'all words' : 'some words',
      score: Math.round(placed * searchSettings.scoreSteps) / searchSettings.scoreSteps,
    }
  }

  /** How each concept is found in a skill. */
  explain(lines: string): FoundWord[] {
    const ends = endsOf(lines)
    return this.#needles.map((needles, at) => {
      const match = this.#bestMatch(needles, lines, ends)
      const field = searchedFields[match?.field ?? 0] ?? 'name'
      return { word: this.#words[at] ?? '', match: match === null ? null : { kind: match.kind, field } }
    })
  }

  #bestMatch(needles: Needle[], lines: string, ends: number[]): FoundConcept | null {
    let best: FoundConcept | null = null
    for (const { text, kind, weight: byKind } of needles) {
      if (best !== null && best.weight >= byKind) {
        break
      }
      // The first one is in the field that counts most: fields stand in that order.
      const place = lines.indexOf(text)
      if (place === -1) {
        continue
      }
      const field = ends.findIndex((end) => place < end)
      const early = 1 - Math.min(1, (place - (ends[field - 1] ?? 0)) / farFromStart)
      const weight = byKind * (fieldWeights[field] ?? 0) * (1 - searchSettings.early * (1 - early))
      if (best === null || weight > best.weight) {
        best = { text, weight, field, place, kind, words: text.split(' ').length - (kind === 'prefix' ? 1 : 2) }
      }
    }
    return best
  }
}

/** The texts of a concept, those that count the most first. */
function needlesOf({ alternatives, isPrefix, tokens }: Concept): Needle[] {
  const needles = alternatives.map(
    ({ tokens: words, kind }): Needle => ({
      text: ` ${words.join(' ')} `,
      kind,
      weight: searchSettings.kinds[kind],
    }),
  )
  if (isPrefix) {
    const text = tokens.join(' ')
    const weight = text.length < 3 ? searchSettings.shortPrefix : searchSettings.kinds.prefix
    needles.push({ text: ` ${text}`, kind: 'prefix', weight })
  }
  return needles.sort((a, b) => b.weight - a.weight)
}

/** Occurrences of a text that are compared. */
const maxOccurrences = 4

/** The characters between two words above which their distance makes no difference. */
const farApart = 40

/** 1: in a row; 0: far apart, or in different fields. */
function closenessOf(left: string, right: string, lines: string): number {
  let closest = farApart
  const others = placesOf(right, lines, maxOccurrences)
  for (const place of placesOf(left, lines, maxOccurrences)) {
    for (const other of others) {
      const gap = place < other ? other - (place + left.length - 1) : place - (other + right.length - 1) + 1
      if (gap >= 0 && gap < closest) {
        const lineEnd = lines.indexOf('\n', Math.min(place, other))
        closest = lineEnd !== -1 && lineEnd < Math.max(place, other) ? closest : gap
      }
    }
  }
  return 1 - closest / farApart
}

function placesOf(text: string, lines: string, max: number): number[] {
  const places: number[] = []
  for (let place = lines.indexOf(text); place !== -1 && places.length < max; place = lines.indexOf(text, place + 1)) {
    places.push(place)
  }
  return places
}

/** The end of each line. */
const endsOf = (lines: string): number[] => [...placesOf('\n', lines, searchedFields.length), lines.length]

const isWithin = (place: number, end: number): boolean => place !== -1 && place < end

/** How many words of a name a match fills: of the parts of a word in camel case, and of a longer word, only a share. */
function shareOfWords({ text, kind, place, words }: FoundConcept, lines: string): number {
  const lineStart = lines.lastIndexOf('\n', place) + 1
  const separator = lines.indexOf(` ${entrySeparator} `, lineStart)
  if (separator !== -1 && separator < place) {
    const lineEnd = lines.indexOf('\n', place)
    return words / (lines.slice(separator, lineEnd).split(' ').length - 3)
  }
  return kind === 'prefix' ? (text.length - 1) / (lines.indexOf(' ', place + 1) - place - 1) : words
}

/** The number of words of a name, without the parts of its camel-case words. */
function wordsOfName(lines: string, ends: number[], line: number): number {
  const start = line === 0 ? 0 : (ends[line - 1] ?? 0) + 1
  const lineEnd = ends[line] ?? lines.length
  const separator = lines.indexOf(` ${entrySeparator} `, start)
  // Decided before the loop: V8 moves a look-up that only its condition needs into it, and reads the text for each word.
  const end = separator === -1 || separator > lineEnd ? lineEnd : separator + 1
  let words = 0
  for (let at = lines.indexOf(' ', start + 1); at !== -1 && at < end; at = lines.indexOf(' ', at + 1)) {
    words += 1
  }
  return Math.max(1, words)
}
