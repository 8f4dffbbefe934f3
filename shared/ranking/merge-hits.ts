import type { FoundWord, Placement } from '../ports/search-index.js'
import { repositoryId } from '../records/skill.js'
import { searchSettings } from '../search-settings.js'
import { type Sketch, sketchIntegers } from '../text/skill-words.js'
import type { ReadQuery } from './concepts.js'
import { Weigher } from './weigh.js'

/** The best score that fusion gives: above it are exact names. */
const bestFused = 0.97

/** The score in steps of a thousandth. */
const rounded = (score: number): number => Math.round(score * 1_000) / 1_000

/** The score of a skill that only its meaning places: the cosine, and 0 where that is negative. */
export const meaningScore = (similarity: number): number => rounded(Math.max(0, similarity))

/** What a skill has of a query. */
export interface Evidence {
  /** How well its fields fit, see `placedScore`; 0: they have none of the words. */
  fields: number
  /** How well its text fits: 0 to 1. */
  text: number
  /** The cosine with the meaning of the query; null: it is not among the nearest. */
  similarity: number | null
}

/** What the text and the meaning count in one search, where the fit of the fields counts 1. */
export interface FusionWeights {
  text: number
  meaning: number
}

/** A hit before fusion. */
interface Candidate {
  placement: Placement
  /** The score of its fields, see `Evidence`; for an exact name, its place. */
  score: number | null
  /** See `Evidence`; absent: its text has none of the words. */
  text?: number
  /** See `Evidence`; absent: the meaning does not count. */
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
export function fusedScore({ fields, text, similarity }: Evidence, weights: FusionWeights): number {
  const near = similarity === null ? 0 : Math.max(0, similarity - searchSettings.minSimilarity)
  const sum = fields + weights.text * text + weights.meaning * near
  const most = bestFused + weights.text + weights.meaning * (1 - searchSettings.minSimilarity)
  return rounded((bestFused * sum) / most)
}

/** Hits by relevance: exact names as they stand, then the others by their sums, which they get as scores; ties stay. */
export function inFusedOrder<Hit extends Candidate>(hits: Hit[], weights: FusionWeights): Hit[] {
  const others = hits.filter((hit) => !isExact(hit))
  for (const hit of others) {
    const { score, text = 0, similarity = null } = hit
    hit.score = fusedScore({ fields: score ?? 0, text, similarity }, weights)
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

/** Whether two texts are nearly equal. */
export function areNear(left: Sketch, right: Sketch): boolean {
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
 * @param copyOf what a hit has of each of its near copies
 */
export function foldNearCopies<Hit extends { placement: Placement }, Copy>(
  hits: readonly Hit[],
  comparedOf: (hit: Hit) => Compared,
  copyOf: (hit: Hit) => Copy,
  read: ReadQuery,
): (Hit & { nearCopies?: Copy[] })[] {
  // Most searches have no near copies.
  let weigher: Weigher | null = null
  const explain = (lines: string): FoundWord[] => {
    weigher ??= new Weigher(read)
    return weigher.explain(lines)
  }
  const shown: { hit: Hit; nearCopies: Copy[]; compared: Compared }[] = []
  for (const hit of hits.slice(0, maxCompared)) {
    const compared = comparedOf(hit)
    const { sketch } = compared
    const original =
      sketch === null || isAskedFor(hit)
        ? undefined
        : shown.find((better) => better.compared.sketch !== null && areNear(better.compared.sketch, sketch))
    if (original === undefined || isMeant(explain, compared, original.compared)) {
      shown.push({ hit, nearCopies: [], compared })
    } else {
      original.nearCopies.push(copyOf(hit))
    }
  }
  return [
    ...shown.map(({ hit, nearCopies }) => (nearCopies.length === 0 ? hit : { ...hit, nearCopies })),
    ...hits.slice(maxCompared),
  ]
}

/** The hits without those whose text nearly repeats that of the skill, or of a better hit. */
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
  return explain(lines()).some(({ match }, at) => lacking[at] && (match?.field === 'name' || match?.field === 'repo'))
}

/** Whether the `owner/repo` of a hit is the text. */
export const isAskedFor = ({ placement }: { placement: Placement }): boolean => placement === 'owner/repo'

/**
 * Leaves out the hits that repeat a better one.
 *
 * @param hits the best first
 * @param keyOf equal for hits of which one is shown; null: none repeats it
 * @param stays the hits that stay, wherever they stand: see `isAskedFor`
 */
export function foldCopies<Hit>(
  hits: readonly Hit[],
  keyOf: (hit: Hit) => string | number | null,
  stays: (hit: Hit) => boolean = () => false,
): Hit[] {
  const shown = new Map<string | number | null, Hit>()
  for (const hit of hits) {
    const key = keyOf(hit)
    const better = shown.get(key)
    if (key !== null && (better === undefined || (stays(hit) && !stays(better)))) {
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
): { hit: Hit; others: number }[] {
  const shown = new Map<string, { hit: Hit; others: number }>()
  for (const hit of hits) {
    const repository = repositoryId(idOf(hit))
    const better = shown.get(repository)
    if (better === undefined) {
      shown.set(repository, { hit, others: 0 })
    } else {
      better.others += 1
    }
  }
  return [...shown.values()]
}
