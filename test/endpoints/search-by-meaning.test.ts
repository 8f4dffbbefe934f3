import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { sharedTestApp, type TestResponse } from '../support/test-app.js'

const searchPath = (q: string, rest = '') => `/api/v1/skills/search?q=${encodeURIComponent(q)}${rest}`

interface Hit {
  id: string
  name: string
  score: number | null
  explanation: { placement: string; similarity: number | null }
}
const hitsOf = ({ body }: TestResponse) => (body as { data: Hit[] }).data

const skills = [
  aSkill({ repo: 'bikes', name: 'bike-doctor', description: 'Diagnoses a broken bicycle and explains each repair.' }),
  aSkill({ repo: 'notes', name: 'transcriber', description: 'Turns audio recordings of meetings into written notes.' }),
  aSkill({ repo: 'meals', name: 'meal-planner', description: 'Plans dinners for the week and writes shopping lists.' }),
  aSkill({
    owner: 'beta',
    repo: 'holes',
    name: 'vulnerability-hunter',
    description: 'Finds security holes in source code before attackers do.',
    topics: ['security'],
    license: 'MIT',
    language: 'Go',
    stars: 9,
    archived: true,
    updatedAt: '2026-02-01T00:00:00.000Z',
  }),
  aSkill({ repo: 'beds', name: 'garden-almanac', description: 'When to sow and harvest vegetables.', stars: 2 }),
]

describe('a skill that shares no word with the query', () => {
  const shared = sharedTestApp({ skills })

  test.each([
    ['fix my cycle wheel', 'bike-doctor'],
    ['transcript of a conversation', 'transcriber'],
    ['cooking recipes', 'meal-planner'],
    ['prevent hackers', 'vulnerability-hunter'],
    ['growing tomatoes', 'garden-almanac'],
  ])('“%s” finds %s by its meaning, and not by words', async (q, name) => {
    const [byDefault, hybrid, keyword, semantic] = await Promise.all(
      ['', '&mode=hybrid', '&mode=keyword', '&mode=semantic'].map((mode) => shared().get(searchPath(q, mode))),
    )

    expect(byDefault?.names[0]).toBe(name)
    expect(byDefault?.body).toMatchObject({ mode: 'hybrid', degraded: false })
    expect(hybrid?.names).toEqual(byDefault?.names)
    expect(keyword).toMatchObject({ names: [], body: { mode: 'keyword', degraded: false, pagination: { total: 0 } } })
    expect(semantic?.names[0]).toBe(name)
    expect(semantic?.body).toMatchObject({ mode: 'semantic', degraded: false })
  })

  test('is explained as placed by its meaning, with the cosine in thousandths', async () => {
    const [hit] = hitsOf(await shared().get(searchPath('growing tomatoes', '&explain=true&highlight=true')))

    expect(hit).toMatchObject({
      explanation: {
        placement: 'meaning',
        words: [
          { word: 'growing', match: null },
          { word: 'tomatoes', match: null },
        ],
      },
      highlights: { name: null, description: null, topics: [] },
      duplicates: 0,
    })
    expect(hit?.explanation.similarity).toBeGreaterThan(0.4)
    expect(String(hit?.explanation.similarity)).toMatch(/^0\.\d{1,3}$/)
  })

  test('is not found in another order than by relevance, which is by words', async () => {
    const q = 'growing tomatoes'
    expect(await shared().get(searchPath(q, '&sort=stars'))).toMatchObject({
      names: [],
      body: { mode: 'keyword', degraded: false },
    })
    expect(await shared().get(searchPath(q, '&sort=stars&mode=hybrid'))).toMatchObject({
      names: [],
      body: { mode: 'keyword', degraded: false },
    })
  })

  test.each(['xkqzvw', '🦀', '!!!', '-security', '"\u{e000}"'])(
    '“%s” has no meaning, which is no fault: by words',
    async (q) => {
      for (const mode of ['hybrid', 'semantic']) {
        const answer = await shared().get(searchPath(q, `&mode=${mode}`))
        expect(answer).toMatchObject({ status: 200, body: { mode: 'keyword', degraded: false } })
      }
    },
  )
})
