import { expect, test } from '@jest/globals'
import { stringify } from 'yaml'
import { readSigner } from '../../services/indexer/signing/minisign.js'
import { Skill } from '../../shared/records/skill.js'
import { AppError } from '../../shared/runtime/errors.js'
import { newMinisignKey } from '../support/minisign-key.js'
import { startTestApp, type TestApp, type TestResponse } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

/** The part of the document that these tests read. */
interface Document {
  openapi: string
  paths: Record<string, { get: Operation; post?: Operation }>
  components: {
    headers: Record<string, Described>
    responses: Record<string, Response>
    schemas: Record<string, Schema>
  }
}
interface Described {
  description?: string
}
interface Schema extends Described {
  $ref?: string
  properties?: Record<string, Schema>
  items?: Schema
  required?: string[]
}
interface Operation {
  operationId: string
  parameters?: (Described & { name: string; in?: string })[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, Response>
}
interface Response {
  $ref?: string
  description?: string
  headers?: object
  content?: Record<string, { schema: Schema }>
}

/** Transport and security headers: every response has them. */
const ofTransport = new Set([
  'access-control-allow-origin',
  'access-control-expose-headers',
  'connection',
  'content-encoding',
  'content-length',
  'content-security-policy',
  'content-type',
  'cross-origin-resource-policy',
  'date',
  'keep-alive',
  'referrer-policy',
  'transfer-encoding',
  'x-content-type-options',
])

const documentOf = async (api: TestApp) => (await api.get('/openapi.json')).body as Document

/** The documented response for a response to this path. */
function documented({ paths, components }: Document, path: string, { status }: TestResponse): Response {
  const response = paths[path]?.get.responses[status]
  const name = response?.$ref?.split('/').at(-1)
  return (name === undefined ? response : components.responses[name]) ?? {}
}

const lowerCase = (names: Iterable<string>) => [...names].map((name) => name.toLowerCase()).sort()

test('the document equals its snapshot', async () => {
  const api = await startTestApp()

  // The examples have files and a test of their own.
  const shown = JSON.parse((await api.get('/openapi.json')).text, (name, value) => (name === 'example' ? '…' : value))
  expect(stringify(shown, { lineWidth: 120, aliasDuplicateObjects: false })).toMatchSnapshot()
})

test('every reference resolves, and every operation id is unique', async () => {
  const api = await startTestApp()
  const document = await documentOf(api)

  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g)]
  const names = Object.values(document.paths).flatMap(({ get, post }) =>
    [get.operationId, post?.operationId ?? []].flat(),
  )

  expect(document.openapi).toMatch(/^3\.1\./)
  expect(references.length).toBeGreaterThan(100)
  for (const [reference, kind, name] of references) {
    const parts = document.components[kind as keyof Document['components']]
    expect({ reference, found: Object.hasOwn(parts, String(name)) }).toEqual({ reference, found: true })
  }
  expect(new Set(names).size).toBe(names.length)
})

test('every parameter, header and field of a record has a description', async () => {
  const api = await startTestApp()
  const { paths, components } = await documentOf(api)

  const silent = [
    ...Object.entries(paths).flatMap(([path, { get }]) => (get.parameters ?? []).map((each) => [path, each] as const)),
    ...Object.entries(components.headers).map(([name, header]) => ['headers', { ...header, name }] as const),
    ...Object.entries(components.schemas).flatMap(([schema, { properties = {} }]) =>
      Object.entries(properties).map(([name, property]) => [schema, { ...property, name }] as const),
    ),
  ].filter(([, { description = '' }]) => description === '')

  expect(silent.map(([where, { name }]) => `${where}: ${name}`)).toEqual([])
})

test('the body of a POST has the parameters of the GET, and its answer the same form and no validator', async () => {
  const api = await startTestApp()
  const { paths } = await documentOf(api)
  const { get, post } = paths['/api/v1/skills/search'] ?? {}
  const inQuery = (get?.parameters ?? []).filter((each) => each.in === 'query')
  const { schema } = post?.requestBody?.content['application/json'] ?? {}

  expect(Object.keys(schema?.properties ?? {})).toEqual(inQuery.map(({ name }) => name))
  for (const { name, description } of inQuery) {
    expect(schema?.properties?.[name]?.description).toContain(description)
  }
  expect(schema).toMatchObject({ required: ['q'], additionalProperties: false })
  expect(post?.responses[200]?.content).toEqual(get?.responses[200]?.content)
  expect(Object.keys(post?.responses ?? {})).toEqual(
    [...Object.keys(get?.responses ?? {}).filter((status) => status !== '304'), '415'].sort(),
  )
  const { status, headers } = await fetch(`${api.url}/api/v1/skills/search`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"q":"pdf"}',
  })
  expect(status).toBe(200)
  expect(lowerCase([...headers.keys()].filter((name) => !ofTransport.has(name)))).toEqual(
    lowerCase(Object.keys(post?.responses[200]?.headers ?? {})),
  )
})

test('of an answer to fields only the id and the members of the endpoint are required, elsewhere all of a skill', async () => {
  const api = await startTestApp()
  const { paths, components } = await documentOf(api)
  const fields = Object.keys(Skill.shape)

  expect(components.schemas['Skill']?.required).toEqual(fields)
  for (const [path, required] of Object.entries({
    '/api/v1/skills': ['id'],
    '/api/v1/skills/{owner}/{repo}': ['id'],
    '/api/v1/skills/search': ['id', 'score', 'passage', 'duplicates'],
    '/api/v1/skills/{owner}/{repo}/related': ['id', 'similarity'],
  })) {
    const { schema } = paths[path]?.get.responses[200]?.content?.['application/json'] ?? {}
    const data = schema?.properties?.data
    const described = components.schemas[String((data?.items ?? data)?.$ref?.split('/').at(-1))]
    expect({ path, required: described?.required }).toEqual({ path, required })
    expect(Object.keys(described?.properties ?? {})).toEqual(expect.arrayContaining(fields))
  }
})

test('every error has the one schema of a problem', async () => {
  const api = await startTestApp()
  const { paths, components } = await documentOf(api)

  const ofErrors = [
    ...Object.values(components.responses),
    ...Object.values(paths).flatMap(({ get }) => Object.values(get.responses)),
  ]
    .flatMap(({ content = {} }) => Object.entries(content))
    .filter(([type]) => type === 'application/problem+json')
  expect(ofErrors.length).toBeGreaterThan(10)
  expect(new Set(ofErrors.map(([, content]) => JSON.stringify(content)))).toEqual(
    new Set([JSON.stringify({ schema: { $ref: '#/components/schemas/Problem' } })]),
  )
  const unshared = Object.entries(paths).flatMap(([path, { get }]) =>
    Object.entries(get.responses).flatMap(([status, { $ref = '' }]) =>
      Number(status) >= 400 && !$ref.startsWith('#/components/responses/') ? [`${path} ${status}`] : [],
    ),
  )
  expect(unshared).toEqual([])
})

test('lists of words are enumerations, as a comma list or given once for each word', async () => {
  const api = await startTestApp({ sample: true })
  const { paths } = await documentOf(api)
  const listed = Object.entries(paths).flatMap(([path, { get }]) =>
    (get.parameters ?? [])
      .filter(({ name }) => ['fields', 'facets'].includes(name))
      .map((parameter) => ({ path, ...parameter })),
  )
  const words = { fields: Object.keys(Skill.shape), facets: ['topics', 'owner', 'license', 'language'] }

  expect(listed).toHaveLength(8)
  for (const { name, ...parameter } of listed) {
    expect(parameter).toMatchObject({
      style: 'form',
      explode: false,
      schema: { type: 'array', items: { type: 'string', enum: words[name as keyof typeof words] } },
    })
  }
  const search = '/api/v1/skills/search?q=pdf&limit=1'
  const [once, repeated] = [
    await api.get(`${search}&fields=name,stars&facets=license,owner`),
    await api.get(`${search}&fields=name&fields=stars&facets=license&facets=owner`),
  ]
  expect(repeated.status).toBe(200)
  expect(repeated.headers['etag']).toBe(once.headers['etag'])
})

/** A request with this response, as a path of the document and as sent. */
const requests: [status: number, path: string, asked: string, headers?: Record<string, string>][] = [
  [200, '/api/skills', '/api/skills?limit=1'],
  [200, '/api/v1/skills', '/api/v1/skills?ids=quillmoor/pdf-table-lifter,a/b'],
  [200, '/api/skills/{owner}/{repo}', '/api/skills/quillmoor/pdf-table-lifter'],
  [200, '/api/skills/{owner}/{repo}/related', '/api/skills/quillmoor/pdf-table-lifter/related'],
  [200, '/api/v1/skills/{owner}/{repo}/related', '/api/v1/skills/quillmoor/pdf-table-lifter/related'],
  [200, '/api/skills/{owner}/{repo}/SKILL.md', '/api/skills/quillmoor/pdf-table-lifter/SKILL.md'],
  [200, '/api/v1/skills/{owner}/{repo}/SKILL.md', '/api/v1/skills/quillmoor/pdf-table-lifter/SKILL.md'],
  [200, '/api/skills/{owner}/{repo}/files', '/api/skills/quillmoor/pdf-table-lifter/files'],
  [200, '/api/v1/skills/{owner}/{repo}/files', '/api/v1/skills/quillmoor/pdf-table-lifter/files'],
  [200, '/api/skills/{owner}/{repo}/history', '/api/skills/quillmoor/pdf-table-lifter/history'],
  [200, '/api/v1/skills/{owner}/{repo}/history', '/api/v1/skills/quillmoor/pdf-table-lifter/history'],
  [200, '/api/v1/skills/search', '/api/v1/skills/search?q=pdf'],
  [200, '/api/v1/skills/suggest', '/api/v1/skills/suggest?q=pdf'],
  [200, '/api/v1/stats', '/api/v1/stats'],
  [200, '/api/v1/stats/history', '/api/v1/stats/history'],
  [200, '/api/v1/export', '/api/v1/export?type=skills&format=csv'],
  [307, '/api/v1/export', '/api/v1/export?type=skills', { Range: 'bytes=5-9' }],
  [428, '/api/v1/export', '/api/v1/export?type=skills', { Range: 'bytes=5-' }],
  [412, '/api/v1/export', '/api/v1/export?type=skills', { 'If-Match': '"other"' }],
  [200, '/api/v1/exports', '/api/v1/exports'],
  [410, '/api/v1/exports/{snapshot}/{file}', '/api/v1/exports/20200101T000000000Z/skills.csv'],
  [200, '/api/v1/changes', '/api/v1/changes'],
  [410, '/api/v1/changes', '/api/v1/changes?since=1'],
  [200, '/', '/'],
  [200, '/docs', '/docs'],
  [200, '/docs/errors', '/docs/errors'],
  [200, '/openapi.json', '/openapi.json'],
  [200, '/.well-known/api-catalog', '/.well-known/api-catalog'],
  [200, '/llms.txt', '/llms.txt'],
  [200, '/robots.txt', '/robots.txt'],
  [200, '/feed.atom', '/feed.atom'],
  [200, '/sitemap.xml', '/sitemap.xml'],
  [200, '/sitemaps/{file}', '/sitemaps/1.xml'],
  [200, '/skills/{owner}/{repo}', '/skills/quillmoor/pdf-table-lifter'],
  [200, '/organizations/{owner}', '/organizations/quillmoor'],
  [200, '/topics/{topic}', '/topics/pdf'],
  [200, '/organizations', '/organizations'],
  [200, '/topics', '/topics'],
  [200, '/repositories', '/repositories'],
  [200, '/statistics', '/statistics'],
  [200, '/dataset', '/dataset'],
  [304, '/api/v1/stats', '/api/v1/stats', { 'If-None-Match': '*' }],
  [304, '/api/v1/export', '/api/v1/export?type=skills', { 'If-None-Match': '*' }],
  [400, '/api/skills', '/api/skills?x=1'],
  [404, '/api/skills/{owner}/{repo}', '/api/skills/a/b'],
]

/** The second address of an endpoint, and one that only redirects. */
const otherPaths = new Set(['/api/v1/skills/{owner}/{repo}', '/skills/{owner}/{repo}/{skill}'])

test('responses have exactly the documented headers', async () => {
  const api = await startTestApp({ sample: true })
  const signer = readSigner(newMinisignKey().secretKeyFile)
  await api.publishExports(signer)
  await api.publishDataset(signer)
  const document = await documentOf(api)
  const [dataset] = await api.stores.datasets.snapshots()
  const ofDataset = (name: string) => `/api/v1/exports/${dataset?.snapshot}/${name}`
  const file = String((await api.get('/api/v1/export?type=skills')).headers['content-location'])
  const filePath = '/api/v1/exports/{snapshot}/{file}'
  const requestsOfFile: typeof requests = [
    [200, filePath, file],
    [206, filePath, file, { Range: 'bytes=0-9' }],
    [416, filePath, file, { Range: 'bytes=999999999-' }],
    [200, '/api/v1/exports/{snapshot}/{table}.parquet', ofDataset('skills.parquet')],
    [206, '/api/v1/exports/{snapshot}/catalog.sqlite', ofDataset('catalog.sqlite'), { Range: 'bytes=0-9' }],
    [200, '/api/v1/exports/{snapshot}/catalog.sqlite', ofDataset('catalog.sqlite')],
    [200, '/api/v1/exports/{snapshot}/manifest.json', ofDataset('manifest.json')],
    [200, '/api/v1/exports/{snapshot}/manifest.json.minisig', ofDataset('manifest.json.minisig')],
  ]

  const all = [...requests, ...requestsOfFile]
  for (const [status, path, asked, headers] of all) {
    const answer = await api.get(asked, headers)
    const response = documented(document, path, answer)
    const sent = lowerCase(Object.keys(answer.headers)).filter((name) => !ofTransport.has(name))
    const named = lowerCase(Object.keys(response.headers ?? {}))
    // A problem may occur before the request is counted, so it does not promise the rate limit headers; and a 304 may
    // repeat headers of the 200 of its path.
    const promised = status < 300 ? sent : sent.filter((name) => named.includes(name))
    expect({ asked, status: answer.status, headers: promised }).toEqual({ asked, status, headers: named })
  }
  expect(new Set(all.filter(([status]) => status === 200).map(([, path]) => path))).toEqual(
    new Set(Object.keys(document.paths).filter((path) => !otherPaths.has(path))),
  )
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
    const named = Object.keys(documented(document, '/api/skills', answer).headers ?? {})
    expect(lowerCase(Object.keys(answer.headers))).toEqual(expect.arrayContaining(lowerCase(named)))
  }
})

test('an error with an undocumented code is an internal error', async () => {
  const api = await startTestApp({
    replace: ({ catalog }) => ({
      catalog: withOverrides(catalog, { listSkills: () => Promise.reject(new AppError(404, 'made_up', 'secret')) }),
    }),
  })

  const { status, body, text } = await api.get('/api/skills')

  expect({ status, body }).toMatchObject({ status: 500, body: { code: 'internal_error' } })
  expect(text).not.toContain('secret')
})
