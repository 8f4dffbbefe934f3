import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from '@jest/globals'
import { stringify } from 'yaml'
import { type Example, examples } from '../../services/query/openapi/responses.js'
import { facetNames } from '../../shared/ports/filter-table.js'
import { SkillSchema } from '../../shared/records/schemas.js'
import { AppError } from '../../shared/runtime/errors.js'
import { postBody, sharedTestApp, startTestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'
import { type Document, documentOf, namedHeaders, sentHeaders } from './openapi-document.js'

const shared = sharedTestApp({ sample: true }, (api) => api.publishExports())

test('the document equals its snapshot', async () => {
  const api = shared()

  // The examples have files and a test of their own.
  const shown = JSON.parse((await api.get('/openapi.json')).text, (name, value) => (name === 'example' ? '…' : value))
  expect(stringify(shown, { lineWidth: 120, aliasDuplicateObjects: false })).toMatchSnapshot()
})

test('every reference resolves, and every operation id is unique', async () => {
  const document = await documentOf(shared())

  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g)]
  const names = Object.values(document.paths).flatMap(({ get, post }) =>
    [get?.operationId ?? [], post?.operationId ?? []].flat(),
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
  const { paths, components } = await documentOf(shared())

  const silent = [
    ...Object.entries(paths).flatMap(([path, { get }]) => (get?.parameters ?? []).map((each) => [path, each] as const)),
    ...Object.entries(components.headers).map(([name, header]) => ['headers', { ...header, name }] as const),
    ...Object.entries(components.schemas).flatMap(([schema, { properties = {} }]) =>
      Object.entries(properties).map(([name, property]) => [schema, { ...property, name }] as const),
    ),
  ].filter(([, { description = '' }]) => description === '')

  expect(silent.map(([where, { name }]) => `${where}: ${name}`)).toEqual([])
})

test('what an operation cannot be tried without has an example, unless it is that of the moment', async () => {
  const { paths } = await documentOf(shared())
  const ofOtherAnswers = ['snapshot', 'file', 'table', 'identifier']

  const without = Object.entries(paths).flatMap(([path, { get }]) =>
    (get?.parameters ?? [])
      .filter(({ name, required, example }) => required && example === undefined && !ofOtherAnswers.includes(name))
      .map(({ name }) => `${path} ${name}`),
  )
  // It only redirects.
  expect(without.filter((each) => !each.startsWith('/skills/{owner}/{repo}/{skill} '))).toEqual([])
})

test('the body of a POST has the parameters of the GET, and its answer the same form and no validator', async () => {
  const { paths } = await documentOf(shared())
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
  const answer = await postBody(`${shared().url}/api/v1/skills/search`, { q: 'pdf' })
  expect(answer.status).toBe(200)
  expect(sentHeaders(answer)).toEqual(namedHeaders(post?.responses[200] ?? {}))
})

test('an operation by POST alone has a body, no parameters, and the headers of its answer', async () => {
  const { paths } = await documentOf(shared())
  const { get, post } = paths['/api/v1/resolve'] ?? {}

  expect(get).toBeUndefined()
  expect((post?.parameters ?? []).map(({ name }) => name)).toEqual(['X-Request-Id'])
  expect(post?.requestBody?.content['application/json']?.schema.required).toEqual(['skills'])
  expect(post?.responses).toMatchObject({ 200: {}, 400: {}, 403: {}, 413: {}, 415: {}, 503: {} })
  expect(post?.responses).not.toHaveProperty('304')
  const answer = await postBody(`${shared().url}/api/v1/resolve`, { skills: [] })
  expect(sentHeaders(answer)).toEqual(namedHeaders(post?.responses[200] ?? {}))
})

test('of an answer to fields only the id and the members of the endpoint are required, elsewhere all of a skill', async () => {
  const { paths, components } = await documentOf(shared())
  const fields = Object.keys(SkillSchema.shape)

  expect(components.schemas['Skill']?.required).toEqual(fields)
  for (const [path, required] of Object.entries({
    '/api/v1/skills': ['id'],
    '/api/v1/skills/{owner}/{repo}': ['id'],
    '/api/v1/skills/search': ['id', 'score', 'passage', 'duplicates'],
    '/api/v1/skills/{owner}/{repo}/related': ['id', 'similarity'],
  })) {
    const { schema } = paths[path]?.get?.responses[200]?.content?.['application/json'] ?? {}
    const data = schema?.properties?.data
    const described = components.schemas[String((data?.items ?? data)?.$ref?.split('/').at(-1))]
    expect({ path, required: described?.required }).toEqual({ path, required })
    expect(Object.keys(described?.properties ?? {})).toEqual(expect.arrayContaining(fields))
  }
})

test('every error has the one schema of a problem', async () => {
  const { paths, components } = await documentOf(shared())

  const ofErrors = [
    ...Object.values(components.responses),
    ...Object.values(paths).flatMap(({ get, post }) =>
      [get, post].flatMap((each) => Object.values(each?.responses ?? {})),
    ),
  ]
    .flatMap(({ content = {} }) => Object.entries(content))
    .filter(([type]) => type === 'application/problem+json')
  expect(ofErrors.length).toBeGreaterThan(10)
  expect(new Set(ofErrors.map(([, content]) => JSON.stringify(content)))).toEqual(
    new Set([JSON.stringify({ schema: { $ref: '#/components/schemas/Problem' } })]),
  )
  const unshared = Object.entries(paths).flatMap(([path, { get, post }]) =>
    [get, post]
      .flatMap((each) => Object.entries(each?.responses ?? {}))
      .flatMap(([status, { $ref = '' }]) =>
        Number(status) >= 400 && !$ref.startsWith('#/components/responses/') ? [`${path} ${status}`] : [],
      ),
  )
  expect(unshared).toEqual([])
})

test('lists of words are enumerations, as a comma list or given once for each word', async () => {
  const { paths } = await documentOf(shared())
  const listed = Object.entries(paths).flatMap(([path, { get }]) =>
    (get?.parameters ?? [])
      .filter(({ name }) => ['fields', 'facets'].includes(name))
      .map((parameter) => ({ path, ...parameter })),
  )
  const words = { fields: Object.keys(SkillSchema.shape), facets: facetNames }

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
    await shared().get(`${search}&fields=name,stars&facets=license,owner`),
    await shared().get(`${search}&fields=name&fields=stars&facets=license&facets=owner`),
  ]
  expect(repeated.status).toBe(200)
  expect(repeated.headers['etag']).toBe(once.headers['etag'])
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

/** Times and durations, which differ in every response. */
const ofTheMoment = new Set([
  'canonicalUrl',
  'catalog',
  'indexedAt',
  'tookMs',
  'snapshot',
  'path',
  'bytes',
  'sha256',
  'sequence',
  'changedAt',
  'changesSince',
  'nextSince',
  'generatedAt',
  'lastSyncAt',
  'statsGeneratedAt',
  'exportsGeneratedAt',
])

test('each example equals the response on the sample catalog', async () => {
  const api = shared()

  for (const [name, example] of Object.entries(examples)) {
    const { status, body } =
      example.body === undefined
        ? await api.get(example.request)
        : await postBody(`${api.url}${example.request}`, example.body)
    expect({ name, status }).toEqual({ name, status: 200 })
    if (process.env['WRITE_EXAMPLES'] === 'on' && body !== null) {
      await writeExample(name, shortened(body))
    } else if (example.answer === undefined) {
      expect({ name, body }).toEqual({ name, body: null })
    } else {
      expect({ name, answer: withoutMoment(shortened(body)) }).toEqual({ name, answer: withoutMoment(example.answer) })
    }
  }
})

/** Lists of which one entry is enough as an example. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) {
    const short = value.map(shortened)
    return typeof value[0] === 'object' ? short.slice(0, 1) : short
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]))
  }
  return value
}

/** The same, with times and durations reduced to their presence. */
function withoutMoment(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutMoment)
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        ofTheMoment.has(name) ? typeof member : withoutMoment(member),
      ]),
    )
  }
  return value
}

async function writeExample(name: string, answer: unknown): Promise<void> {
  const path = 'services/query/openapi/examples.json'
  const written = JSON.parse(await readFile(path, 'utf8')) as Record<string, Example>
  expect(Object.keys(written)).toContain(name)
  await writeFile(path, `${JSON.stringify({ ...written, [name]: { ...written[name], answer } }, null, 2)}\n`)
}
