import type { SearchHit } from '../../../ports/search-index.js'
import {
  type Concept,
  type ReadQuery,
  readQuery,
  stemsOfConcept,
  type Vocabulary,
  withText,
} from '../../../ranking/concepts.js'
import { findSkillMatches, patternsOf } from '../../../ranking/find-matches.js'
import { type Candidate, foldNearCopies, namedPlaces, sketchIn } from '../../../ranking/merge-hits.js'
import { queryTypos, toleratedTypos } from '../../../ranking/other-words.js'
import { allConcepts, lengthOfText, type Place, Weigher } from '../../../ranking/weigh.js'
import { repositoryId, skillOf } from '../../../records/skill.js'
import { nameKey, stemOf, stemsOf } from '../../../text/analyze.js'
import { entrySeparator, wordsOfId } from '../../../text/skill-words.js'
import type { MeiliHit } from './client.js'
import { joinedStems } from './documents.js'
import type { MeiliSearch } from './query.js'

/**
 * The words of the skills that Meilisearch found. It leaves out frequent words of a query first: a word that more of the
 * found skills contain informs more.
 */
export class CandidateWords implements Vocabulary {
  /** The number of skills that contain a word, by word. */
  readonly #documents = new Map<string, number>()
  readonly #all: number

  readonly #rarity: Map<string, number> | null
  readonly #texts: readonly string[]

  /**
   * @param lines the words of each skill, see `wordLines`
   * @param rarity how much each stem informs; null: not known
   * @param texts the stems of each text that was found, see `stemsIn`
   */
  constructor(lines: readonly string[], rarity: Map<string, number> | null = null, texts: readonly string[] = []) {
    this.#all = lines.length
    this.#rarity = rarity
    this.#texts = texts
    for (const text of lines) {
      for (const word of new Set(text.split(' '))) {
        this.#documents.set(word, (this.#documents.get(word) ?? 0) + 1)
      }
    }
    this.#documents.delete('')
  }

  rarity(documents: number, tokens: readonly string[]): number {
    const known = this.#rarity
    return known === null
      ? 0.2 + documents / Math.max(1, this.#all)
      : Math.min(...stemsOf(tokens).map((stem) => known.get(stem) ?? 0.2))
  }

  count(words: string[]): Map<string, number> {
    return new Map(words.flatMap((word) => (this.#documents.has(word) ? [[word, this.#documents.get(word) ?? 0]] : [])))
  }

  withStems(stems: string[]): Map<string, string[]> {
    const wanted = new Map(stems.map((stem): [string, string[]] => [stem, []]))
    // A word and its stem begin with the same letter.
    const letters = new Set(stems.map(firstCode))
    for (const word of this.#documents.keys()) {
      if (letters.has(firstCode(word))) {
        wanted.get(stemOf(word))?.push(word)
      }
    }
    for (const words of wanted.values()) {
      this.#sort(words)
    }
    return wanted
  }

  hasBeginning(prefix: string): boolean {
    return [...this.#documents.keys()].some((word) => word.startsWith(prefix))
  }

  completions(): null {
    return null
  }

  similar(word: string): string[] {
    const tolerated = toleratedTypos(word)
    if (tolerated === 0) {
      return []
    }
    const near = [...this.#documents.keys()]
      .map((other) => ({ other, typos: queryTypos(word, other, tolerated) }))
      .filter(({ typos }) => typos <= tolerated)
    const fewest = Math.min(...near.map(({ typos }) => typos))
    return this.#sort(near.filter(({ typos }) => typos === fewest).map(({ other }) => other))
  }

  hasText(stems: string[], others: string[]): boolean {
    return this.#texts.some((text) => {
      const has = (stem: string) => text.includes(`;${stem};`)
      return stems.every(has) && !others.some(has)
    })
  }

  #sort(words: string[]): string[] {
    return words.sort((a, b) => (this.#documents.get(b) ?? 0) - (this.#documents.get(a) ?? 0))
  }
}

const firstCode = (word: string): number => word.charCodeAt(0)

/** Skills that are read and put into the order of the published ranking; later ones stay in that of Meilisearch. */
export const maxCandidates = 30

/** A hit in its place. */
export interface PlacedHit extends Candidate {
  hit: MeiliHit
  /** The hits that are left out since their texts nearly repeat its own. */
  nearCopies?: PlacedHit[]
}

/** An index that was built by an earlier version lacks them; it is being replaced. */
export const linesOf = ({ lines }: Partial<MeiliHit>): string => lines ?? ''

/** The stems of a hit's text, each between two `;`. An index that was built by an earlier version has lists. */
export const stemsIn = ({ stems = '' }: Partial<MeiliHit>): string =>
  Array.isArray(stems) ? joinedStems(stems) : stems

/**
 * Reads a query with the words of these hits.
 *
 * @param rarity how much each stem informs, where that is known
 * @param texts the hits whose texts were found, where these were searched
 */
export const readWith = (
  {
    text,
    synonyms,
    rarity = null,
    texts = [],
  }: Pick<MeiliSearch, 'text' | 'synonyms'> & { rarity?: Map<string, number> | null; texts?: MeiliHit[] },
  hits: MeiliHit[],
): ReadQuery => readQuery(text, new CandidateWords(hits.map(linesOf), rarity, texts.map(stemsIn)), synonyms)

/** Where a hit is placed by its words, and its score. */
export function placesOf(read: ReadQuery): (hit: MeiliHit) => Place {
  const weigher = new Weigher(read)
  return (hit) => {
    const lines = linesOf(hit)
    return placedByName(hit.id, lines, read) ?? weigher.weigh(lines)
  }
}

/** The place of a skill in the order of Meilisearch: below the weighed ones. */
export const unweighed = ({ placement }: Place): Place =>
  placement === 'some words' ? { placement, score: 0 } : { placement: 'all words', score: allConcepts }

/** The place of a skill that a query names; null: it does not. */
function placedByName(id: string, lines: string, { names, repository }: ReadQuery): Place | null {
  if (names.includes(nameKey(wordsOfId(id)))) {
    return namedPlaces.byId
  }
  if (repositoryId(id) === repository) {
    return namedPlaces.inRepository
  }
  const [nameLine = '', repoLine = ''] = lines.split('\n')
  if (names.includes(wholeName(nameLine))) {
    return namedPlaces.byName
  }
  return names.includes(wholeName(repoLine)) ? namedPlaces.byRepo : null
}

/** A line as a name is compared, without the parts of camel-case words. */
function wholeName(line: string): string {
  const separator = line.indexOf(` ${entrySeparator} `)
  return (separator === -1 ? line : line.slice(0, separator)).replaceAll(' ', '')
}

/** Placed hits as the port describes them. @param copies the number of copies of a hit */
export function toHits(
  { query }: MeiliSearch,
  read: ReadQuery,
  placed: PlacedHit[],
  copies: (hit: MeiliHit) => number,
  conceptsIn: (id: string) => Concept[] = () => [],
): SearchHit[] {
  const weigher = new Weigher(read)
  return placed.map(({ hit, placement, score, similarity = null, nearCopies = [] }) => {
    const inText = conceptsIn(hit.id)
    const inFields = query.explain || inText.length > 0 ? weigher.explain(linesOf(hit)) : []
    const { words, stems } = withText(read, inFields, inText)
    return {
      record: hit.skill,
      score,
      matches: query.highlight ? findSkillMatches(skillOf({ record: hit.skill }), patternsOf(read)) : null,
      explanation: query.explain ? { placement, words, similarity } : null,
      duplicates: nearCopies.reduce((sum, near) => sum + 1 + copies(near.hit), copies(hit)),
      textWords: stems,
      others: null,
    }
  })
}

/**
 * Weighs the texts that Meilisearch found: what the words of a query count that a text has, of all that they count. A
 * word that more of these texts have informs more: Meilisearch leaves out frequent words first.
 */
export class TextWeigher {
  readonly #scores: Map<string, number>
  readonly #concepts: Map<string, Concept[]>

  /** @param isCounted whether the rarity of concepts is that in texts */
  constructor({ concepts, unknown, isTask }: ReadQuery, texts: MeiliHit[], isCounted: boolean) {
    const all = texts.map(stemsIn)
    const found = [...concepts, ...unknown].map((concept) => {
      const lists = stemsOfConcept(concept)
      const has = all.map((stems) => lists.some((list) => list.every((stem) => stems.includes(`;${stem};`))))
      const share = has.filter(Boolean).length / Math.max(1, texts.length)
      return { concept, has, rarity: isCounted ? concept.rarity : 0.2 + share }
    })
    this.#concepts = new Map(
      texts.map(({ id }, at) => [id, found.filter(({ has }) => has[at]).map(({ concept }) => concept)]),
    )
    const total = found.reduce((sum, { rarity }) => sum + rarity, 0)
    this.#scores = new Map(
      texts.map(({ id }, at) => {
        const sum = found.reduce((before, { has, rarity }) => before + (has[at] ? rarity : 0), 0)
        return [id, total === 0 ? 0 : sum / total / lengthOfText(countStems(all[at]), isTask)]
      }),
    )
  }

  /** 0 to 1; 0: its text has none of the words, or others fit better. */
  weigh(id: string): number {
    return this.#scores.get(id) ?? 0
  }

  conceptsIn(id: string): Concept[] {
    return this.#concepts.get(id) ?? []
  }
}

/** @param stems see `joinedStems` */
function countStems(stems = ''): number {
  let count = 0
  for (let at = stems.indexOf(';', 1); at !== -1; at = stems.indexOf(';', at + 1)) {
    count += 1
  }
  return count
}

/** The hits without the near copies of better ones, see `foldNearCopies`, where the search leaves out copies. */
export const withoutNearCopies = ({ query }: MeiliSearch, hits: PlacedHit[], read: ReadQuery): PlacedHit[] =>
  query.fold
    ? foldNearCopies(hits, { sketchOf: ({ hit }) => sketchIn(hit.sketch), linesOf: ({ hit }) => linesOf(hit) }, read)
    : hits

/** Hits with their near copies. */
export const withNearCopies = (placed: PlacedHit[]): MeiliHit[] =>
  placed.flatMap(({ hit, nearCopies = [] }) => [hit, ...nearCopies.map((near) => near.hit)])
