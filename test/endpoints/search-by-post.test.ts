import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { exchange } from '../support/raw-exchange.js'
import { postBody, sharedTestApp, startTestApp } from '../support/test-app.js'
import { queryCases } from './parameter-cases.js'

const path = '/api/v1/skills/search'
const json = { 'Content-Type': 'application/json' }

const api = sharedTestApp({ sample: true })

const post = (body: unknown, headers?: Record<string, string>, query = '') =>
  postBody(`${api().url}${path}${query}`, body, headers)

const get = (query: string) => api().get(`${path}?${query}`)

/** What an answer says apart from how long it took. */
const withoutTime = (body: unknown): object => ({ ...Object(body), tookMs: 0 })

describe('the answer is that of a GET with the same parameters', () => {
  test.each<[body: object, query: string]>([
    [{ q: 'pdf table' }, 'q=pdf+table'],
    [{ q: 'pdf', limit: 3, page: 2, minStars: 10, archived: false }, 'q=pdf&limit=3&page=2&minStars=10&archived=false'],
    [{ q: 'pdf', topic: ['pdf'], facets: ['topics', 'license'] }, 'q=pdf&topic=pdf&facets=topics,license'],
    [
      { q: 'pdf', facets: 'topics,license', fields: ['name', 'stars'] },
      'q=pdf&facets=topics,license&fields=name,stars',
    ],
    [{ q: 'pdf', limit: '2', highlight: 'true', explain: true }, 'q=pdf&limit=2&highlight=true&explain=true'],
    [{ q: 'pdf', owner: null, topic: [], sort: 'stars', order: 'asc' }, 'q=pdf&sort=stars&order=asc'],
  ])('%j', async (body, query) => {
    const [byPost, byGet] = [await post(body), await get(query)]

    expect(byPost.status).toBe(200)
    expect(withoutTime(byPost.body)).toEqual(withoutTime(byGet.body))
  })

  const { least, parameters } = queryCases[path] ?? { least: {}, parameters: {} }
  const decoded = (value: string): string | null => {
    try {
      return decodeURIComponent(value.replaceAll('+', ' '))
    } catch {
      return null
    }
  }

  test.each(Object.entries(parameters))(
    '%s as text, with the same errors',
    async (name, { valid, wrong, oversized }) => {
      const refusals = [...wrong, ...oversized].map(
        ([value, message]) => [value, [{ parameter: name, message }]] as const,
      )
      for (const [value, errors] of [...valid.map((value) => [value, undefined] as const), ...refusals]) {
        const text = decoded(value)
        if (text !== null) {
          const { status, body } = await post({ ...least, [name]: text })
          expect({ text, status, errors: body.errors }).toEqual({ text, status: errors ? 400 : 200, errors })
        }
      }
    },
  )
})

describe('an unusable body is refused, with what to do', () => {
  const asObject = 'send the parameters as an object such as {"q": "pdf table"}.'

  test.each<[body: string | object, errors: Record<string, unknown>]>([
    ['', { body: `is empty: ${asObject}` }],
    ['{"q":"pdf', { body: `is not valid JSON: ${asObject}` }],
    ['q=pdf', { body: `is not valid JSON: ${asObject}` }],
    ['['.repeat(30_000), { body: `is not valid JSON: ${asObject}` }],
    ['["pdf"]', { body: `is JSON, but not an object: ${asObject}` }],
    ['null', { body: `is JSON, but not an object: ${asObject}` }],
    [{}, { q: 'is required: give the words to search for.' }],
    [{ q: null }, { q: 'is required: give the words to search for.' }],
    [{ q: 5 }, { q: 'is 5, not text: write it in quotes.' }],
    [{ q: ['pdf'] }, { q: 'is a list: give one value.' }],
    [{ q: { text: 'pdf' } }, { q: 'is not text, a number, true or false: give one of these.' }],
    [{ q: 'pdf', topic: [['pdf']] }, { topic: 'is not text, a number, true or false: give one of these.' }],
    [{ q: 'pdf', topic: ['pdf', 1] }, { topic: 'is 1, not text: write it in quotes.' }],
    [{ q: 'pdf', limit: 1.5 }, { limit: 'must be a whole number from 1 to 100.' }],
    [{ q: 'pdf', limit: [1] }, { limit: 'is a list: give one value.' }],
    [{ q: 'pdf', fold: 1 }, { fold: 'must be true or false.' }],
    [{ q: 'pdf', facets: ['stars'] }, { facets: expect.stringMatching(/^must be a comma list of topics, owner/) }],
    ['{"q":"pdf","__proto__":1}', { __proto__: 1 }],
    [{ q: 'pdf', colour: 'red' }, { colour: expect.stringMatching(/^is not known: this endpoint takes q, limit, /) }],
    [{ q: 'pdf', fields: Array(101).fill('name') }, { '*': 'has 102 parameters: send at most 100.' }],
    [
      { limit: 0, sort: 'size' },
      { q: expect.any(String), limit: expect.any(String), sort: expect.any(String) },
    ],
  ])('%.60j', async (sent, errors) => {
    const { status, body } = await post(sent)

    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_parameters' })
    const named = new Map(body.errors.map(({ parameter, message }: Record<string, string>) => [parameter, message]))
    expect([...named.keys()].sort()).toEqual(
      (Object.keys(errors).length === 0 ? ['__proto__'] : Object.keys(errors)).sort(),
    )
    for (const [parameter, message] of Object.entries(errors)) {
      expect(named.get(parameter)).toEqual(message)
    }
  })

  test('parameters in the URL as well', async () => {
    expect(await post({ q: 'pdf' }, json, '?q=pdf&limit=1&limit=2&%FF')).toMatchObject({
      status: 400,
      body: {
        errors: ['q', 'limit', '\ufffd'].map((parameter) => ({
          parameter,
          message: 'is in the URL: put it into the body.',
        })),
      },
    })
  })

  test.each<[headers: Record<string, string>, status: number]>([
    [{ 'Content-Type': 'application/json; charset=utf-8' }, 200],
    [{ 'Content-Type': 'Application/JSON;charset="UTF-8"' }, 200],
    [{ ...json, 'Content-Encoding': 'identity' }, 200],
    [{}, 415],
    [{ 'Content-Type': 'text/plain' }, 415],
    [{ 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
    [{ 'Content-Type': 'application/json; charset=iso-8859-1' }, 415],
    [{ 'Content-Type': 'application/jsonx' }, 415],
    [{ ...json, 'Content-Encoding': 'gzip' }, 415],
  ])('sent as %j: %i', async (headers, status) => {
    const { status: answered, body, headers: sent } = await post(Buffer.from('{"q":"pdf"}'), headers)

    expect(answered).toBe(status)
    if (status === 415) {
      expect(sent).toMatchObject({ accept: 'application/json', 'content-type': 'application/problem+json' })
      expect(body).toMatchObject({
        code: 'unsupported_media_type',
        detail: expect.stringContaining('Content-Type: application/json'),
      })
    }
  })

  test('bytes that are not UTF-8, and more than 32 KiB', async () => {
    expect(await post(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).toMatchObject({
      status: 400,
      body: { code: 'malformed_request', detail: expect.stringContaining('UTF-8') },
    })
    expect(await post({ q: 'a'.repeat(32_768) })).toMatchObject({
      status: 413,
      body: { code: 'body_too_large', detail: expect.stringContaining('32768 bytes') },
    })
    const chunked = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    expect(await exchange(api().url, `${chunked}9000\r\n${' '.repeat(0x90_00)}`)).toMatchObject({ status: 413 })
  })
})

describe('up to 2,000 characters', () => {
  const task = 'Extract the tables of our scanned invoices as CSV. '.repeat(40).slice(0, 2_000)

  test.each(['表', 'é', '😀', '\\u8868'])('of %s by POST; one more is refused', async (character) => {
    const body = (count: number) => `{"q":"${character.repeat(count)}"}`

    expect((await post(body(2_000))).status).toBe(200)
    expect(await post(body(2_001))).toMatchObject({
      status: 400,
      body: { errors: [{ parameter: 'q', message: 'is longer than 2000 characters: shorten it.' }] },
    })
  })

  test('a URL has up to 8,000 characters; the answer to a longer one names POST', async () => {
    // Spaces around a text are no part of it.
    const ofLength = (length: number) => `${path}?q=pdf`.padEnd(length, '+')

    expect((await get(`q=${'%E8%A1%A8'.repeat(880)}`)).status).toBe(200)
    expect((await api().get(ofLength(8_000))).status).toBe(200)
    expect(await api().get(ofLength(8_001))).toMatchObject({
      status: 414,
      body: {
        code: 'url_too_long',
        detail: expect.stringMatching(/longer than 8000 .* as JSON, by POST to this path/),
      },
    })
    expect(await api().get(ofLength(18_000))).toMatchObject({
      status: 431,
      body: { code: 'headers_too_large', detail: expect.stringContaining(`as JSON, by POST to ${path}`) },
    })
    expect(await api().get('/api/skills?owner='.padEnd(8_001, 'a'))).toMatchObject({
      status: 414,
      body: { detail: 'The path and query are longer than 8000 characters. Shorten them.' },
    })
  })

  test('the next page is linked by an address of GET that is not too long for proxies, or not at all', async () => {
    const { headers } = await post({ q: 'pdf', limit: 2, facets: ['owner', 'license'] })
    const [, next = ''] = /<([^>]*)>; rel="next"/.exec(String(headers['link'])) ?? []
    const second = await api().get(next.slice(api().url.length))

    expect(second).toMatchObject({ status: 200, body: { pagination: { page: 2, limit: 2 } } })
    expect((await post({ q: task, limit: 1 })).headers['link']).not.toContain('next')
    expect(Object((await post({ q: task, limit: 1, page: 2 })).body).pagination.page).toBe(2)
  })
})

test('caches do not keep it, and conditions do not apply', async () => {
  const { status, headers } = await post({ q: 'pdf' }, { ...json, 'If-None-Match': '*' })

  expect({ status, headers }).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
  expect(headers).not.toHaveProperty('etag')
})

test('it is counted, and the text is not logged', async () => {
  const app = await startTestApp({ skills: [aSkill()], config: { rateLimitPerMinute: 2 } })
  const send = () => postBody(`${app.url}${path}`, { q: 'kumquat secret' })

  expect([await send(), await send(), await send()].map(({ status }) => status)).toEqual([200, 200, 429])
  expect(app.logLines).toContainEqual(
    expect.objectContaining({ method: 'POST', endpoint: 'search-skills', status: 200 }),
  )
  expect(JSON.stringify(app.logLines)).not.toContain('kumquat')
})

test.each(['GET', 'POST'])('pages of any origin may send it by %s, and keep that they may', async (method) => {
  const asked = 'content-type, if-none-match, x-request-id'
  const preflight = await api().send('OPTIONS', path, {
    Origin: 'https://page.example',
    'Access-Control-Request-Method': method,
    'Access-Control-Request-Headers': asked,
  })

  expect(preflight).toMatchObject({
    status: 204,
    text: '',
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET,HEAD,POST,OPTIONS',
      'access-control-allow-headers': asked,
      'access-control-max-age': '86400',
    },
  })
})

test('a page in a file may send it', async () => {
  expect(await post({ q: 'pdf' }, { ...json, Origin: 'null' })).toMatchObject({
    status: 200,
    headers: { 'access-control-allow-origin': '*' },
  })
})
