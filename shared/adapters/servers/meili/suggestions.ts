import type { Meilisearch, SearchParams } from 'meilisearch'
import type { Skill } from '../../../records/skill.js'
import { isUnspaced, textKey } from '../../../text/analyze.js'
import { idBeginning } from '../../../text/id-beginning.js'
import { parsePlainText } from '../../../text/parse-search-text.js'
import { completionWord, exactHash } from './documents.js'
import { multiSearch, rankingStepsOf, skillOf } from './multi-search.js'
import { equals, queryText, startsWith } from './query.js'
import { nameAttribute } from './settings.js'

/** Matches with a typo that are read and sorted by popularity here. */
const maxTypoMatches = 100

/**
 * Skills that complete the typed text; see the port. They are found by filters, whose results Meilisearch sorts by
 * popularity: a search would rank better matches first, and tolerate typos.
 */
export async function suggest(client: Meilisearch, indexUid: string, typed: string, limit: number): Promise<Skill[]> {
  const target = { client, indexUid }
  const text = parsePlainText(typed)
  const key = textKey(typed)
  const idPrefix = idBeginning(typed)
  const attributesToRetrieve = ['skill', 'rank']
  const withWords = (attributes: string[]): SearchParams => ({
    filter: text.terms.map((term) => hasWord(attributes, term.tokens, text.lastIsPrefix && term === text.terms.at(-1))),
    limit,
  })
  const queries: SearchParams[] = [
    ...(key === ''
      ? []
      : [
          { filter: equals('idHash', exactHash(key)), limit: 1 },
          { filter: equals('nameHashes', exactHash(key)), limit: 1 },
        ]),
    ...(idPrefix === null ? [] : [{ filter: startsWith('id', idPrefix), limit }]),
    ...(text.terms.length === 0 ? [] : [withWords(['nameWords']), withWords(['nameWords', 'ownerWords'])]),
  ]
  if (queries.length === 0) {
    return []
  }
  const responses = await multiSearch(
    target,
    queries.map((query) => ({ attributesToRetrieve, ...query })),
  )
  const found = responses.flatMap(({ hits }) => hits.map(skillOf))
  if (found.length > 0 || text.terms.length === 0) {
    return distinct(found).slice(0, limit)
  }
  const [corrected] = await multiSearch(target, [
    {
      q: queryText(text),
      attributesToSearchOn: [nameAttribute],
      matchingStrategy: 'all',
      limit: maxTypoMatches,
      showRankingScoreDetails: true,
      attributesToRetrieve,
    },
  ])
  return (corrected?.hits ?? [])
    .filter((hit) => (rankingStepsOf(hit).typo?.typoCount ?? 0) <= 1)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(skillOf)
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
