import { expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { startTestApp } from '../support/test-app.js'

const path = '/api/v1/skills/suggest'

test('completes a text, with the fields for a search box', async () => {
  const api = await startTestApp({
    skills: [
      aSkill({ owner: 'Acme', repo: 'Pdf', name: 'PDF Table Lifter', description: 'Lifts.', stars: 5, license: 'MIT' }),
      aSkill({ owner: 'acme', repo: 'pdf-unknown', contact: 'eve@mail.example' }),
      aSkill({ owner: 'acme', repo: 'pdf-hidden', state: 'hidden' }),
    ],
  })

  const answer = await api.get(`${path}?q=%20Pd`)

  expect(answer).toMatchObject({ status: 200 })
  expect(answer.body).toEqual({
    data: [
      { id: 'acme/pdf', owner: 'Acme', repo: 'Pdf', name: 'PDF Table Lifter', description: 'Lifts.', stars: 5 },
      {
        id: 'acme/pdf-unknown',
        owner: 'acme',
        repo: 'pdf-unknown',
        name: 'pdf-unknown',
        description: null,
        stars: null,
      },
    ],
    query: 'Pd',
  })
  expect(answer.headers['cache-control']).toBe('public, max-age=60, stale-while-revalidate=300')
  expect(answer.headers['link']).toContain('rel="license"')
})

test('returns ten, or the requested number', async () => {
  const api = await startTestApp({ skills: Array.from({ length: 12 }, (_, stars) => aSkill({ name: 'pdf', stars })) })

  const { ids } = await api.get(`${path}?q=p`)
  expect(ids).toHaveLength(10)
  expect((await api.get(`${path}?q=p&limit=3`)).ids).toEqual(ids.slice(0, 3))
})

test('shortens a long description', async () => {
  const api = await startTestApp({ skills: [aSkill({ name: 'pdf', description: '🦀 '.repeat(3_000) })] })

  const { body } = await api.get(`${path}?q=pdf`)

  const [{ description } = { description: '' }] = (body as { data: { description: string }[] }).data
  expect(description.length).toBeLessThanOrEqual(200)
  expect(description).toMatch(/^(🦀 )+🦀?…$/u)
})

test('no match is an empty list', async () => {
  const api = await startTestApp()

  expect((await api.get(`${path}?q=zzz`)).body).toEqual({ data: [], query: 'zzz' })
})
