import { Random } from '../../services/indexer/seed/random.js'
import { maxQueryLength } from '../../services/query/request/parameters.js'
import { wordsIn } from '../../shared/text/analyze.js'
import { descriptionWords, inflectedWords, sentenceAbout } from './description-queries.js'
import type { Query } from './metrics.js'
import { joinedName, nameWithWord, prefixOf, reorderedName, splitName, withTypo } from './name-queries.js'
import { type RelevanceSkill, Vocabulary } from './words.js'

interface Kind {
  /** Makes the query for a record; null: its text has none of this kind. */
  make(skill: RelevanceSkill, vocabulary: Vocabulary, random: Random): string | null
  /** Whether another record of the same name answers as well. */
  byName: boolean
}

const kinds: Record<string, Kind> = {
  name: { make: ({ name }) => name, byName: true },
  'owner/repo': {
    make: ({ owner, repo, skill }) => `${owner}/${repo}${skill === null ? '' : `@${skill}`}`,
    byName: false,
  },
  prefix: { make: ({ name }) => prefixOf(name), byName: true },
  'two words': { make: (skill, vocabulary, random) => descriptionWords(skill, 2, vocabulary, random), byName: false },
  'three words': { make: (skill, vocabulary, random) => descriptionWords(skill, 3, vocabulary, random), byName: false },
  typo: { make: ({ name }, _vocabulary, random) => withTypo(name, random), byName: true },
  joined: { make: ({ name }) => joinedName(name), byName: true },
  split: { make: ({ name }, vocabulary) => splitName(name, vocabulary), byName: true },
  inflected: { make: inflectedWords, byName: false },
  reordered: { make: ({ name }, _vocabulary, random) => reorderedName(name, random), byName: true },
  // The word says which of the records of this name is meant.
  'name with word': { make: nameWithWord, byName: false },
  sentence: { make: sentenceAbout, byName: false },
}

/**
 * Makes queries whose answer is known, since each is made from a record: up to `perKind` of each kind. The same records,
 * in any order, and the same seed make the same queries.
 */
export function makeKnownItems(skills: RelevanceSkill[], seed: number, perKind: number): Query[] {
  const sorted = [...skills].sort((a, b) => (a.id < b.id ? -1 : 1))
  const vocabulary = new Vocabulary(sorted)
  const ofName = new Map<string, string[]>()
  for (const { id, name } of sorted) {
    const key = wordsIn(name).join(' ')
    ofName.set(key, [...(ofName.get(key) ?? []), id])
  }
  return Object.entries(kinds).flatMap(([kind, { make, byName }]) => {
    const random = new Random(seed, `relevance ${kind}`)
    const made = new Map<string, Query>()
    for (const skill of shuffle(sorted, random)) {
      if (made.size === perKind) {
        break
      }
      const text = make(skill, vocabulary, random)
      if (text !== null && !made.has(text) && [...text].length <= maxQueryLength) {
        const best = byName ? (ofName.get(wordsIn(skill.name).join(' ')) ?? []) : [skill.id]
        made.set(text, { kind, text, best, good: [] })
      }
    }
    return [...made.values()]
  })
}

function shuffle<T>(list: T[], random: Random): T[] {
  return list
    .map((each) => ({ each, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ each }) => each)
}
