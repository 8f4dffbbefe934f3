import { hash } from 'node:crypto'
import type { SearchDocument, SearchQuery } from '../../shared/ports/search-index.js'
import type { StoredOrganization, StoredPrompt } from '../../shared/records/records.js'
import { type StoredSkill, skillId, toPublicSkill } from '../../shared/records/skill.js'

let made = 0

/** A new published skill; `overrides` are the fields that matter to the test. The id is derived from owner, repo and skill. */
export function aSkill(overrides: Partial<StoredSkill> = {}): StoredSkill {
  made += 1
  const owner = overrides.owner ?? 'acme'
  const repo = overrides.repo ?? `skill-${made}`
  return {
    id: skillId(owner, repo, overrides.skill),
    owner,
    repo,
    name: repo,
    description: null,
    topics: [],
    license: null,
    language: null,
    homepage: null,
    url: `https://code.example/${owner}/${repo}`,
    stars: null,
    forks: null,
    version: null,
    archived: false,
    createdAt: null,
    updatedAt: null,
    publishedAt: null,
    indexedAt: null,
    skill: null,
    path: null,
    commit: null,
    digest: null,
    state: 'published',
    removedAt: null,
    formerIds: [],
    ...overrides,
  }
}

/** So many new skills: `acme/many-0` and so on. */
export const makeSkills = (count: number): StoredSkill[] =>
  Array.from({ length: count }, (_, place) => aSkill({ repo: `many-${place}` }))

/** The index document of a skill, with a hash of all its fields. */
export const documentOf = (skill: StoredSkill): SearchDocument => ({
  id: skill.id,
  contentHash: hash('md5', JSON.stringify(skill)),
  skill: toPublicSkill(skill),
  vector: null,
  text: null,
})

/** The index document of a new skill. */
export const aDocument = (overrides: Partial<StoredSkill> = {}): SearchDocument => documentOf(aSkill(overrides))

const adjectives =
  'brief careful common final hidden local minor open plain rapid sharp silent simple small solid'.split(' ')
const nouns =
  'account archive border branch budget button camera column draft engine filter garden handle index journal kernel ladder margin needle offer packet queue record signal table ticket union valley window yard'.split(
    ' ',
  )
const verbs = 'checks closes copies counts draws finds holds joins keeps lifts moves names opens reads sends'.split(' ')

/** A text of some 240 words, which has little in common with that of another subject. */
export function aLongText(subject: string): string {
  const bytes = [...Buffer.concat(Array.from({ length: 3 }, (_, at) => hash('sha512', `${subject} ${at}`, 'buffer')))]
  const next = (words: string[]) => words[(bytes.shift() ?? 0) % words.length]
  return Array.from({ length: 24 }, () => {
    const [subjects, objects] = [`The ${next(adjectives)} ${next(nouns)}`, `a ${next(adjectives)} ${next(nouns)}`]
    return `${subjects} ${next(verbs)} ${objects} before ${next(nouns)} and ${next(verbs)} it.`
  }).join(' ')
}

/** A search as the API makes it for a request with only a text. */
export const aQuery = (text: string, overrides: Partial<SearchQuery> = {}): SearchQuery => ({
  text,
  filters: {},
  sort: 'relevance',
  order: 'desc',
  limit: 20,
  offset: 0,
  facets: [],
  meaning: null,
  fold: false,
  highlight: false,
  explain: false,
  ...overrides,
})

/** A new published prompt. */
export function aPrompt(overrides: Partial<StoredPrompt> = {}): StoredPrompt {
  made += 1
  return {
    id: `prompt-${made}`,
    title: `Prompt ${made}`,
    description: null,
    content: 'Say what you see.',
    type: 'text',
    topics: [],
    author: null,
    url: null,
    license: null,
    createdAt: null,
    updatedAt: null,
    state: 'published',
    removedAt: null,
    ...overrides,
  }
}

/** A new stored organization. */
export function anOrganization(overrides: Partial<StoredOrganization> = {}): StoredOrganization {
  return {
    login: 'acme',
    name: 'Acme',
    description: null,
    url: null,
    avatarUrl: null,
    createdAt: null,
    updatedAt: null,
    state: 'published',
    removedAt: null,
    ...overrides,
  }
}
