import { describe, expect, test } from '@jest/globals'
import { SkillSchema } from '../../shared/records/schemas.js'
import { aSkill } from '../support/factories.js'
import { sharedTestApp, startTestApp, type TestResponse } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

interface Related {
  id: string
  similarity: number
}
const relatedOf = ({ body }: TestResponse) => (body as { data: Related[] }).data

const description = 'Extracts the tables of scanned invoices and writes them as CSV'

const skills = [
  aSkill({ repo: 'tables', name: 'table extractor', description, topics: ['pdf'] }),
  aSkill({
    repo: 'sheets',
    name: 'invoice tables',
    description: 'Reads tables of PDF invoices into a spreadsheet',
    stars: 9,
  }),
  aSkill({
    owner: 'fork',
    repo: 'sheets',
    name: 'invoice tables',
    description: 'Reads tables of PDF invoices into a spreadsheet',
    stars: 1,
  }),
  aSkill({ owner: 'fork', repo: 'tables', name: 'table extractor', description, topics: ['pdf'], stars: 99 }),
  aSkill({ repo: 'receipts', name: 'receipt scanner', description: 'Scans receipts' }),
  aSkill({ repo: 'garden', name: 'garden-almanac', description: 'When to sow and harvest vegetables.' }),
  aSkill({ repo: 'secret', name: 'invoice tables hidden', description: 'Reads tables of invoices', state: 'hidden' }),
]

describe.each(['/api/skills', '/api/v1/skills'])('%s/:owner/:repo/related', (path) => {
  const shared = sharedTestApp({ skills })

  test('lists the nearest first, without the skill, its copies, and copies of others', async () => {
    const answer = await shared().get(`${path}/ACME/Tables/related`)

    expect(answer.status).toBe(200)
    expect(answer.ids).toEqual(['acme/sheets', 'acme/receipts'])
    const similarities = relatedOf(answer).map(({ similarity }) => similarity)
    expect(similarities).toEqual([...similarities].sort((a, b) => b - a))
    for (const similarity of similarities) {
      expect(similarity).toBeGreaterThanOrEqual(0.3)
      expect(similarity).toBeLessThan(1)
      expect(String(similarity)).toMatch(/^0\.\d{1,3}$/)
    }
    expect(Object.keys(relatedOf(answer)[0] ?? {})).toEqual([...Object.keys(SkillSchema.shape), 'similarity'])
    expect(answer.headers['link']).toMatch(/<http:[^>]+\/api\/v1\/skills\/acme\/tables\/related>; rel="canonical"/)
  })

  test('takes limit and fields', async () => {
    const answer = await shared().get(`${path}/acme/tables/related?limit=1&fields=name`)

    expect(relatedOf(answer)).toEqual([{ id: 'acme/sheets', name: 'invoice tables', similarity: expect.any(Number) }])
  })

  test('a copy has the related skills of its original, and not the original', async () => {
    expect((await shared().get(`${path}/fork/tables/related`)).ids).toEqual(['acme/sheets', 'acme/receipts'])
  })

  test('a skill like no other has none', async () => {
    expect(await shared().get(`${path}/acme/garden/related`)).toMatchObject({ status: 200, body: { data: [] } })
  })
})

test('without an embedder there are none', async () => {
  const api = await startTestApp({ skills, embedder: { kind: 'off' } })

  expect(await api.get('/api/skills/acme/tables/related')).toMatchObject({ status: 200, body: { data: [] } })
})

describe('the page of a skill', () => {
  const shared = sharedTestApp({ skills })

  test('lists related skills', async () => {
    const { text } = await shared().get('/skills/acme/tables')

    expect(text).toContain('<h2 id="related">Related skills</h2>')
    expect(text).toMatch(/<a [^>]*href="\/skills\/acme\/sheets">invoice tables<\/a>/)
    expect(text).not.toContain('/skills/fork/')
    expect((await shared().get('/skills/acme/garden')).text).not.toContain('Related skills')
  })

  test('is complete without them when the index is down', async () => {
    const api = await startTestApp({
      skills,
      replace: ({ index }) => ({ index: withOverrides(index, { related: () => Promise.reject(new Error('down')) }) }),
    })

    const answer = await api.get('/skills/acme/tables')

    expect(answer.status).toBe(200)
    expect(answer.text).toMatch(/<h1[^>]*>table extractor<\/h1>/)
    expect(answer.text).not.toContain('Related skills')
  })
})
