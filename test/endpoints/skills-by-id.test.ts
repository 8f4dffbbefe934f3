import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { sharedTestApp, startTestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

const skills = [
  aSkill({ owner: 'Acme', repo: 'One', stars: 1 }),
  aSkill({ owner: 'acme', repo: 'two', stars: 2 }),
  aSkill({ owner: 'acme', repo: 'new-name', formerIds: ['acme/old-name'] }),
  aSkill({ owner: 'acme', repo: 'gone', state: 'removed', removedAt: '2026-01-05T10:00:00.000Z' }),
  aSkill({ owner: 'acme', repo: 'secret', state: 'hidden' }),
]

const shared = sharedTestApp({ skills })

describe.each(['/api/skills', '/api/v1/skills'])('%s?ids=', (path) => {
  test('returns skills in the requested order, in any case, each once, and lists missing ones', async () => {
    const answer = await shared().get(
      `${path}?ids=acme/two,ACME/gone,Acme/Old-Name,acme/ONE,acme/secret,nobody/nothing,Acme/Two,NOBODY/nothing`,
    )

    expect(answer).toMatchObject({ status: 200 })
    expect(answer.ids).toEqual(['acme/two', 'acme/one'])
    expect(answer.body).toMatchObject({
      data: [
        { owner: 'acme', stars: 2 },
        { owner: 'Acme', stars: 1 },
      ],
      pagination: { limit: 100, total: 2, nextCursor: null },
      missing: [
        { id: 'acme/gone', reason: 'removed', presentId: null },
        { id: 'acme/old-name', reason: 'renamed', presentId: 'acme/new-name' },
        { id: 'acme/secret', reason: 'unknown', presentId: null },
        { id: 'nobody/nothing', reason: 'unknown', presentId: null },
      ],
    })
  })

  test('lists nothing as missing when all are found', async () => {
    expect((await shared().get(`${path}?ids=acme%2Fone`)).body).toMatchObject({
      data: [{ id: 'acme/one' }],
      missing: [],
    })
  })

  test('has a canonical URL, and no next page', async () => {
    const api = shared()

    const answer = await api.get(`${path}?ids=acme/one,acme/two&fields=stars`)

    expect(String(answer.headers['link']).split(', ').slice(1)).toEqual([
      `<${api.url}/api/v1/skills?ids=acme%2Fone%2Cacme%2Ftwo&fields=stars>; rel="canonical"`,
    ])
  })
})

test('a hundred distinct ids are looked up with one call, a repeated one counts once', async () => {
  const many = Array.from({ length: 100 }, (_, n) => aSkill({ owner: 'acme', repo: `many-${n}` }))
  let asked = 0
  const api = await startTestApp({
    skills: many,
    replace: ({ catalog }) => ({
      catalog: withOverrides(catalog, {
        findSkills: (list) => {
          asked += 1
          return catalog.findSkills(list)
        },
      }),
    }),
  })
  const query = many.map(({ id }) => id).join(',')

  const answer = await api.get(`/api/v1/skills?ids=${query},ACME/many-0`)

  expect(answer.ids).toEqual(many.map(({ id }) => id))
  expect(asked).toBe(1)
  expect(await api.get(`/api/v1/skills?ids=${query},acme/one-more`)).toMatchObject({
    status: 400,
    body: { errors: [{ parameter: 'ids', message: 'names 101 skills; ask for at most 100 at once.' }] },
  })
})

test('every excess parameter is listed', async () => {
  const answer = await shared().get('/api/v1/skills?updatedSince=2026-01-01&ids=acme/one&topic=a&topic=b&fields=name')

  expect(answer.body).toMatchObject({ errors: [{ parameter: 'updatedSince' }, { parameter: 'topic' }] })
})
