import { describe, expect, test } from '@jest/globals'
import { SkillSchema } from '../../shared/records/schemas.js'
import { aSkill } from '../support/factories.js'
import { intercepted } from '../support/job-bench.js'
import { sharedTestApp, startTestApp, type TestResponse } from '../support/test-app.js'

const skills = [
  aSkill({
    repo: 'pdf',
    name: 'pdf',
    stars: 3,
    topics: ['ocr'],
    contact: 'eve@mail.example',
    formerIds: ['acme/was-pdf'],
  }),
  aSkill({ repo: 'near', name: 'pdf reader' }),
]

const shared = sharedTestApp({ skills })

const all = Object.keys(SkillSchema.shape)

/** The member names of the first skill of a response. */
function fieldsOf({ body }: TestResponse): string[] {
  const { data } = body as { data: object | object[] }
  return Object.keys(Array.isArray(data) ? data[0] : data)
}

describe.each([
  ['a list', '/api/v1/skills?', []],
  ['the list without a version', '/api/skills?', []],
  ['a look-up of ids', '/api/v1/skills?ids=acme/pdf&', []],
  ['a search', '/api/v1/skills/search?q=pdf&', ['score', 'passage', 'duplicates']],
  [
    'a search with highlights',
    '/api/v1/skills/search?q=pdf&highlight=true&',
    ['score', 'highlights', 'passage', 'duplicates'],
  ],
  [
    'an explained search',
    '/api/v1/skills/search?q=pdf&explain=true&',
    ['score', 'passage', 'duplicates', 'explanation'],
  ],
  ['related skills', '/api/v1/skills/acme/pdf/related?', ['similarity']],
  ['one skill', '/api/v1/skills/acme/pdf?', []],
])('%s', (_, path, extraFields) => {
  test('has the requested fields and id, in the documented order', async () => {
    const api = shared()

    expect(fieldsOf(await api.get(`${path}fields=stars,name`))).toEqual(['id', 'name', 'stars', ...extraFields])
    expect(fieldsOf(await api.get(`${path}fields=id`))).toEqual(['id', ...extraFields])
    expect(fieldsOf(await api.get(`${path}fields=topics,topics`))).toEqual(['id', 'topics', ...extraFields])
  })

  test('has all fields by default, and when all are requested', async () => {
    const api = shared()

    expect(fieldsOf(await api.get(path.slice(0, -1)))).toEqual([...all, ...extraFields])
    expect(fieldsOf(await api.get(`${path}fields=${all.join(',')}`))).toEqual([...all, ...extraFields])
  })
})

test('fields that are not documented are dropped from the response', async () => {
  const secret = { contactEmail: 'eve@mail.example' }
  /** The same port, whose records have an additional field. */
  const leaking = <Port extends object>(port: Port): Port =>
    intercepted(
      port,
      (_, call) =>
        async (...args) =>
          withSecrets(await call(...args)),
    )
  const withSecrets = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map(withSecrets)
    }
    return typeof value === 'object' && value !== null
      ? { ...Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withSecrets(each)])), ...secret }
      : value
  }
  const api = await startTestApp({
    skills,
    replace: ({ catalog, index, changes, exports }) => ({
      catalog: leaking(catalog),
      index: leaking(index),
      changes: leaking(changes),
      exports: leaking(exports),
    }),
  })
  await api.publishExports()

  for (const path of [
    '/api/skills',
    '/api/v1/skills?ids=acme/pdf,acme/was-pdf,acme/none',
    '/api/v1/skills/acme/pdf',
    '/api/v1/skills/search?q=pdf&facets=topics&highlight=true&explain=true',
    '/api/v1/skills/suggest?q=pdf',
    '/agents',
    '/clawhub/api/v1/search?q=pdf',
    '/clawhub/api/v1/skills/pdf?ownerHandle=acme',
    '/agents/urn:air:skill-catalog.invalid:skills:acme:pdf',
    '/api/v1/stats',
    '/api/v1/changes',
    '/api/v1/exports',
    '/readyz',
    '/feed.atom',
    '/skills/acme/pdf',
  ]) {
    const { status, text } = await api.get(path)
    expect({ path, status, leaks: /contactEmail|eve@mail/.test(text) }).toEqual({ path, status: 200, leaks: false })
  }
})
