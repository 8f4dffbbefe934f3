import { Random } from '../../services/indexer/seed/random.js'
import { maxQueryLength } from '../../services/query/request/parameters.js'
import { camelCaseParts, wordsIn } from '../../shared/text/analyze.js'
import { pick } from '../soak/pick.js'
import { descriptionWords, inflectedWords, sentenceAbout } from './description-queries.js'
import type { Query } from './metrics.js'
import { nameWords, type RelevanceSkill, Vocabulary } from './words.js'

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

const letters = [...'abcdefghijklmnopqrstuvwxyz']

/** A name while it is being typed: without its last third. @returns null when fewer than 3 letters remain */
function prefixOf(name: string): string | null {
  const characters = [...name]
  const begun = characters.slice(0, characters.length - Math.floor(characters.length / 3)).join('')
  const prefix = begun.trimEnd()
  return prefix !== name && [...prefix].length >= 3 ? prefix : null
}

/** A name with one edit inside one of its words of 5 or more letters. @returns null when it has none */
function withTypo(name: string, random: Random): string | null {
  const words = [...name.matchAll(/(?<![\p{L}\p{N}])[A-Za-z]{5,}(?![\p{L}\p{N}\p{M}])/gu)]
  if (words.length === 0) {
    return null
  }
  const { 0: word, index } = pick(random, words)
  return name.slice(0, index) + misspell(word, random) + name.slice(index + word.length)
}

/** One letter left out, replaced, added, or swapped with the next; never the first letter. */
function misspell(word: string, random: Random): string {
  const at = random.between(1, word.length - 2)
  const [before, letter = '', next = '', after] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)]
  const other = pick(
    random,
    letters.filter((each) => each !== letter.toLowerCase()),
  )
  switch (random.between(0, 3)) {
    case 0:
      return before + other + next + after
    case 1:
      return before + other + letter + next + after
    case 2:
      // Two equal letters cannot be swapped.
      return letter.toLowerCase() === next.toLowerCase() ? before + next + after : before + next + letter + after
    default:
      return before + next + after
  }
}

/** A name of two words, written together. @returns null for other names */
function joinedName(name: string): string | null {
  const words = nameWords(name)
  return words.length === 2 && words.every((word) => word.length > 1) ? words.join('').toLowerCase() : null
}

/**
 * A name of one word, written apart: at its capitals, or where two words of other records meet.
 *
 * @returns null for other names
 */
function splitName(name: string, vocabulary: Vocabulary): string | null {
  const [word = '', ...others] = nameWords(name)
  if (others.length > 0) {
    return null
  }
  const lower = word.toLowerCase()
  const parts = camelCaseParts(word)
  if (parts.length > 1 && parts.join('') === lower) {
    return parts.join(' ')
  }
  const halves = Array.from({ length: Math.max(0, lower.length - 5) }, (_, at) => [
    lower.slice(0, at + 3),
    lower.slice(at + 3),
  ])
  const count = (words: string[]): number => Math.min(...words.map((each) => vocabulary.count(each)))
  const [best] = halves.sort((a, b) => count(b) - count(a))
  // A word of fewer records may be a fragment.
  return best !== undefined && count(best) >= 3 ? best.join(' ') : null
}

/** The words of a name in another order. @returns null when there is no other */
function reorderedName(name: string, random: Random): string | null {
  const words = nameWords(name)
  const by = random.between(1, Math.max(1, words.length - 1))
  const turned = [...words.slice(by), ...words.slice(0, by)].join(' ')
  return words.length < 2 || turned.toLowerCase() === words.join(' ').toLowerCase() ? null : turned
}

/** A name and an informative word of the description. @returns null when there is none */
function nameWithWord(skill: RelevanceSkill, vocabulary: Vocabulary, random: Random): string | null {
  const words = vocabulary.informativeWords(skill)
  return words.length === 0 ? null : `${skill.name} ${pick(random, words)}`
}
