import type { Placement } from '../ports/search-index.js'
import { repositoryId } from '../records/skill.js'
import { searchSettings } from '../search-settings.js'
import { type Sketch, sketchIntegers } from '../text/skill-words.js'
import type { ReadQuery } from './concepts.js'
import { type Place, Weigher } from './weigh.js'

/** The best score that fusion gives: above it are exact names. */
const bestFused = 0.97

/** The places of skills that the text names: by their id, by that of their repository, by their name, or by its name. */
export const namedPlaces = {
  byId: { placement: 'owner/repo', score: 1 },
  inRepository: { placement: 'owner/repo', score: 0.995 },
  byName: { placement: 'name', score: 0.99 },
  byRepo: { placement: 'name', score: 0.98 },
} as const satisfies Record<string, Place>

/** The score in steps of a thousandth. */
const rounded = (score: number): number => Math.round(score * 1_000) / 1_000

/** The score of a skill that only its meaning places: the cosine, and 0 where that is negative. */
export const meaningScore = (similarity: number): number => rounded(Math.max(0, similarity))

/** What the text and the meaning count in one search, where the fit of the fields counts 1. */
export interface FusionWeights {
  text: number
  meaning: number
}

/** Where a hit stands, and what it has of a query. */
export interface Candidate {
  placement: Placement
  /** How well its fields fit, see `Weigher`, and after fusion all of it; for an exact name, its place; null: it does not count. */
  score: number | null
  /** How well its text fits: 0 to 1; absent: it has none of the words, or was not looked at. */
  text?: number
  /** The cosine with the meaning of the query; absent, as null: it is not among the nearest, or does not count. */
  similarity?: number | null
}

const isExact = ({ placement }: Candidate): boolean => placement === 'owner/repo' || placement === 'name'

/**
 * The weights for these hits: the better the fields of the best one fit, the less text and meaning count, since words
 * that name a skill say more of it than those in passing, or than what is near to them.
 *
 * @param byMeaning whether the meaning counts
 */
export function fusionWeights(hits: Candidate[], byMeaning: boolean): FusionWeights {
  const best = hits.reduce((most, hit) => (isExact(hit) ? most : Math.max(most, hit.score ?? 0)), 0)
  const { text, meaning } = searchSettings.fusion
  const open = (1 - best) ** 2
  return { text: text * open, meaning: byMeaning ? meaning * open : 0 }
}

/** The three as one score, from 0 to 0.97: a weighted sum, so that a strong match of one kind needs no second one. */
export function fusedScore(
  { score, text = 0, similarity }: Omit<Candidate, 'placement'>,
  weights: FusionWeights,
): number {
  const near = Math.max(0, (similarity ?? 0) - searchSettings.minSimilarity)
  const sum = (score ?? 0) + weights.text * text + weights.meaning * near
  const most = bestFused + weights.text + weights.meaning * (1 - searchSettings.minSimilarity)
  return rounded((bestFused * sum) / most)
}

/** Hits by relevance: exact names as they stand, then the others by their sums, which they get as scores; ties stay. */
export function inFusedOrder<Hit extends Candidate>(hits: Hit[], weights: FusionWeights): Hit[] {
  const others = hits.filter((hit) => !isExact(hit))
  for (const hit of others) {
    hit.score = fusedScore(hit, weights)
  }
  return [...hits.filter(isExact), ...others.sort((a, b) => (b.score ?? 0) - (a.score ?? 0))]
}

/** Pairs of bits that differ in near copies: their texts have about four of five runs in common. */
const maxDiffering = 19

/** The first hits that are compared with each other. */
export const maxCompared = 100

/** Reads a sketch from its text; null: the text is no sketch. */
export function sketchIn(text: unknown): Sketch | null {
  const bytes = Buffer.from(typeof text === 'string' ? text : '', 'base64')
  return bytes.length === sketchIntegers * 4 ? new Int32Array(Uint8Array.from(bytes).buffer) : null
}

/** Whether two texts are nearly equal: one without a sketch is to none. */
export function areNear(left: Sketch | null, right: Sketch | null): boolean {
  if (left === null || right === null) {
    return false
  }
  let differing = 0
  for (let at = 0; at < left.length; at += 1) {
    const unequal = (left[at] as number) ^ (right[at] as number)
    // One bit for each pair that differs; then the number of ones.
    let ones = (unequal | (unequal >>> 1)) & 0x55555555
    ones = (ones & 0x33333333) + ((ones >>> 2) & 0x33333333)
    differing += Math.imul((ones + (ones >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return differing <= maxDiffering
}

/** Whether the `owner/repo` of a hit is the text. */
const isAskedFor = (hit: object): boolean => 'placement' in hit && hit.placement === 'owner/repo'

/**
 * Leaves out those of the first hits whose text nearly repeats that of a better one, but for skills that are named by
 * the query: where it has a word of their name that the better one lacks, it may mean either.
 *
 * @param hits the best first
 * @param linesOf see `wordLines`; asked where two are near
 */
export function foldNearCopies<Hit extends object>(
  hits: readonly Hit[],
  { sketchOf, linesOf }: { sketchOf: (hit: Hit) => Sketch | null; linesOf: (hit: Hit) => string },
  read: ReadQuery,
): (Hit & { nearCopies?: Hit[] })[] {
  const weigher = new Weigher(read)
  /** Whether the query has a word of the name of a skill that the fields of a better one lack. */
  const isMeant = (hit: Hit, better: Hit) => {
    const lacking = weigher.explain(linesOf(better)).map(({ match }) => match === null)
    return weigher
      .explain(linesOf(hit))
      .some(({ match }, at) => lacking[at] && (match?.field === 'name' || match?.field === 'repo'))
  }
  const shown: { hit: Hit; sketch: Sketch | null; nearCopies: Hit[] }[] = []
  for (const hit of hits.slice(0, maxCompared)) {
    const sketch = sketchOf(hit)
    const original = isAskedFor(hit) ? undefined : shown.find((better) => areNear(better.sketch, sketch))
    if (original === undefined || isMeant(hit, original.hit)) {
      shown.push({ hit, sketch, nearCopies: [] })
    } else {
      original.nearCopies.push(hit)
    }
  }
  return [
    ...shown.map(({ hit, nearCopies }) => (nearCopies.length === 0 ? hit : { ...hit, nearCopies })),
    ...hits.slice(maxCompared),
  ]
}

/** The hits without those whose text nearly repeats that of the skill, or of a better hit. */
export function othersThanCopies<Hit>(
  own: Sketch | null,
  hits: readonly Hit[],
  sketchOf: (hit: Hit) => Sketch | null,
): Hit[] {
  const shown = [own]
  return hits.filter((hit) => {
    const sketch = sketchOf(hit)
    const isOther = !shown.some((better) => areNear(better, sketch))
    shown.push(...(isOther ? [sketch] : []))
    return isOther
  })
}

/**
 * Leaves out the hits that repeat a better one, but not one whose `owner/repo` is the text.
 *
 * @param hits the best first
 * @param keyOf equal for hits of which one is shown; null: none repeats it
 */
export function foldCopies<Hit extends object>(
  hits: readonly Hit[],
  keyOf: (hit: Hit) => string | number | null,
): Hit[] {
  const shown = new Map<string | number | null, Hit>()
  for (const hit of hits) {
    const key = keyOf(hit)
    const better = shown.get(key)
    if (key !== null && (better === undefined || (isAskedFor(hit) && !isAskedFor(better)))) {
      shown.set(key, hit)
    }
  }
  return hits.filter((hit) => (shown.get(keyOf(hit)) ?? hit) === hit)
}

/**
 * The best hit of each repository, with the number of the others.
 *
 * @param hits the best first
 * @param idOf the id of a hit's skill
 */
export function firstOfRepositories<Hit>(
  hits: readonly Hit[],
  idOf: (hit: Hit) => string,
): (Hit & { others: number })[] {
  const shown = new Map<string, Hit & { others: number }>()
  for (const hit of hits) {
    const repository = repositoryId(idOf(hit))
    const better = shown.get(repository)
    if (better === undefined) {
      shown.set(repository, { ...hit, others: 0 })
    } else {
      better.others += 1
    }
  }
  return [...shown.values()]
}
