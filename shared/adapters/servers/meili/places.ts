import type { Placement, SearchHit } from '../../../ports/search-index.js'
import { skillOf } from '../../../records/skill.js'
import { type Concept, type ReadQuery, readQuery } from '../../../text/concepts.js'
import { findSkillMatches, patternsOf } from '../../../text/find-matches.js'
import { entrySeparator, nameKey, wordsOfId } from '../../../text/skill-words.js'
import { withText } from '../../../text/text-stems.js'
import { allConcepts, placedScore, Weigher } from '../../../text/weigh.js'
import { CandidateWords } from './candidates.js'
import type { MeiliHit } from './multi-search.js'
import type { MeiliSearch } from './prepared-search.js'

/** Where a hit is placed, and its score. */
export interface Place {
  placement: Placement
  score: number
}

/** A hit in its place. */
export interface PlacedHit {
  hit: MeiliHit
  placement: Placement
  /** Null: not ordered by relevance. */
  score: number | null
  /** The cosine between the meanings of text and skill; null: it is not one of the nearest. */
  similarity: number | null
  /** How well its text fits; absent: it is not among the texts that fit best. */
  text?: number
  /** The hits that are left out since their texts nearly repeat its own. */
  nearCopies?: MeiliHit[]
}

/** An index that was built by an earlier version lacks them; it is being replaced. */
export const linesOf = ({ lines }: Partial<MeiliHit>): string => lines ?? ''

/** Reads a query with the words of these hits. @param rarity how much each stem informs, where that is known */
export const readWith = (
  { text, synonyms, rarity = null }: Pick<MeiliSearch, 'text' | 'synonyms'> & { rarity?: Map<string, number> | null },
  hits: MeiliHit[],
): ReadQuery => readQuery(text, new CandidateWords(hits.map(linesOf), rarity), synonyms)

/** Where a hit is placed by its words, and its score. */
export function placesOf(read: ReadQuery): (hit: MeiliHit) => Place {
  const weigher = new Weigher(read)
  return (hit) => {
    const lines = linesOf(hit)
    const name = placedByName(hit.id, lines, read.names)
    if (name !== null) {
      return name
    }
    const fitness = weigher.weigh(lines)
    return {
      placement: fitness.found === read.concepts.length ? 'all words' : 'some words',
      score: placedScore(fitness, read.concepts.length),
    }
  }
}

/** The place of a skill in the order of Meilisearch: below the weighed ones. */
export const unweighed = ({ placement }: Place): Place =>
  placement === 'some words' ? { placement, score: 0 } : { placement: 'all words', score: allConcepts }

/** The place of a skill whose `owner/repo` or name is one of these; null: none is. */
function placedByName(id: string, lines: string, names: string[]): Place | null {
  if (names.includes(nameKey(wordsOfId(id)))) {
    return { placement: 'owner/repo', score: 1 }
  }
  const [nameLine = '', repoLine = ''] = lines.split('\n')
  if (names.includes(wholeName(nameLine))) {
    return { placement: 'name', score: 0.99 }
  }
  return names.includes(wholeName(repoLine)) ? { placement: 'name', score: 0.98 } : null
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
  return placed.map(({ hit, placement, score, similarity, nearCopies = [] }) => {
    const inText = conceptsIn(hit.id)
    const inFields = query.explain || inText.length > 0 ? weigher.explain(linesOf(hit)) : []
    const { words, stems } = withText(read, inFields, inText)
    return {
      record: hit.skill,
      score,
      matches: query.highlight ? findSkillMatches(skillOf({ record: hit.skill }), patternsOf(read)) : null,
      explanation: query.explain ? { placement, words, similarity } : null,
      duplicates: nearCopies.reduce((sum, each) => sum + 1 + copies(each), copies(hit)),
      textWords: stems,
      others: null,
    }
  })
}
