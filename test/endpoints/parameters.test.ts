import { describe, expect, test } from '@jest/globals'
import { endpoints } from '../../services/query/endpoints.js'
import { aSkill } from '../support/factories.js'
import { intercepted } from '../support/job-bench.js'
import { postBody, sharedTestApp, startTestApp, type TestApp, type TestResponse } from '../support/test-app.js'
import { queryCases, segmentMessage } from './parameter-cases.js'
import { segmentCases } from './segment-cases.js'

const shared = sharedTestApp({ skills: [aSkill({ owner: 'acme', repo: 'pdf', topics: ['pdf'] })] }, (api) =>
  api.publishExports(),
)

/** The same port, which records the calls. */
const recordingCalls = <Port extends object>(port: Port, requested: string[]): Port =>
  intercepted(port, (name, call) => (...args) => {
    requested.push(name)
    return call(...args)
  })

/** Sends a request and expects a success. */
const expectTaken = async (api: TestApp, path: string, query: string) =>
  expect({ query, ...(await api.get(`${path}?${query}`)) }).toMatchObject({ query, status: 200 })

/** Sends a request and expects a problem with exactly this parameter and message. */
const expectRefused = async (api: TestApp, path: string, query: string, parameter: string, message: string) =>
  expect({ query, ...(await api.get(`${path}?${query}`)) }).toMatchObject({
    query,
    status: 400,
    headers: { 'content-type': 'application/problem+json' },
    body: { code: 'invalid_parameters', errors: [{ parameter, message }] },
  })

/** Every path of every endpoint, as defined and as requested. */
const paths = endpoints.flatMap((endpoint) =>
  [endpoint.path, ...(endpoint.aliases ?? [])].map((path) => {
    const requested = path
      .replace(':owner', 'acme')
      .replace(':repo', 'pdf')
      .replace(':snapshot', 'x')
      .replace(':file', 'x')
      .replace(':slug', 'pdf')
      .replace(':topic', 'pdf')
    return { path, requested, endpoint }
  }),
)

/** The other paths of an endpoint, as defined and as requested. */
const aliases = new Set(
  paths.flatMap(({ path, requested, endpoint }) => (path === endpoint.path ? [] : [path, requested])),
)

/** The first of these values shows that another path of an endpoint leads to it, which all of them are given to. */
const some = <T>(path: string, values: T[]): T[] => (aliases.has(path) ? values.slice(0, 1) : values)

describe.each(Object.entries(queryCases))('%s', (path, { least, parameters, together = [], apart = [] }) => {
  test.each(Object.entries(parameters))(
    'takes %s as documented: valid, absent, empty, repeated, wrong, oversized',
    async (name, { valid, required, repeatable, formField, wrong, oversized }) => {
      const api = shared()
      const { [name]: _itself, ...others } = least
      const otherParameters = new URLSearchParams(others).toString()
      const withValue = (...values: string[]) =>
        [otherParameters, ...values.map((value) => `${name}=${value}`)].filter((pair) => pair !== '').join('&')

      for (const value of some(path, valid)) {
        await expectTaken(api, path, withValue(value))
      }
      if (required === undefined) {
        await expectTaken(api, path, otherParameters)
      } else {
        await expectRefused(api, path, otherParameters, name, required)
      }
      const empty = required === undefined ? 'give it a value or omit it.' : 'it is required and needs a value.'
      for (const query of [withValue(''), `${otherParameters}&${name}`]) {
        await (formField ? expectTaken(api, path, query) : expectRefused(api, path, query, name, `is empty: ${empty}`))
      }
      for (const twice of [withValue(valid[0], valid[0]), withValue(valid[0], valid[1] ?? 'x')]) {
        await (repeatable
          ? expectTaken(api, path, twice)
          : expectRefused(api, path, twice, name, 'is given 2 times; give it once.'))
      }
      for (const [value, message] of some(path, [...wrong, ...oversized])) {
        // Spaces in a field of a form are as good as nothing.
        await (formField && /^(?:%20)+$/.test(value)
          ? expectTaken(api, path, withValue(value))
          : expectRefused(api, path, withValue(value), name, message))
      }
      await expectRefused(
        api,
        path,
        withValue('%FF'),
        name,
        'is not valid percent-encoded UTF-8; write a literal % as %25.',
      )
    },
  )

  if (together.length + apart.length > 0) {
    test('takes parameters together, or names the one that cannot be combined', async () => {
      const api = shared()

      for (const query of some(path, together)) {
        await expectTaken(api, path, query)
      }
      for (const [query, parameter, message] of some(path, apart)) {
        await expectRefused(api, path, query, parameter, message)
      }
    })
  }
})

const ofApi = paths.filter(({ path, endpoint }) => /^\/(?:api|mcp)/.test(path) && !endpoint.ignoresUnknown)

test.each(ofApi)('$path refuses an unknown parameter, and lists the known ones', async ({ requested, endpoint }) => {
  const api = shared()
  const { least = {}, parameters = {} } = queryCases[requested] ?? {}
  const known = Object.keys(parameters)
  const misspelt = known.flatMap((name) => [`${name}s`, name.toUpperCase()])

  for (const name of ['topci', '__proto__', 'constructor', 'q[]', ...misspelt].filter(
    (each) => !known.includes(each),
  )) {
    const [method = 'GET'] = endpoint.methods ?? []
    const address = `${requested}?${new URLSearchParams({ ...least, [name]: 'pdf' })}`
    const answer = await api.send(method, address, { 'Content-Type': 'application/json' })
    expect({ name, ...answer }).toMatchObject({
      name,
      status: 400,
      body: {
        errors: [{ parameter: name, message: expect.stringMatching(/^is not known: this endpoint takes .+\.$/) }],
      },
    })
    const [, listed = ''] = /takes (.+)\.$/.exec(Object(answer.body).errors[0].message) ?? []
    expect(listed.split(', ').sort()).toEqual((known.length === 0 ? ['no parameters'] : known).sort())
  }
})

const others = paths.filter((each) => !ofApi.includes(each))

describe.each(others)(
  '$path ignores unknown parameters, of mail and advertising for instance',
  ({ requested, endpoint }) => {
    test.each(['text/html', 'application/json', '*/*'])('as %s', async (Accept) => {
      const api = shared()
      const [method = 'GET'] = endpoint.methods ?? []
      const least = String(new URLSearchParams(queryCases[requested]?.least))
      const plain = await api.send(method, `${requested}?${least}`, { Accept })

      for (const query of [
        'utm_source=news&utm_source=mail&utm_campaign=100%',
        'fbclid=IwAR0&gclid=&msclkid',
        '?=&=&&%&%FF=%FF&__proto__=x&constructor=y&q[]=z&topci=pdf',
        Array.from({ length: 300 }, (_, place) => `a${place}=${place}`).join('&'),
      ]) {
        const tracked = await api.send(method, `${requested}?${query}&${least}`, { Accept })
        expect({ query, status: tracked.status, text: withoutId(tracked) }).toEqual({
          query,
          status: plain.status,
          text: withoutId(plain),
        })
        for (const name of ['etag', 'cache-control', 'vary', 'link', 'location']) {
          expect([name, tracked.headers[name]]).toEqual([name, plain.headers[name]])
        }
      }
    })
  },
)

/** The text of an answer, without the id of its request. */
const withoutId = ({ text, headers }: TestResponse): string => text.replaceAll(String(headers['x-request-id']), '')

test('the address of a page without unknown parameters is its canonical one', async () => {
  const api = shared()
  const Accept = 'text/html'

  for (const [asked, canonical] of [
    ['/?utm_source=x&q=pdf&fbclid=y&topic=a&topic=b&page=1&license=', '/?q=pdf&topic=a&topic=b'],
    ['/?gclid=x', '/'],
    ['/topics/pdf?utm_source=x&sort=name&page=1', '/topics/pdf?sort=name'],
    ['/organizations/ACME?utm_medium=x', '/organizations/acme'],
    ['/skills/Acme/PDF?utm_source=x', '/skills/acme/pdf'],
    ['/statistics?utm_source=x', '/statistics'],
    ['/dataset?utm_source=x', '/dataset'],
    ['/docs?utm_source=x', '/docs'],
    ['/docs/errors?utm_source=x', '/docs/errors'],
  ] as const) {
    const { status, text } = await api.get(asked, { Accept })
    const [, address] = /<link rel="canonical" href="([^"]*)"/.exec(text) ?? []
    expect({ asked, status, address: address?.replaceAll('&amp;', '&') }).toEqual({
      asked,
      status: 200,
      address: `${api.url}${canonical}`,
    })
    expect(text).not.toMatch(/utm_|fbclid|gclid/)
  }
})

test.each([
  ['/topics/pdf/?utm_source=x&sort=name&100%', '/topics/pdf?sort=name'],
  ['/feed.atom/?utm_source=x', '/feed.atom'],
  // Of the API, everything is kept, and refused there.
  ['/api/skills/?topci=pdf', '/api/skills?topci=pdf'],
])('the redirect from %s keeps what is known', async (asked, target) => {
  expect(await shared().get(asked)).toMatchObject({ status: 308, headers: { location: target } })
})

test('a renamed skill is found through a tracked link', async () => {
  const api = await startTestApp({ skills: [aSkill({ owner: 'acme', repo: 'new', formerIds: ['acme/old'] })] })

  expect(await api.get('/skills/acme/old?utm_source=x')).toMatchObject({
    status: 308,
    headers: { location: '/skills/acme/new' },
  })
})

test('parameter-cases.ts and segment-cases.ts have every parameter', () => {
  for (const { path, requested, endpoint } of paths) {
    expect({
      path,
      query: Object.keys(queryCases[requested]?.parameters ?? {}).sort(),
      segments: Object.keys(segmentCases[path] ?? {}).sort(),
    }).toEqual({
      path,
      query: Object.keys(endpoint.query.shape).sort(),
      segments: Object.keys(endpoint.params.shape).sort(),
    })
  }
})

describe.each(Object.entries(segmentCases))('%s', (endpointPath, segments) => {
  test.each(Object.entries(segments))(
    'takes %s as documented: valid, empty, wrong, oversized',
    async (name, { path, lookedUp, refused, oversized, message = segmentMessage }) => {
      const api = shared()

      for (const [value, status] of some(endpointPath, lookedUp)) {
        expect({ value, status: (await api.get(path.replace('*', value))).status }).toEqual({ value, status })
      }
      for (const [value, status, code] of some(endpointPath, [...refused, ...oversized])) {
        const answer = await api.get(path.replace('*', value))
        expect({ value, ...answer }).toMatchObject({ value, status, body: { status, code } })
        if (code === 'invalid_parameters') {
          expect(answer.body).toMatchObject({ errors: [{ parameter: name, message: `${message}.` }] })
        }
      }
    },
  )
})

test.each([
  [
    '/api/v1/skills?limit=0&sort=&order=up&topic=%FF&minStars=x&topci=pdf&page=0',
    ['topic', 'sort', 'topci', 'limit', 'page', 'order', 'minStars'],
  ],
  ['/api/skills?cursor=x&minStars=y&archived=z', ['cursor', 'archived', 'minStars']],
  ['/api/v1/skills?updatedSince=2026-01-01&ids=acme/one&topic=a&topic=b&fields=name', ['updatedSince', 'topic']],
  ['/api/skills?page=501&minStars=y', ['minStars', 'page']],
  ['/api/skills?page=1001&limit=10&topci=x', ['topci', 'page']],
  ['/api/v1/skills/search?page=51&order=asc', ['q', 'order', 'page']],
  ['/api/v1/skills/search?q=&sort=size&order=asc&page=51', ['q', 'sort', 'page']],
])('all invalid parameters are listed at once, in the errors and in the detail: %s', async (path, named) => {
  const { body } = await shared().get(path)

  expect(Object(body).errors.map(({ parameter }: { parameter: string }) => parameter)).toEqual(named)
  for (const name of named) {
    expect(body).toMatchObject({ detail: expect.stringContaining(`${name}: `) })
  }
})

test('no backend is called before every parameter is validated', async () => {
  const requested: string[] = []
  const api = await startTestApp({
    replace: ({ catalog, index, changes, exports }) => ({
      catalog: recordingCalls(catalog, requested),
      index: recordingCalls(index, requested),
      changes: recordingCalls(changes, requested),
      exports: recordingCalls(exports, requested),
    }),
  })

  for (const [path, { least, parameters }] of Object.entries(queryCases)) {
    for (const [name, { wrong }] of Object.entries(parameters)) {
      const query = new URLSearchParams(Object.entries(least).filter(([other]) => other !== name))
      await api.get(`${path}?${query}&${name}=${wrong[0][0]}`)
    }
    if (path.startsWith('/api/')) {
      await api.get(`${path}?topci=1`)
    }
  }
  await api.get('/api/skills/a%20b/pdf')
  await api.get('/agents/pdf')
  await postBody(`${api.url}/api/v1/resolve`, { skills: 'acme/pdf' })

  expect(requested).toEqual([])
})
