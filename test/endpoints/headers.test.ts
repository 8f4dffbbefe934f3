import { describe, expect, test } from '@jest/globals'
import { readSigner } from '../../services/indexer/signing/minisign.js'
import { aSkill } from '../support/factories.js'
import { newMinisignKey } from '../support/minisign-key.js'
import { sharedTestApp, startTestApp, type TestAppOptions, type TestResponse } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'
import { documented, documentOf, lowerCase, namedHeaders, sentHeaders } from './openapi-document.js'

describe('links', () => {
  const skills = Array.from({ length: 3 }, () => aSkill())
  const shared = sharedTestApp({ skills })
  const links = (answer: TestResponse) => String(answer.headers['link']).split(', ')
  const pagination = ({ body }: TestResponse) => (body as { pagination: Record<string, unknown> }).pagination

  test('name the licence, the versioned address and the next page', async () => {
    const api = shared()

    const answer = await api.get('/api/skills?limit=2&owner=acme')

    expect(links(answer)).toEqual([
      '<https://creativecommons.org/licenses/by/4.0/>; rel="license"',
      `<${api.url}/api/v1/skills?limit=2&owner=acme>; rel="canonical"`,
      `<${api.url}/api/skills?limit=2&owner=acme&cursor=${pagination(answer)['nextCursor']}>; rel="next"`,
    ])
  })

  test('the next page keeps the parameters, and the last page has no link', async () => {
    const api = shared()

    expect(links(await api.get('/api/v1/skills?page=1&limit=2'))[2]).toBe(
      `<${api.url}/api/v1/skills?limit=2&page=2>; rel="next"`,
    )
    expect(links(await api.get('/api/v1/skills?page=2&limit=2'))).toHaveLength(2)
  })

  test('after the last page number the next link is by cursor', async () => {
    const api = await startTestApp({
      replace: ({ catalog }) => ({
        catalog: withOverrides(catalog, {
          listSkills: async () => ({
            skills: [],
            total: 10_000,
            totalIsLowerBound: true,
            next: { value: null, id: 'acme/x' },
          }),
        }),
      }),
    })

    const answer = await api.get('/api/skills?page=100&limit=100')

    expect(links(answer)[2]).toMatch(/^<http:\/\/[\d.:]+\/api\/skills\?limit=100&cursor=[\w-]+>; rel="next"$/)
    expect(pagination(answer)).toMatchObject({ total: 10_000, totalIsLowerBound: true, totalPages: 100 })
  })

  test.each<[string, TestAppOptions['config'], Record<string, string>, string]>([
    ['the host of the request', {}, { Host: 'skills.example:8080' }, 'http://skills.example:8080'],
    ['PUBLIC_URL', { publicUrl: 'https://own.example' }, { Host: 'skills.example' }, 'https://own.example'],
    [
      'a trusted proxy',
      { trustedProxies: 1 },
      { Host: 's.example', 'X-Forwarded-Proto': 'http, https' },
      'https://s.example',
    ],
    ['no other proxy', {}, { Host: 's.example', 'X-Forwarded-Proto': 'https' }, 'http://s.example'],
  ])('are absolute: %s says where', async (_, config, headers, origin) => {
    const api = await startTestApp({ skills, ...(config && { config }) })
    for (const [path, rels] of Object.entries({
      '/api/skills?limit=1': ['canonical', 'next'],
      '/api/v1/skills?limit=1&page=2': ['canonical', 'next'],
      '/api/v1/skills/search?q=acme&limit=1': ['next'],
      '/api/v1/changes?limit=1': ['next'],
      [`/api/skills/${skills[0]?.id}`]: ['canonical'],
      [`/api/skills/${skills[0]?.id}/related`]: ['canonical'],
      [`/api/skills/${skills[0]?.id}/history`]: ['canonical'],
      '/': ['api-catalog', 'service-desc', 'service-doc'],
    })) {
      const [license, ...own] = links(await api.get(path, headers))
      expect(license).toBe('<https://creativecommons.org/licenses/by/4.0/>; rel="license"')
      expect(own.map((link) => /rel="(.*)"$/.exec(link)?.[1])).toEqual(rels)
      expect(own.filter((link) => !link.startsWith(`<${origin}/`))).toEqual([])
    }
  })

  test('cannot be injected by a value', async () => {
    const api = shared()

    const answer = await api.get('/api/skills?license=%3E%3B%20rel%3D%22x%22%2C%20%E6%97%A5')

    expect(links(answer)[1]).toBe(
      `<${api.url}/api/v1/skills?license=%3E%3B+rel%3D%22x%22%2C+%E6%97%A5>; rel="canonical"`,
    )
  })
})

describe('compression and conditional requests', () => {
  /** Enough for a response that is compressed. */
  const skills = () => Array.from({ length: 5 }, (_, at) => aSkill({ repo: `pdf-${at}`, description: 'Reads PDF.' }))

  const shared = sharedTestApp({ skills: skills() })

  describe('compression', () => {
    test('is used for long problems too', async () => {
      const wrong = Array.from({ length: 30 }, (_, at) => `wrong${at}=1`).join('&')

      const answer = await shared().get(`/api/skills?${wrong}`, { 'Accept-Encoding': 'gzip' })

      expect(answer).toMatchObject({
        status: 400,
        headers: { 'content-encoding': 'gzip', vary: 'Accept-Encoding', 'cache-control': 'no-store' },
        body: { code: 'invalid_parameters' },
      })
    })
  })

  test('the tag of a search is weak, and of its hits: bodies that differ in their duration alone have the same one', async () => {
    const tags = new Set<unknown>()
    const bodies = new Set<string>()

    for (let turn = 0; turn < 200 && bodies.size < 2; turn += 1) {
      const { headers, text } = await shared().get('/api/v1/skills/search?q=pdf')
      tags.add(headers['etag'])
      bodies.add(text)
    }

    expect(bodies.size).toBe(2)
    expect([...tags]).toEqual([expect.stringMatching(/^W\/"/)])
    const withoutDuration = [...bodies].map((text) => ({ ...JSON.parse(text), tookMs: 0 }))
    expect(withoutDuration[1]).toEqual(withoutDuration[0])
  })

  test('the tag changes with the data', async () => {
    const api = await startTestApp({ skills: skills() })
    const { headers } = await api.get('/api/skills')
    await api.stores.catalog.put('skills', [aSkill({ repo: 'new' })])

    const changed = await api.get('/api/skills', { 'If-None-Match': String(headers['etag']) })

    expect(changed.status).toBe(200)
    expect(changed.headers['etag']).not.toBe(headers['etag'])
  })

  test('a conditional request still gets its problem', async () => {
    const problem = await shared().get('/api/skills/acme/none', { 'If-None-Match': '*' })

    expect(problem).toMatchObject({ status: 404, headers: { 'cache-control': 'no-store' } })
    expect(problem.headers).not.toHaveProperty('etag')
  })
})

describe('headers in the OpenAPI document', () => {
  /** Requests that are refused, or whose answer is kept, as paths of the document and as sent. */
  const requests: Asked[] = [
    [307, '/api/v1/export', '/api/v1/export?type=skills', { Range: 'bytes=5-9' }],
    [428, '/api/v1/export', '/api/v1/export?type=skills', { Range: 'bytes=5-' }],
    [412, '/api/v1/export', '/api/v1/export?type=skills', { 'If-Match': '"other"' }],
    [410, '/api/v1/exports/{snapshot}/{file}', '/api/v1/exports/20200101T000000000Z/skills.csv'],
    [410, '/api/v1/changes', '/api/v1/changes?since=1'],
    [304, '/api/v1/stats', '/api/v1/stats', { 'If-None-Match': '*' }],
    [304, '/api/v1/export', '/api/v1/export?type=skills', { 'If-None-Match': '*' }],
    [400, '/api/skills', '/api/skills?x=1'],
    [404, '/api/skills/{owner}/{repo}', '/api/skills/a/b'],
  ]
  type Asked = [status: number, path: string, asked: string, headers?: Record<string, string>]

  test('files, and responses other than a 200, have exactly the documented headers', async () => {
    const api = await startTestApp({ sample: true })
    const signer = readSigner(newMinisignKey().secretKeyFile)
    await api.publishExports(signer)
    await api.publishDataset(signer)
    const document = await documentOf(api)
    const [dataset] = await api.stores.datasets.snapshots()
    const ofDataset = (name: string) => `/api/v1/exports/${dataset?.snapshot}/${name}`
    const file = String((await api.get('/api/v1/export?type=skills')).headers['content-location'])
    const filePath = '/api/v1/exports/{snapshot}/{file}'
    const requestsOfFile: Asked[] = [
      [200, filePath, file],
      [206, filePath, file, { Range: 'bytes=0-9' }],
      [416, filePath, file, { Range: 'bytes=999999999-' }],
      [200, '/api/v1/exports/{snapshot}/{table}.parquet', ofDataset('skills.parquet')],
      [206, '/api/v1/exports/{snapshot}/catalog.sqlite', ofDataset('catalog.sqlite'), { Range: 'bytes=0-9' }],
      [200, '/api/v1/exports/{snapshot}/catalog.sqlite', ofDataset('catalog.sqlite')],
      [200, '/api/v1/exports/{snapshot}/manifest.json', ofDataset('manifest.json')],
      [200, '/api/v1/exports/{snapshot}/manifest.json.minisig', ofDataset('manifest.json.minisig')],
    ]

    for (const [status, path, asked, headers] of [...requests, ...requestsOfFile]) {
      const answer = await api.get(asked, headers)
      const named = namedHeaders(documented(document, path, answer))
      const sent = sentHeaders(answer)
      // A problem may occur before the request is counted, so it does not promise the rate limit headers; and a 304 may
      // repeat headers of the 200 of its path.
      const promised = status < 300 ? sent : sent.filter((name) => named.includes(name))
      expect({ asked, status: answer.status, headers: promised }).toEqual({ asked, status, headers: named })
    }
  })

  test('over the limit and without a backend, too', async () => {
    const api = await startTestApp({
      config: { rateLimitPerMinute: 3 },
      replace: ({ catalog }) => ({
        catalog: withOverrides(catalog, { listSkills: () => Promise.reject(new Error('gone')) }),
      }),
    })
    const document = await documentOf(api)

    for (const status of [503, 503, 429]) {
      const answer = await api.get('/api/skills')
      expect(answer.status).toBe(status)
      const named = namedHeaders(documented(document, '/api/skills', answer))
      expect(lowerCase(Object.keys(answer.headers))).toEqual(expect.arrayContaining(named))
    }
  })
})
