import type { SearchParams } from 'meilisearch'
import type { Placement, SearchQuery } from '../../../ports/search-index.js'
import { type Skill, skillOf } from '../../../records/skill.js'
import { isUnspaced, wordsIn } from '../../../text/analyze.js'
import { readQuery, withEqualRarity } from '../../../text/concepts.js'
import { idBeginning } from '../../../text/id-beginning.js'
import { parsePlainText, type SearchText } from '../../../text/parse-search-text.js'
import { nameKey } from '../../../text/skill-words.js'
import type { Synonyms } from '../../../text/synonyms.js'
import { placedScore, Weigher } from '../../../text/weigh.js'
import { CandidateWords } from './candidates.js'
import { completionWord, exactHash } from './documents.js'
import { type MeiliHit, multiSearch } from './multi-search.js'
import { equals, startsWith } from './query.js'
import { type SearchTarget, searchSkills } from './search.js'

/** Completions that are read, the most starred ones, and put in order here. */
const maxWeighed = 60

/**
 * Skills that complete the typed text; see the port. They are found by filters, whose results Meilisearch sorts by
 * popularity; where no name has the words, by a search.
 */
export async function suggest(target: SearchTarget, typed: string, limit: number, timeoutMs: number): Promise<Skill[]> {
  const text = parsePlainText(typed)
  const key = nameKey(wordsIn(typed))
  const idPrefix = idBeginning(typed)
  const withWords = (attributes: string[]): SearchParams => ({
    filter: text.terms.map((term) => hasWord(attributes, term.tokens, text.lastIsPrefix && term === text.terms.at(-1))),
    limit: maxWeighed,
  })
  const first: SearchParams[] = [
    ...(key === ''
      ? []
      : [
          { filter: equals('idHash', exactHash(key)), limit: 1 },
          { filter: equals('nameHashes', exactHash(key)), limit: 1 },
        ]),
    ...(idPrefix === null ? [] : [{ filter: startsWith('id', idPrefix), limit }]),
  ]
  const worded = text.terms.length === 0 ? [] : [withWords(['nameWords']), withWords(['nameWords', 'ownerWords'])]
  if (first.length + worded.length === 0) {
    return []
  }
  const responses = await multiSearch(
    target,
    [...first, ...worded].map((query) => ({ attributesToRetrieve: ['skill', 'lines', 'rank'], ...query })),
  )
  const found = responses.flatMap(({ hits }, at) =>
    // The first two letters say little: the most starred are the likeliest.
    at < first.length || ([...typed].length < 3 && !isUnspaced(typed)) ? hits : weighed(hits, text, target.synonyms),
  )
  const skills = distinct(found.map((hit) => skillOf({ record: hit.skill })))
  const areNamed = (responses[first.length]?.hits ?? []).length > 0
  if (areNamed || skills.length >= limit || text.terms.length === 0) {
    return skills.slice(0, limit)
  }
  // Folded words have no syntax.
  const words = text.terms.map(({ tokens }) => tokens.join(isUnspaced(tokens[0] ?? '') ? '' : ' ')).join(' ')
  const { hits } = await searchSkills(target, { ...everySkill, text: words, limit }, timeoutMs)
  const others = hits.filter(({ explanation }) => hasAllWords(explanation?.placement)).map(skillOf)
  return distinct([...skills, ...others]).slice(0, limit)
}

const hasAllWords = (placement: Placement | undefined): boolean =>
  placement === 'owner/repo' || placement === 'name' || placement === 'all words'

/** A search without conditions. */
const everySkill = {
  filters: {},
  sort: 'relevance',
  order: 'desc',
  offset: 0,
  facets: [],
  meaning: null,
  fold: false,
  highlight: false,
  explain: true,
} as const satisfies Partial<SearchQuery>

function weighed(hits: MeiliHit[], text: SearchText, synonyms: Synonyms): MeiliHit[] {
  const read = withEqualRarity(readQuery(text, new CandidateWords(hits.map(({ lines }) => lines)), synonyms))
  const weigher = new Weigher(read)
  return hits
    .map((hit) => ({ hit, score: placedScore(weigher.weigh(hit.lines), read.concepts.length) }))
    .sort((a, b) => b.score - a.score || a.hit.rank - b.hit.rank)
    .map(({ hit }) => hit)
}

/** A condition for skills that have a word, or a sequence of unspaced characters, in one of these attributes. */
function hasWord(attributes: string[], tokens: string[], unfinished: boolean): string {
  const compare = unfinished || isUnspaced(tokens[0] ?? '') ? startsWith : equals
  return attributes.map((attribute) => compare(attribute, completionWord(tokens))).join(' OR ')
}

/** Each skill at its first place. */
function distinct(found: Skill[]): Skill[] {
  const skills = new Map<string, Skill>()
  for (const skill of found) {
    if (!skills.has(skill.id)) {
      skills.set(skill.id, skill)
    }
  }
  return [...skills.values()]
}
