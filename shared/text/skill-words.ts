import { hash } from 'node:crypto'
import type { Skill } from '../records/skill.js'
import { searchSettings } from '../search-settings.js'
import { camelCaseParts, wordsIn } from './analyze.js'
import { wholeStart } from './clean-text.js'

/** Separates the entries of a field; no word of a text. */
export const entrySeparator = '='

/** The words of an id, by which a skill is known: an exact match of them comes first. */
export const wordsOfId = (id: string): string[] => wordsIn(id.replace(/[/@]/g, ' '))

/** The words of the last part of an id: of the repository, or of one of its skills. */
export const wordsOfIdEnd = (id: string): string[] => wordsIn(id.replace(/^.*[/@]/, ''))

/**
 * The words of a skill for every index: for each of `searchedFields` its entries, of folded words. Words of two entries are
 * never adjacent: topics, or a name and the parts of its camel-case words.
 */
export const skillEntries = (skill: Skill): string[][][] =>
  [
    [wordsIn(skill.name), camelCaseParts(skill.name)],
    [skill.skill === null ? [] : wordsIn(skill.skill), wordsIn(skill.repo), camelCaseParts(skill.repo)],
    skill.topics.map(wordsIn),
    [wordsIn(skill.description ?? '')],
    [wordsIn(skill.owner)],
  ].map((entries) => entries.filter((entry) => entry.length > 0))

/** The entries of each field as one text, of words joined by spaces. */
export const joinEntries = (entries: string[][][]): string[] =>
  entries.map((field) => field.map((entry) => entry.join(' ')).join(` ${entrySeparator} `))

/** `skillEntries` as one text for each field. */
export const skillWords = (skill: Skill): string[] => joinEntries(skillEntries(skill))

/** The words of a skill as one text, a line for each field, in which every word stands between two spaces. */
export const wordLines = (words: readonly string[]): string => words.map((line) => ` ${line} `).join('\n')

/** The fields of a skill whose meaning is compared: name, description, topics. */
export const embeddedText = ({ name, description, topics }: Skill): string =>
  [name, description ?? '', topics.join(', ')].filter((part) => part !== '').join('. ')

/** The texts of a skill whose meaning is compared: `embeddedText`; the beginning of its SKILL.md, where one is kept. */
export const embeddedTexts = (skill: Skill, text: string | null): string[] => {
  const beginning = wholeStart(text ?? '', searchSettings.embeddedCharacters).trim()
  return [embeddedText(skill), ...(beginning === '' ? [] : [beginning])]
}

/** Equal for equal texts, see `embeddedTexts`. */
export const embeddedHash = (skill: Skill, text: string | null): string =>
  hash('sha256', embeddedTexts(skill, text).join('\n')).slice(0, 32)

/** Descriptions with fewer words may be equal for different skills; below the first number, even with one name. */
const comparedWords = { withName: 4, alone: 8 }

/**
 * The key that copies of a skill share, such as forks and mirrors: those with its description, word for word, and with
 * its name too where the description is short. Null: the text is too short to compare.
 */
export function copyKey({ name, description }: Skill): string | null {
  const words = wordsIn(description ?? '')
  if (words.length < comparedWords.withName) {
    return null
  }
  const text = words.length < comparedWords.alone ? [...wordsIn(name), '', ...words] : words
  return hash('sha256', text.join(' ')).slice(0, 16)
}

/**
 * What of a text is compared with other texts: two bits of the smallest hash of its runs of words, for each of 128 hash
 * functions. Two texts have the same bits with the probability (1 + 3 j) / 4, where j is the share of their runs that they
 * have both (Li and König: b-Bit Minwise Hashing, 2010).
 */
export type Sketch = Int32Array

const functions = 128
const bits = 2

/** The integers that have the bits. */
export const sketchIntegers = (functions * bits) / 32

/** Words in a row that are compared. */
const runLength = 3

/** Fewer runs say too little of a text. */
const minRuns = 60

/** A hash of a number in which each bit depends on each of its bits (the finalizer of MurmurHash3). */
function mixed(number: number): number {
  let hash = Math.imul(number ^ (number >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/** FNV-1a, see RFC 9923. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < word.length; at += 1) {
    hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  }
  return mixed(hash)
}

const factors = Int32Array.from({ length: functions }, (_, at) => mixed(2 * at + 1) | 1)
const summands = Int32Array.from({ length: functions }, (_, at) => mixed(2 * at + 2))

/**
 * The sketch of a skill's description and text without the words of its name, so that a copy under another name has the
 * same: as text. Null: they are too short to compare.
 *
 * @param textWords the words of its text, folded
 */
export function sketchOf(
  { name, description }: Pick<Skill, 'name' | 'description'>,
  textWords: readonly string[],
): string | null {
  const named = new Set(wordsIn(name))
  const words = [...wordsIn(description ?? ''), ...textWords]
  const hashes = words.filter((word) => !named.has(word)).map(hashOf)
  const runs = new Set<number>()
  for (let at = runLength - 1; at < hashes.length; at += 1) {
    let run = 0
    for (const hash of hashes.slice(at - runLength + 1, at + 1)) {
      run = Math.imul(run, 31) + hash
    }
    runs.add(mixed(run))
  }
  if (runs.size < minRuns) {
    return null
  }
  const smallest = new Int32Array(functions).fill(0x7fffffff)
  for (const run of runs) {
    for (let at = 0; at < functions; at += 1) {
      const hash = (Math.imul(run, factors[at] as number) + (summands[at] as number)) | 0
      if (hash < (smallest[at] as number)) {
        smallest[at] = hash
      }
    }
  }
  const sketch = new Int32Array(sketchIntegers)
  for (const [at, hash] of smallest.entries()) {
    const place = at * bits
    sketch[place >>> 5] = (sketch[place >>> 5] as number) | ((hash & 3) << (place & 31))
  }
  return Buffer.from(sketch.buffer).toString('base64')
}
