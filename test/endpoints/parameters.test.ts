import { describe, expect, test } from '@jest/globals'
import { endpoints } from '../../services/query/endpoints.js'
import { aSkill } from '../support/factories.js'
import { intercepted } from '../support/job-bench.js'
import { startTestApp, type TestApp } from '../support/test-app.js'
import { queryCases, segmentMessage } from './parameter-cases.js'
import { segmentCases } from './segment-cases.js'

/** @param path what will be asked for: files are written only where some are */
async function startWithOneSkill(path: string): Promise<TestApp> {
  const api = await startTestApp({ skills: [aSkill({ owner: 'acme', repo: 'pdf' })] })
  if (path.includes('export')) {
    await api.publishExports()
  }
  return api
}

/** The same port, which notes what it is asked. */
const told = <Port extends object>(port: Port, asked: string[]): Port =>
  intercepted(port, (name, call) => (...args) => {
    asked.push(name)
    return call(...args)
  })

/** Asks, and expects an answer. */
const expectTaken = async (api: TestApp, path: string, query: string) =>
  expect({ query, ...(await api.get(`${path}?${query}`)) }).toMatchObject({ query, status: 200 })

/** Asks, and expects a problem that names this parameter alone and says why. */
const expectRefused = async (api: TestApp, path: string, query: string, parameter: string, message: string) =>
  expect({ query, ...(await api.get(`${path}?${query}`)) }).toMatchObject({
    query,
    status: 400,
    headers: { 'content-type': 'application/problem+json' },
    body: { code: 'invalid_parameters', errors: [{ parameter, message }] },
  })

describe.each(Object.entries(queryCases))('%s', (path, { least, parameters, together = [], apart = [] }) => {
  test.each(Object.entries(parameters))(
    'takes %s as documented: valid, absent, empty, repeated, wrong, oversized',
    async (name, { valid, required, repeatable, wrong, oversized }) => {
      const api = await startWithOneSkill(path)
      const { [name]: _itself, ...others } = least
      const beside = new URLSearchParams(others).toString()
      const withValue = (...values: string[]) =>
        [beside, ...values.map((value) => `${name}=${value}`)].filter((pair) => pair !== '').join('&')

      for (const value of valid) {
        await expectTaken(api, path, withValue(value))
      }
      if (required === undefined) {
        await expectTaken(api, path, beside)
      } else {
        await expectRefused(api, path, beside, name, required)
      }
      const empty = required === undefined ? 'give it a value or leave it out.' : 'it is required and needs a value.'
      await expectRefused(api, path, withValue(''), name, `is empty: ${empty}`)
      await expectRefused(api, path, `${beside}&${name}`, name, `is empty: ${empty}`)
      for (const twice of [withValue(valid[0], valid[0]), withValue(valid[0], valid[1] ?? 'x')]) {
        await (repeatable
          ? expectTaken(api, path, twice)
          : expectRefused(api, path, twice, name, 'is given 2 times; give it once.'))
      }
      for (const [value, message] of [...wrong, ...oversized]) {
        await expectRefused(api, path, withValue(value), name, message)
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
    test('takes parameters together, or says which of them does not go with another', async () => {
      const api = await startWithOneSkill(path)

      for (const query of together) {
        await expectTaken(api, path, query)
      }
      for (const [query, parameter, message] of apart) {
        await expectRefused(api, path, query, parameter, message)
      }
    })
  }
})

/** Every path of every endpoint: as it is defined, and as it is asked for. */
const paths = endpoints.flatMap((endpoint) =>
  [endpoint.path, ...(endpoint.aliases ?? [])].map((path) => {
    const asked = path.replace(':owner', 'acme').replace(':repo', 'pdf').replace(':snapshot', 'x').replace(':file', 'x')
    return { path, asked, endpoint }
  }),
)

test.each(paths)(
  '$path refuses a parameter that it does not know, and lists those that it knows',
  async ({ asked }) => {
    const api = await startWithOneSkill(asked)
    const { least = {}, parameters = {} } = queryCases[asked] ?? {}
    const known = Object.keys(parameters)
    const misspelt = known.flatMap((name) => [`${name}s`, name.toUpperCase()])

    for (const name of ['topci', '__proto__', 'constructor', 'q[]', ...misspelt].filter(
      (each) => !known.includes(each),
    )) {
      const answer = await api.get(`${asked}?${new URLSearchParams({ ...least, [name]: 'pdf' })}`)
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
  },
)

test('the tables have every parameter of every path', () => {
  for (const { path, asked, endpoint } of paths) {
    expect({
      path,
      query: Object.keys(queryCases[asked]?.parameters ?? {}).sort(),
      segments: Object.keys(segmentCases[path] ?? {}).sort(),
    }).toEqual({
      path,
      query: Object.keys(endpoint.query.shape).sort(),
      segments: Object.keys(endpoint.params.shape).sort(),
    })
  }
})

describe.each(Object.entries(segmentCases))('%s', (_, segments) => {
  test.each(Object.entries(segments))(
    'takes %s as documented: valid, empty, wrong, oversized',
    async (name, { path, lookedUp, refused, oversized }) => {
      const api = await startWithOneSkill(path)

      for (const [value, status] of lookedUp) {
        expect({ value, status: (await api.get(path.replace('*', value))).status }).toEqual({ value, status })
      }
      for (const [value, status, code] of [...refused, ...oversized]) {
        const answer = await api.get(path.replace('*', value))
        expect({ value, ...answer }).toMatchObject({ value, status, body: { status, code } })
        if (code === 'invalid_parameters') {
          expect(answer.body).toMatchObject({ errors: [{ parameter: name, message: `${segmentMessage}.` }] })
        }
      }
    },
  )
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
  ['/api/skills?cursor=x&minStars=y&archived=z', ['cursor', 'archived', 'minStars']],
  ['/api/skills?page=501&minStars=y', ['minStars', 'page']],
  ['/api/skills?page=1001&limit=10&topci=x', ['topci', 'page']],
  ['/api/v1/skills/search?page=51&order=asc', ['q', 'order', 'page']],
  ['/api/v1/skills/search?q=&sort=size&order=asc&page=51', ['q', 'sort', 'page']],
])('what is wrong with several is told at once: %s', async (path, named) => {
  const api = await startTestApp()

  const { body } = await api.get(path)

  expect(Object(body).errors.map(({ parameter }: { parameter: string }) => parameter)).toEqual(named)
})

test('nothing is asked of any backend before every parameter has been found right', async () => {
  const asked: string[] = []
  const api = await startTestApp({
    replace: ({ catalog, index, changes, exports }) => ({
      catalog: told(catalog, asked),
      index: told(index, asked),
      changes: told(changes, asked),
      exports: told(exports, asked),
    }),
  })

  for (const [path, { least, parameters }] of Object.entries(queryCases)) {
    for (const [name, { wrong }] of Object.entries(parameters)) {
      const query = new URLSearchParams(Object.entries(least).filter(([other]) => other !== name))
      await api.get(`${path}?${query}&${name}=${wrong[0][0]}`)
    }
    await api.get(`${path}?topci=1`)
  }

  expect(asked).toEqual([])
})
