import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { sharedTestApp, type TestResponse } from '../support/test-app.js'

const searchPath = (q: string, rest = '') => `/api/v1/skills/search?q=${encodeURIComponent(q)}${rest}`
const idsOf = ({ body }: TestResponse) => (body as { data: { id: string }[] }).data.map(({ id }) => id)

const description = 'Extracts the tables of scanned invoices and writes them as CSV'
const short = 'A skill for agents'

describe('copies of a skill', () => {
  const shared = sharedTestApp({
    skills: [
      aSkill({ owner: 'fork', repo: 'tables', name: 'tables', description, stars: 1 }),
      aSkill({ owner: 'origin', repo: 'tables', name: 'tables', description, stars: 50 }),
      aSkill({ owner: 'mirror', repo: 'tables', name: 'tables', description: description.toUpperCase(), stars: 2 }),
      aSkill({ owner: 'other', repo: 'invoices', name: 'invoices', description: 'Writes invoices', stars: 30 }),
      aSkill({ owner: 'one', repo: 'brief', name: 'brief', description: short }),
      aSkill({ owner: 'two', repo: 'brief', name: 'short', description: short }),
    ],
  })

  test.each(['keyword', 'hybrid', 'semantic'])('are folded after the most starred one (%s)', async (mode) => {
    const answer = await shared().get(searchPath('extract invoices', `&mode=${mode}&facets=owner`))

    expect(idsOf(answer).sort()).toEqual(['origin/tables', 'other/invoices'])
    expect(answer.body).toMatchObject({
      data: expect.arrayContaining([
        expect.objectContaining({ id: 'origin/tables', duplicates: 2 }),
        expect.objectContaining({ id: 'other/invoices', duplicates: 0 }),
      ]),
      pagination: { total: 2 },
      facets: {
        owner: [
          { value: 'origin', count: 1 },
          { value: 'other', count: 1 },
        ],
      },
    })
  })

  test('are shown with fold=false', async () => {
    const answer = await shared().get(searchPath('extract invoices', '&fold=false'))

    expect(idsOf(answer).filter((id) => id.endsWith('/tables'))).toEqual([
      'origin/tables',
      'mirror/tables',
      'fork/tables',
    ])
    expect(idsOf(answer)).toContain('other/invoices')
    expect(answer.body).toMatchObject({ data: Array(4).fill({ duplicates: 0 }), pagination: { total: 4 } })
  })
})
