import type { FoundWord, Placement } from '../ports/search-index.js'
import type { Skill } from '../records/skill.js'
import { wordsIn } from './analyze.js'
import type { ReadQuery } from './concepts.js'
import { Weigher } from './weigh.js'

/**
 * What of a text is compared with other texts: two bits of the smallest hash of its runs of words, for each of 128 hash
 * functions. Two texts have the same bits with the probability (1 + 3 j) / 4, where j is the share of their runs that they
 * have both (Li and König: b-Bit Minwise Hashing, 2010).
 */
export type Sketch = Int32Array

const functions = 128
const bits = 2
const integers = (functions * bits) / 32

/** Words in a row that are compared. */
const runLength = 3

/** Fewer runs say too little of a text. */
const minRuns = 60

/** Equal pairs of bits of near copies: their texts have about four of five runs both. */
const minEqual = 109

/** The first hits that are compared with each other. */
export const maxCompared = 100

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
 * same. Null: they are too short to compare.
 *
 * @param textWords the words of its text, folded
 */
export function sketchOf(
  { name, description }: Pick<Skill, 'name' | 'description'>,
  textWords: readonly string[],
): Sketch | null {
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
  const sketch = new Int32Array(integers)
  for (const [at, hash] of smallest.entries()) {
    const place = at * bits
    sketch[place >>> 5] = (sketch[place >>> 5] as number) | ((hash & 3) << (place & 31))
  }
  return sketch
}

/** A sketch as text. */
export const sketchText = (sketch: Sketch): string => Buffer.from(sketch.buffer).toString('base64')

/** The sketch that a text is; null: it is none. */
export function sketchIn(text: unknown): Sketch | null {
  const bytes = Buffer.from(typeof text === 'string' ? text : '', 'base64')
  return bytes.length === integers * 4 ? new Int32Array(Uint8Array.from(bytes).buffer) : null
}

/** Whether two texts are nearly equal. */
export function areNear(left: Sketch, right: Sketch): boolean {
  let differing = 0
  for (let at = 0; at < integers; at += 1) {
    const unequal = (left[at] as number) ^ (right[at] as number)
    // One bit for each pair that differs; then the number of ones.
    let ones = (unequal | (unequal >>> 1)) & 0x55555555
    ones = (ones & 0x33333333) + ((ones >>> 2) & 0x33333333)
    differing += Math.imul((ones + (ones >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return functions - differing >= minEqual
}

/** What is compared of a skill. */
export interface Compared {
  sketch: Sketch | null
  /** See `wordLines`; read where two are near. */
  lines: () => string
}

/**
 * Leaves out those of the first hits whose text nearly repeats that of a better one, but for skills that are named by
 * the query: where it has a word of their name that the better one lacks, it may mean either.
 *
 * @param hits the best first
 * @returns each hit with its near copies, which are left out
 */
export function foldNearCopies<Hit extends { placement: Placement }>(
  hits: readonly Hit[],
  comparedOf: (hit: Hit) => Compared,
  read: ReadQuery,
): { hit: Hit; nearCopies: Hit[] }[] {
  // Most searches have no near copies.
  let weigher: Weigher | null = null
  const explain = (lines: string): FoundWord[] => {
    weigher ??= new Weigher(read)
    return weigher.explain(lines)
  }
  const shown: { hit: Hit; nearCopies: Hit[]; compared: Compared }[] = []
  for (const hit of hits.slice(0, maxCompared)) {
    const compared = comparedOf(hit)
    const { sketch } = compared
    const original =
      sketch === null || hit.placement === 'owner/repo'
        ? undefined
        : shown.find((better) => better.compared.sketch !== null && areNear(better.compared.sketch, sketch))
    if (original === undefined || isMeant(explain, compared, original.compared)) {
      shown.push({ hit, nearCopies: [], compared })
    } else {
      original.nearCopies.push(hit)
    }
  }
  return [
    ...shown.map(({ hit, nearCopies }) => ({ hit, nearCopies })),
    ...hits.slice(maxCompared).map((hit) => ({ hit, nearCopies: [] })),
  ]
}

/** The hits whose text repeats neither that of a skill nor that of a better hit, nearly. */
export const othersThanCopies = <Hit>(
  own: Sketch | null,
  hits: readonly Hit[],
  sketchOf: (hit: Hit) => Sketch | null,
) => {
  const others: Hit[] = []
  const shown = own === null ? [] : [own]
  for (const hit of hits) {
    const sketch = sketchOf(hit)
    if (sketch === null || !shown.some((better) => areNear(better, sketch))) {
      others.push(hit)
      shown.push(...(sketch === null ? [] : [sketch]))
    }
  }
  return others
}

/** Whether the query has a word of a skill's name that the fields of a better one lack. */
function isMeant(explain: Weigher['explain'], { lines }: Compared, better: Compared): boolean {
  const lacking = explain(better.lines()).map(({ match }) => match === null)
  return explain(lines()).some((word, at) => lacking[at] && isInName(word))
}

const isInName = ({ match }: FoundWord): boolean => match?.field === 'name' || match?.field === 'repo'
