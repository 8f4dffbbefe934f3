import { stemOf, wordsIn } from '../../shared/text/analyze.js'
import type { Engine } from './engine.js'
import { depth } from './metrics.js'
import type { RelevanceSkill } from './words.js'

/** How soon a repeated word counts no more, and how much the length of a text counts. */
const [k1, b] = [1.2, 0.75]

/** Where a word occurs: records by their place in the list, and how often. */
type Postings = Map<number, number>

/**
 * Okapi BM25 in its plainest form: each record is one text, words are compared by their stems, and nothing else is known.
 *
 * @param textOf what is searched of a record
 */
export function bareBm25(name: string, skills: RelevanceSkill[], textOf: (skill: RelevanceSkill) => string): Engine {
  const postings = new Map<string, Postings>()
  const lengths = skills.map((skill, place) => {
    const stems = stemsOf(textOf(skill))
    for (const stem of stems) {
      const ofStem = postings.get(stem) ?? new Map()
      postings.set(stem, ofStem.set(place, (ofStem.get(place) ?? 0) + 1))
    }
    return stems.length
  })
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  const search = (text: string): string[] => {
    const scores = new Map<number, number>()
    for (const stem of new Set(stemsOf(text))) {
      const ofStem: Postings = postings.get(stem) ?? new Map()
      const rarity = Math.log(1 + (skills.length - ofStem.size + 0.5) / (ofStem.size + 0.5))
      for (const [place, count] of ofStem) {
        const norm = k1 * (1 - b + (b * (lengths[place] ?? 0)) / meanLength)
        scores.set(place, (scores.get(place) ?? 0) + (rarity * count * (k1 + 1)) / (count + norm))
      }
    }
    const best = [...scores].sort(([a, one], [z, other]) => other - one || a - z).slice(0, depth)
    return best.flatMap(([place]) => skills[place]?.id ?? [])
  }
  return { name, search: async (text) => search(text) }
}

const stemsOf = (text: string): string[] => wordsIn(text).map(stemOf)
