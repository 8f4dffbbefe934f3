import { depth, type Query } from './query-set.js'
import type { RelevanceSkill } from './words.js'

/** A search engine, asked for the ids of its first results. */
export interface Engine {
  name: string
  search(text: string): Promise<string[]>
}

const lanes = 4

/** The catalog's own search, over HTTP, in the ways that it finds skills: its default first. */
export const serviceEngines = (name: string, url: string): Engine[] =>
  ['hybrid', 'keyword', 'semantic'].map((mode) => ({
    name: `${name} ${mode}`,
    search: async (text) => {
      // Copies are not folded: each of them may be the wanted one.
      const query = new URLSearchParams({ q: text, mode, fold: 'false', limit: String(depth) })
      const { data } = (await getJson(`${url}/api/v1/skills/search?${query}`)) as { data: { id: string }[] }
      return data.map(({ id }) => id)
    },
  }))

/** All published skills of a service. */
export async function readSkills(url: string): Promise<RelevanceSkill[]> {
  const skills: RelevanceSkill[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = new URLSearchParams({ limit: '100', ...(cursor === '' ? {} : { cursor }) })
    const page = (await getJson(`${url}/api/v1/skills?${query}`)) as {
      data: RelevanceSkill[]
      pagination: { nextCursor: string | null }
    }
    skills.push(...page.data)
    cursor = page.pagination.nextCursor
  }
  return skills
}

/** Asks all queries, a few at once. @returns the ids of each answer, in the order of the queries */
export async function askAll(engine: Engine, queries: Query[]): Promise<string[][]> {
  const answers: string[][] = []
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (const [place, { text }] of queries.entries()) {
        if (place % lanes === lane) {
          answers[place] = await engine.search(text)
        }
      }
    }),
  )
  return answers
}

async function getJson(address: string): Promise<unknown> {
  const response = await fetch(address)
  if (!response.ok) {
    // Without the address: its query may be held out.
    throw new Error(`${new URL(address).pathname} was answered with ${response.status}`)
  }
  return response.json()
}
