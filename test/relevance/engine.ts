import { maxQueryLength } from '../../services/query/request/parameters.js'
import type { Skill } from '../../shared/records/skill.js'
import { inLanes } from '../support/in-lanes.js'
import { depth, type Query } from './metrics.js'
import type { RelevanceSkill } from './words.js'

/** A search engine, asked for the ids of its first results. */
export interface Engine {
  name: string
  search(text: string): Promise<string[]>
}

const lanes = 4

/** Answers to it are not compressed: that would take a quarter of the time. */
const headers = { 'Content-Type': 'application/json', 'Accept-Encoding': 'identity' }

/** A text as the service accepts it: one that is too long ends after the last whole word that it has room for. */
export function acceptedText(text: string): string {
  const characters = [...text]
  if (characters.length <= maxQueryLength) {
    return text
  }
  const begun = characters.slice(0, maxQueryLength + 1).join('')
  const end = begun.search(/\s+\S*$/)
  return end > 0 ? begun.slice(0, end) : characters.slice(0, maxQueryLength).join('')
}

/** The catalog's own search, over HTTP, in the ways that it finds skills: its default first. */
export const serviceEngines = (name: string, url: string): Engine[] =>
  ['hybrid', 'keyword', 'semantic'].map((mode) => ({
    name: `${name} ${mode}`,
    search: async (text) => {
      // Copies are not folded: each of them may be the wanted one.
      const body = JSON.stringify({ q: acceptedText(text), mode, fold: false, limit: depth, fields: ['id'] })
      // By POST: a long text of another script than Latin has no room in an address.
      const found = await getJson(`${url}/api/v1/skills/search`, { method: 'POST', headers, body })
      return (found as { data: { id: string }[] }).data.map(({ id }) => id)
    },
  }))

/** All published skills of a service. */
export async function readSkills(url: string): Promise<Skill[]> {
  const skills: Skill[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = new URLSearchParams({ limit: '100', ...(cursor === '' ? {} : { cursor }) })
    const page = (await getJson(`${url}/api/v1/skills?${query}`)) as {
      data: Skill[]
      pagination: { nextCursor: string | null }
    }
    skills.push(...page.data)
    cursor = page.pagination.nextCursor
  }
  return skills
}

/** The texts of the skills that have one, by id. */
export async function readTexts(url: string, skills: RelevanceSkill[]): Promise<Map<string, string>> {
  const texts = await forEach(skills, async ({ id }) => {
    const response = await fetch(`${url}/api/v1/skills/${id}/SKILL.md`)
    const text = await response.text()
    return response.ok ? [[id, text] as const] : []
  })
  return new Map(texts.flat())
}

/** Asks all queries, a few at once. @returns the ids of each answer, in the order of the queries */
export const askAll = (engine: Engine, queries: Query[]): Promise<string[][]> =>
  forEach(queries, ({ text }) => engine.search(text))

/** Does something for each of a list, a few at once. @returns the results in the order of the list */
const forEach = <T, Result>(list: T[], act: (each: T) => Promise<Result>): Promise<Result[]> =>
  inLanes(list.length, lanes, (time) => act(list[time - 1] as T))

async function getJson(address: string, request: RequestInit = {}): Promise<unknown> {
  const response = await fetch(address, request)
  if (!response.ok) {
    // Without the text: the query may be held out.
    throw new Error(`${new URL(address).pathname} was answered with ${response.status}`)
  }
  return response.json()
}
