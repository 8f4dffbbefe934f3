import type { Meilisearch, SearchParams } from 'meilisearch'
import type { Skill } from '../../records/skill.js'
import { isUnspaced, textKey } from '../../text/analyze.js'
import { idBeginning } from '../../text/id-beginning.js'
import { parsePlainText } from '../../text/parse-search-text.js'
import { exactHash, type MeiliDocument } from './meili-documents.js'
import { equals, queryText, startsWith } from './meili-query.js'
import type { RankingSteps } from './meili-score.js'
import { nameAttribute } from './meili-settings.js'
import { typedWord } from './meili-typed-words.js'

/** What fits with a typo is put in the order of popularity here, so many of the best fits. */
const mostWithTypo = 100

/**
 * Skills that complete what is being typed; see the port. They are found by filters, which the engine answers in the
 * order of popularity: its own search for words would put the better fits first, and forgive typos.
 */
export async function suggest(client: Meilisearch, indexUid: string, typed: string, limit: number): Promise<Skill[]> {
  const text = parsePlainText(typed)
  const key = textKey(typed)
  const begins = idBeginning(typed)
  const withWords = (attributes: string[]): SearchParams => ({
    filter: text.terms.map((term) => hasWord(attributes, term.tokens, text.lastIsPrefix && term === text.terms.at(-1))),
    limit,
  })
  const questions: SearchParams[] = [
    ...(key === ''
      ? []
      : [
          { filter: equals('idHash', exactHash(key)), limit: 1 },
          { filter: equals('nameHashes', exactHash(key)), limit: 1 },
        ]),
    ...(begins === null ? [] : [{ filter: startsWith('id', begins), limit }]),
    ...(text.terms.length === 0 ? [] : [withWords(['nameWords']), withWords(['nameWords', 'ownerWords'])]),
  ]
  if (questions.length === 0) {
    return []
  }
  const found = await ask(client, indexUid, questions)
  if (found.length > 0 || text.terms.length === 0) {
    return distinct(found).slice(0, limit)
  }
  const corrected = await ask(client, indexUid, [
    {
      q: queryText(text),
      attributesToSearchOn: [nameAttribute],
      matchingStrategy: 'all',
      limit: mostWithTypo,
      showRankingScoreDetails: true,
    },
  ])
  return corrected
    .filter(({ steps }) => (steps.typo?.typoCount ?? 0) <= 1)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ skill }) => skill)
}

/** A condition for skills that have a word, or a run of characters, in any of these attributes. */
function hasWord(attributes: string[], tokens: string[], unfinished: boolean): string {
  const compare = unfinished || isUnspaced(tokens[0] ?? '') ? startsWith : equals
  return attributes.map((attribute) => compare(attribute, typedWord(tokens))).join(' OR ')
}

interface Found {
  skill: Skill
  rank: number
  steps: RankingSteps
}

async function ask(client: Meilisearch, indexUid: string, questions: SearchParams[]): Promise<Found[]> {
  const { results } = await client.multiSearch<{ queries: (SearchParams & { indexUid: string })[] }, MeiliDocument>({
    queries: questions.map((question) => ({ indexUid, attributesToRetrieve: ['skill', 'rank'], ...question })),
  })
  return results.flatMap(({ hits }) =>
    hits.map((hit) => ({
      skill: JSON.parse(hit.skill) as Skill,
      rank: hit.rank,
      steps: (hit._rankingScoreDetails ?? {}) as RankingSteps,
    })),
  )
}

/** Each skill where it was found first. */
function distinct(found: Found[]): Skill[] {
  const skills = new Map<string, Skill>()
  for (const { skill } of found) {
    if (!skills.has(skill.id)) {
      skills.set(skill.id, skill)
    }
  }
  return [...skills.values()]
}
