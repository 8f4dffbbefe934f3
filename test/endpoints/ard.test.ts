import { describe, expect, test } from '@jest/globals'
import { publisherOf, skillOfIdentifier } from '../../services/query/endpoints/clients/ard-entries.js'
import { postBody, startTestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'
import { type Entry, names, own, withSkills } from './ard-app.js'

const shared = withSkills()
const search = (query: object, more: object = {}) => postBody(`${shared().url}/search`, { query, ...more })

describe('POST /search', () => {
  test('answers with entries: the folder of the skill, or else its page, and no absent values', async () => {
    const { status, body } = await search({ text: 'tables' }, { pageSize: 1 })

    expect(status).toBe(200)
    expect(body).toEqual({
      results: [
        {
          identifier: `${own}:acme:kit:tables`,
          displayName: 'Tables',
          type: 'application/ai-skill',
          url: `https://github.com/Acme/Kit/tree/${'a'.repeat(40)}/skills/pdf%20tables`,
          description: 'Reads PDF tables',
          tags: ['pdf', 'csv'],
          version: '1.2',
          updatedAt: '2026-02-01T00:00:00.000Z',
          metadata: {
            ...{ id: 'acme/kit@tables', page: 'https://catalog.example/skills/acme/kit@tables' },
            ...{ install: 'npx skills add Acme/Kit@tables', owner: 'Acme' },
            ...{ license: 'MIT', language: 'Python', stars: 9, commit: 'a'.repeat(40) },
          },
          score: expect.any(Number),
          source: 'https://catalog.example/',
        },
      ],
    })
    const [maker] = (await search({ text: 'pdf maker' })).body['results'] as Entry[]
    expect(maker).toMatchObject({ url: 'https://catalog.example/skills/beta/own' })
  })

  test('filters: every field must match, by any of its values', async () => {
    const found = async (filter: object) => names((await search({ text: 'pdf', filter })).body['results']).sort()

    expect(await found({})).toEqual(['acme:kit:tables', 'beta:mail', 'beta:own'])
    expect(await found({ tags: 'PDF' })).toEqual(['acme:kit:tables', 'beta:own'])
    expect(await found({ tags: ['csv', 'mail'] })).toEqual(['acme:kit:tables', 'beta:mail'])
    expect(await found({ tags: ['pdf', 'mail'], 'metadata.owner': ['BETA'] })).toEqual(['beta:mail', 'beta:own'])
    expect(await found({ 'metadata.license': 'mit', 'metadata.language': ['python'] })).toEqual(['acme:kit:tables'])
    expect(await found({ type: ['application/mcp-server-card+json', 'application/ai-skill+md'] })).toHaveLength(3)
    expect(await found({ type: 'application/mcp-server-card+json' })).toEqual([])
    expect(await found({ publisher: 'catalog.example', tags: null })).toHaveLength(3)
    expect(await found({ publisher: ['other.example'] })).toEqual([])
  })

  test.each([[{}], [{ tags: ['pdf', 'mail'] }]])(
    'page tokens lead through the results of %j, each once',
    async (filter) => {
      const query = { text: 'pdf', filter }
      const whole = names((await search(query)).body['results'])
      const pages: string[] = []
      let pageToken: unknown
      do {
        const { body } = await search(query, { pageSize: 1, pageToken })
        pages.push(...names(body['results']))
        pageToken = body['pageToken']
      } while (pageToken !== undefined)

      expect(pages).toEqual(whole)
      expect(pages).toHaveLength(3)
    },
  )

  test('ignores what it does not know, and any federation, and counts as one request', async () => {
    const before = Number((await search({ text: 'pdf' })).headers['x-ratelimit-remaining'])
    const query = { text: 'pdf', '@context': { okf: 'https://okf.example/ns#' }, boost: 2 }
    const { status, headers, body } = await search(query, { federation: 'referrals', pageToken: null, trace: {} })

    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['results'])
    expect(names(body['results'])).toHaveLength(3)
    expect(before - Number(headers['x-ratelimit-remaining'])).toBe(1)
  })

  test.each<[unknown, string, string]>([
    ['', 'body', 'is empty: send an object such as {"query": {"text": "pdf tables"}}.'],
    ['{', 'body', 'is not valid JSON: send an object such as {"query": {"text": "pdf tables"}}.'],
    [[], 'body', 'is no object: send an object such as {"query": {"text": "pdf tables"}}.'],
    [{}, 'query', 'must be an object such as {"text": "pdf tables"}.'],
    [{ query: {} }, 'query.text', 'is required: give the words to search for.'],
    [{ query: { text: 7 } }, 'query.text', 'is not text: give the words to search for.'],
    [{ query: { text: ' ' } }, 'query.text', 'is empty: give the words to search for.'],
    [{ query: { text: 'a'.repeat(2_001) } }, 'query.text', 'is longer than 2000 characters: shorten it.'],
    [{ query: { text: 'a' }, pageSize: 101 }, 'pageSize', 'must be a whole number from 1 to 100.'],
    [{ query: { text: 'a' }, pageSize: '5' }, 'pageSize', 'must be a whole number from 1 to 100.'],
    [{ query: { text: 'a' }, federation: 'all' }, 'federation', 'must be one of auto, referrals, none.'],
    [
      { query: { text: 'a' }, pageToken: '2.x' },
      'pageToken',
      expect.stringMatching(/^is damaged, or belongs/) as never,
    ],
    [{ query: { text: 'a', filter: { tags: [] } } }, 'query.filter.tags', 'is empty: give it a value or omit it.'],
    [{ query: { text: 'a', filter: { tags: 5 } } }, 'query.filter.tags', 'must be text, or a list of texts.'],
    [
      { query: { text: 'a', filter: { 'trustManifest.identity': ['x'] } } },
      'query.filter',
      'has trustManifest.identity, by which this registry does not filter: use type, publisher, tags, metadata.owner, ' +
        'metadata.license, metadata.language.',
    ],
    [
      { query: { text: 'a', filter: { tags: ['a', 'b', 'c'], 'metadata.owner': ['d', 'e'] } } },
      'query.filter',
      'has 6 combinations of values, of which 5 are searched: give fewer.',
    ],
  ])('refuses body %# in the form of the draft, which is a problem as well', async (sent, parameter, message) => {
    const { status, headers, body } = await postBody(`${shared().url}/search`, sent)

    expect({ status, type: headers['content-type'] }).toEqual({ status: 400, type: 'application/problem+json' })
    expect(body).toMatchObject({
      ...{ errorCode: 'INVALID_ARGUMENT', message: body['detail'], code: 'invalid_parameters' },
      errors: [{ parameter, message }],
    })
  })

  test('refuses other media types and methods, and is no page for a browser', async () => {
    expect(await postBody(`${shared().url}/search`, '{}', { 'Content-Type': 'text/plain' })).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type', errorCode: 'INVALID_ARGUMENT' },
    })
    expect(await shared().get('/search', { Accept: 'text/html' })).toMatchObject({
      status: 405,
      headers: { allow: 'POST, OPTIONS', 'content-type': 'application/problem+json' },
      body: { errorCode: 'INVALID_ARGUMENT', message: expect.any(String) },
    })
  })
})

describe('POST /explore', () => {
  const explore = async (facets: object[], query?: object) =>
    (await postBody(`${shared().url}/explore`, { query, resultType: { facets } })).body

  test('counts what a search finds', async () => {
    const facets = ['type', 'publisher', 'tags', 'metadata.owner'].map((field) => ({ field }))
    expect(await explore([...facets, { field: 'metadata.license', minCount: 2 }], { text: 'pdf' })).toEqual({
      resultType: 'facets',
      facets: {
        type: { buckets: [{ value: 'application/ai-skill', count: 3 }], otherCount: 0 },
        publisher: { buckets: [{ value: 'catalog.example', count: 3 }], otherCount: 0 },
        tags: { buckets: expect.arrayContaining([{ value: 'pdf', count: 2 }]), otherCount: 0 },
        'metadata.owner': { buckets: [expect.objectContaining({ count: 2 }), expect.anything()], otherCount: 0 },
        'metadata.license': { buckets: [], otherCount: 0 },
      },
    })
    expect(await explore([{ field: 'tags', limit: 1 }], { text: 'pdf', filter: { tags: ['csv'] } })).toMatchObject({
      facets: { tags: { buckets: [{ count: 1 }], otherCount: 1 } },
    })
  })

  test('without a text it counts the catalog, or what a filter admits', async () => {
    expect(await explore([{ field: 'type' }, { field: 'tags', limit: 1 }, { field: 'metadata.owner' }])).toEqual({
      resultType: 'facets',
      facets: {
        type: { buckets: [{ value: 'application/ai-skill', count: 4 }], otherCount: 0 },
        tags: { buckets: [{ value: 'pdf', count: 2 }], otherCount: 2 },
        'metadata.owner': {
          buckets: [
            { value: 'beta', count: 3 },
            { value: 'acme', count: 1 },
          ],
          otherCount: 0,
        },
      },
    })
    expect(await explore([{ field: 'type' }], { filter: { tags: 'pdf' } })).toMatchObject({
      facets: { type: { buckets: [{ count: 2 }] } },
    })
    expect(await explore([{ field: 'type' }], { filter: { type: 'text/plain' } })).toMatchObject({
      facets: { type: { buckets: [] } },
    })
  })

  test.each<[object, string]>([
    [{}, 'resultType'],
    [{ resultType: { facets: [] } }, 'resultType.facets'],
    [{ resultType: { facets: [{ field: 'stars' }] } }, 'resultType.facets.0.field'],
    [{ resultType: { facets: [{ field: 'tags', limit: 0 }] } }, 'resultType.facets.0.limit'],
    [{ resultType: { facets: [{ field: 'metadata.license' }] } }, 'query.text'],
    [{ query: { filter: { tags: 'pdf' } }, resultType: { facets: [{ field: 'tags' }] } }, 'query.text'],
    [{ query: { filter: { tags: ['a', 'b'] } }, resultType: { facets: [{ field: 'type' }] } }, 'query.filter'],
  ])('refuses %j', async (sent, parameter) => {
    expect(await postBody(`${shared().url}/explore`, sent)).toMatchObject({
      status: 400,
      body: { errorCode: 'INVALID_ARGUMENT', errors: [{ parameter, message: expect.stringMatching(/\.$/) }] },
    })
  })
})

test('without the index, and over the limit, the error has the code of the draft, and says when to ask again', async () => {
  const api = await startTestApp({
    config: { rateLimitPerMinute: 1 },
    replace: ({ index }) => ({ index: withOverrides(index, { search: () => Promise.reject(new Error('gone')) }) }),
  })
  for (const [status, errorCode] of [
    [503, 'INTERNAL_ERROR'],
    [429, 'RATE_LIMIT_EXCEEDED'],
  ] as const) {
    const answer = await postBody(`${api.url}/search`, { query: { text: 'pdf' } })
    expect(answer).toMatchObject({ status, body: { status, errorCode, message: expect.any(String) } })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  }
})

test('the manifest names this registry, for clients of either version', async () => {
  const [first, second] = [
    await shared().get('/.well-known/ard.json'),
    await shared().get('/.well-known/ai-catalog.json'),
  ]

  expect(second.text).toBe(first.text)
  expect(first.body).toMatchObject({
    specVersion: '1.0',
    host: { displayName: 'Skill Catalog' },
    entries: [
      {
        identifier: 'urn:air:catalog.example:registry:skill-catalog',
        type: 'application/ai-registry+json',
        url: 'https://catalog.example/',
        representativeQueries: [expect.any(String), expect.any(String)],
      },
    ],
  })
})

test('the domain of identifiers is that of PUBLIC_URL, where it has one', () => {
  expect(publisherOf('https://Skills.Acme.example:8443')).toBe('skills.acme.example')
  expect(publisherOf('https://xn--bcher-kva.example')).toBe('xn--bcher-kva.example')
  expect(publisherOf('https://acme.xn--p1ai')).toBe('acme.xn--p1ai')
  for (const url of [null, 'http://127.0.0.1:3000', 'http://[::1]:3000', 'http://localhost:3000', 'http://catalog']) {
    expect([url, publisherOf(url)]).toEqual([url, 'skill-catalog.invalid'])
  }
})

test('an identifier is read as it was made', () => {
  const read = (identifier: string) => skillOfIdentifier(identifier, 'catalog.example')

  expect(read(`${own}:a.b:c_d-e`)).toBe('a.b/c_d-e')
  expect(read(`${own}:skills:skills:skills`)).toBe('skills/skills@skills')
  expect(read('urn:air:other.example:skills:a:b')).toBeNull()
  expect(read(`${own}:a`)).toBeNull()
  expect(read(`${own}:a:b:c:d`)).toBeNull()
})
