import { expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { startTestApp } from '../support/test-app.js'
import { parameterCases, segment } from './parameter-cases.js'

const parameters = Object.entries(parameterCases).flatMap(([path, ofPath]) =>
  Object.entries(ofPath).map(([name, cases]) => ({ path, name, cases })),
)

test.each(parameters)(
  '$path takes $name as documented, and says what is wrong otherwise',
  async ({ path, name, cases }) => {
    const api = await startTestApp({ skills: [aSkill({ repo: 'pdf' })] })
    await api.publishExports()

    for (const query of cases.valid) {
      expect({ query, ...(await api.get(`${path}?${query}`)) }).toMatchObject({ query, status: 200 })
    }
    for (const [query, message] of cases.refused) {
      expect({ query, ...(await api.get(`${path}?${query}`)) }).toMatchObject({
        query,
        status: 400,
        body: { code: 'invalid_parameters', errors: [{ parameter: name, message }] },
      })
    }
  },
)

test.each([
  '/api/skills',
  '/api/skills/acme/pdf',
  '/api/v1/skills',
  '/api/v1/skills/acme/pdf',
  '/api/v1/skills/search',
  '/api/v1/skills/suggest',
  '/api/v1/stats',
  '/api/v1/export',
  '/api/v1/changes',
])('%s refuses a parameter that it does not know', async (path) => {
  const api = await startTestApp()

  const answer = await api.get(`${path}?topci=pdf`)

  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_parameters' } })
  expect(answer.text).toMatch(/"topci","message":"is not known: this endpoint takes /)
})

test('every bad parameter is named, in the errors and in the detail', async () => {
  const api = await startTestApp()

  const answer = await api.get('/api/v1/skills?limit=0&sort=&order=up&topic=%FF&minStars=x&topci=pdf&page=0')

  const named = ['topic', 'sort', 'topci', 'limit', 'page', 'order', 'minStars']
  expect(answer.body).toMatchObject({ errors: named.map((parameter) => ({ parameter })) })
  for (const name of named) {
    expect(answer.body).toMatchObject({ detail: expect.stringContaining(`${name}: `) })
  }
})

test.each([
  ['owner', '/api/skills/a%20b/pdf'],
  ['owner', '/api/v1/skills/a%2Fb/pdf'],
  ['repo', '/api/skills/acme/p%3Fdf'],
  ['repo', `/api/skills/acme/${'a'.repeat(101)}`],
  ['repo', '/api/skills/acme/%E6%97%A5'],
])('a path segment outside the allowed characters: %s in %s', async (parameter, path) => {
  const api = await startTestApp()

  expect(await api.get(path)).toMatchObject({
    status: 400,
    body: { code: 'invalid_parameters', errors: [{ parameter, message: `${segment}.` }] },
  })
})
