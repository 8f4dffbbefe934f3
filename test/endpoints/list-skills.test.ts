import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { sharedTestApp, startTestApp, type TestResponse } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

interface Pagination {
  limit: number
  total: number
  totalIsLowerBound: boolean
  nextCursor: string | null
  page?: number
  totalPages?: number
}

const pagination = (answer: TestResponse) => (answer.body as { pagination: Pagination }).pagination

const day = (number: number) => `2026-01-${String(number).padStart(2, '0')}T00:00:00.000Z`

test('returns only the public fields of published skills', async () => {
  const skill = aSkill({ owner: 'Acme', repo: 'Pdf', stars: 3, submitter: 'eve@mail.example', formerIds: ['old/pdf'] })
  const api = await startTestApp({
    skills: [skill, aSkill({ state: 'hidden' }), aSkill({ state: 'removed', removedAt: day(1) })],
  })

  const answer = await api.get('/api/skills')

  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(answer.body).toEqual({
    data: [
      {
        id: 'acme/pdf',
        owner: 'Acme',
        repo: 'Pdf',
        name: 'Pdf',
        description: null,
        topics: [],
        license: null,
        language: null,
        homepage: null,
        url: 'https://code.example/Acme/Pdf',
        stars: 3,
        forks: null,
        version: null,
        archived: false,
        createdAt: null,
        updatedAt: null,
        publishedAt: null,
        indexedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        skill: null,
        path: null,
        commit: null,
        digest: null,
      },
    ],
    pagination: { limit: 20, total: 1, totalIsLowerBound: false, nextCursor: null },
  })
})

describe('order', () => {
  const shared = sharedTestApp({
    skills: [
      aSkill({ name: 'unknown' }),
      aSkill({ name: 'a', stars: 1, createdAt: day(9), updatedAt: day(10) }),
      aSkill({ name: 'b', stars: 2, createdAt: day(8), updatedAt: day(12) }),
      aSkill({ name: 'c', stars: 3, createdAt: day(7), updatedAt: day(11) }),
    ],
  })

  test.each([
    ['newest update first by default', '', ['b', 'c', 'a', 'unknown']],
    ['updated, oldest first', 'order=asc', ['a', 'c', 'b', 'unknown']],
    ['stars', 'sort=stars', ['c', 'b', 'a', 'unknown']],
    ['stars, fewest first', 'sort=stars&order=asc', ['a', 'b', 'c', 'unknown']],
    ['created', 'sort=created', ['a', 'b', 'c', 'unknown']],
    ['name, from A by default', 'sort=name', ['a', 'b', 'c', 'unknown']],
    ['name, from Z', 'sort=name&order=desc', ['unknown', 'c', 'b', 'a']],
  ])('%s', async (_, query, names) => {
    expect((await shared().get(`/api/skills?${query}`)).names).toEqual(names)
  })
})

describe('filters', () => {
  const shared = sharedTestApp({
    skills: [
      aSkill({ name: 'a', topics: ['pdf'], license: 'MIT', stars: 1, updatedAt: day(2) }),
      aSkill({ name: 'b', language: 'Go', stars: 2, updatedAt: day(3) }),
      aSkill({ name: 'c', owner: 'other', topics: ['ocr', 'pdf'], archived: true, stars: 3, updatedAt: day(4) }),
    ],
  })

  test.each([
    ['not archived', 'archived=false', ['a', 'b']],
    ['updated since a day', 'updatedSince=2026-01-03', ['b', 'c']],
    ['updated since a time in another zone', 'updatedSince=2026-01-03T01:00:00%2B02:00', ['b', 'c']],
  ])('%s', async (_, query, names) => {
    const answer = await shared().get(`/api/skills?sort=name&${query}`)

    expect(answer.names).toEqual(names)
    expect(pagination(answer).total).toBe(names.length)
  })
})

describe('by cursor', () => {
  const skills = Array.from({ length: 25 }, (_, number) =>
    aSkill({ name: `skill ${number}`, stars: number % 4 === 3 ? null : number % 4, updatedAt: day(1 + (number % 3)) }),
  )

  const shared = sharedTestApp({ skills })

  test('a page has 20 rows by default', async () => {
    expect((await shared().get('/api/skills')).names).toHaveLength(20)
    expect((await shared().get('/api/skills?limit=25')).names).toHaveLength(25)
    expect((await shared().get('/api/skills?page=2')).names).toHaveLength(5)
  })

  test('the limit may change between pages', async () => {
    const api = shared()
    const first = await api.get('/api/skills?limit=10')

    const second = await api.get(`/api/skills?limit=100&cursor=${pagination(first).nextCursor}`)

    expect(new Set([...first.names, ...second.names]).size).toBe(25)
    expect(pagination(second)).toEqual({ limit: 100, total: 25, totalIsLowerBound: false, nextCursor: null })
  })

  test.each(['sort=stars', 'order=asc', 'topic=pdf', 'archived=false', 'minStars=0', 'distinct=repository'])(
    'a cursor of another selection is refused: %s',
    async (query) => {
      const api = shared()
      const { nextCursor } = pagination(await api.get('/api/skills?limit=4'))

      expect(await api.get(`/api/skills?limit=4&${query}&cursor=${nextCursor}`)).toMatchObject({
        status: 400,
        body: {
          errors: [
            {
              parameter: 'cursor',
              message: 'belongs to another sort, order, filter or distinct: keep those unchanged, or omit the cursor.',
            },
          ],
        },
      })
    },
  )

  test('a cursor of one path works on the other', async () => {
    const api = shared()
    const { nextCursor } = pagination(await api.get('/api/skills?limit=20'))

    expect((await api.get(`/api/v1/skills?limit=20&cursor=${nextCursor}`)).names).toHaveLength(5)
  })
})

describe('by page', () => {
  const shared = sharedTestApp({ skills: Array.from({ length: 7 }, (_, number) => aSkill({ name: `${number}` })) })

  test('returns the page and the number of pages', async () => {
    const answer = await shared().get('/api/skills?sort=name&limit=3&page=2')

    expect(answer.names).toEqual(['3', '4', '5'])
    expect(pagination(answer)).toEqual({
      limit: 3,
      total: 7,
      totalIsLowerBound: false,
      nextCursor: expect.any(String),
      page: 2,
      totalPages: 3,
    })
  })
})

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
})
