import { beforeAll, describe, expect, test } from '@jest/globals'
import { unpublished } from '../equality/catalog.js'
import type { ServedMode } from '../equality/two-modes.js'
import { sendTo, type TestResponse } from '../support/test-app.js'
import { endpoints, json, ofTheService, others } from './convention-cases.js'
import { type Document, documented, lowerCase, namedHeaders, sentHeaders, templateFor } from './openapi-document.js'

/** Paths whose responses come from the stores; the others are the same in every mode. */
const fromStores = (path: string): boolean =>
  /^\/(?:api|agents|clawhub|skills|organizations|topics|statistics|dataset|feed|sitemap)/.test(path)

/**
 * Defines the tests of the conventions of every endpoint, for one mode.
 *
 * @param isFirst false: another mode has shown what one layer does for any endpoint, such as tags, encodings and HEAD;
 * then only endpoints whose responses come from the stores are tested
 */
export function conventions(served: () => ServedMode, isFirst = true): void {
  const send = (method: string, path: string, headers?: Record<string, string>) =>
    sendTo(served().url, method, path, headers)

  let document: Document
  beforeAll(async () => {
    document = (await send('GET', '/openapi.json')).body as Document
  })

  describe.each(endpoints.filter(([path]) => isFirst || fromStores(path)))('%s', (path, contentType, cacheControl) => {
    let got: TestResponse
    beforeAll(async () => {
      got = await send('GET', path)
    })

    test('has its media type, cache lifetime and licence', () => {
      const { status, headers } = got

      expect(status).toBe(200)
      expect(headers).toMatchObject({ 'content-type': contentType, 'cache-control': cacheControl })
      // Only the first page has a next one.
      expect(headers['vary']).toBe(path === '/' ? 'Accept-Encoding, Accept' : 'Accept-Encoding')
      // A text has the licence of its skill.
      const license = path.endsWith('/SKILL.md') ? 'spdx.org/licenses/MIT.html' : 'creativecommons.org/licenses/by/4.0/'
      expect(headers['link']).toContain(`<https://${license}>; rel="license"`)
      if (path.startsWith('/api/')) {
        expect(headers['content-security-policy']).toBe("default-src 'none';frame-ancestors 'none'")
      }
    })

    if (path.startsWith('/api/')) {
      test('names are in camelCase, times in UTC with milliseconds, lists never null, and nothing private', () => {
        expect(breaches(got.body)).toEqual([])
        expect(got.text).not.toContain(unpublished)
      })
    }

    test('keeps the conventions of every response, and has exactly the documented headers', () => {
      expectCommonHeaders(got)
      const template = templateFor(document.paths, path) ?? ''
      expect(sentHeaders(got)).toEqual(namedHeaders(documented(document, template, got)))
    })

    if (!isFirst) {
      return
    }

    test.each(['identity', 'gzip', 'br'])('as %s has a tag of its bytes, and is a 304 with it', async (encoding) => {
      const accept = { 'Accept-Encoding': encoding }
      const { headers, text, bytes } = await send('GET', path, accept)

      const packed = encoding !== 'identity' && Buffer.byteLength(text) >= 1_024
      expect(headers['content-encoding']).toBe(packed ? encoding : undefined)
      // An answer to a search says how long it took.
      expect(path.includes('search') || text === got.text).toBe(true)
      // A search says how long it took, so that equal answers differ in bytes.
      expect(headers['etag']).toMatch(path.includes('/skills/search?') ? /^W\/"[\w-]+"$/ : /^"[\w-]+"$/)
      expect(headers['etag'] === got.headers['etag']).toBe(!packed)
      const opaque = String(headers['etag']).replace(/^W\//, '')
      const again = await send('GET', path, { ...accept, 'If-None-Match': `"other", W/${opaque}` })
      expect(again).toMatchObject({ status: 304, text: '' })
      for (const [method, value] of [
        ['GET', opaque],
        ['HEAD', '*'],
      ] as const) {
        expect((await send(method, path, { ...accept, 'If-None-Match': value })).status).toBe(304)
      }
      const other = await send('GET', path, { ...accept, 'If-None-Match': '"other"' })
      expect(other.status).toBe(200)
      const isSameTag = other.headers['etag'] === headers['etag'] && opaque === headers['etag']
      expect(isSameTag && !other.bytes.equals(bytes)).toBe(false)
      for (const name of ['etag', 'cache-control', 'vary', 'link', 'ratelimit-policy']) {
        expect([name, again.headers[name]]).toEqual([name, headers[name]])
      }
    })

    test('answers HEAD with the same headers and no body', async () => {
      const head = await send('HEAD', path)

      expect(head).toMatchObject({ status: 200, text: '' })
      expect(Object.keys(head.headers).sort()).toEqual(Object.keys(got.headers).sort())
      // The duration of a search is in the body, and may add a byte.
      const measured = path.includes('search') ? [] : ['content-length']
      for (const name of ['etag', 'content-type', 'cache-control', 'vary', 'link', ...measured]) {
        expect([name, head.headers[name]]).toEqual([name, got.headers[name]])
      }
    })

    test('is read-only, and says so', async () => {
      // A search is also asked for by POST.
      const allow = path.startsWith('/api/v1/skills/search') ? 'GET, HEAD, POST, OPTIONS' : 'GET, HEAD, OPTIONS'
      const method = allow.includes('POST') ? 'PUT' : 'POST'
      expect(await send(method, path)).toMatchObject({ status: 405, headers: { allow } })
      expect(await send('OPTIONS', path)).toMatchObject({ status: 204, headers: { allow } })
    })
  })

  test('every path but files of snapshots is in convention-cases.ts', () => {
    const { paths } = document
    // One endpoint answers with nothing but redirects, and others are asked by POST only.
    const apart = others.flatMap(([method, path, status]) => (status === 308 || method === 'POST' ? [path] : []))
    const asked = new Set([...endpoints.map(([path]) => path), ...apart].map((path) => templateFor(paths, path)))

    expect(Object.keys(paths).filter((template) => !asked.has(template))).toEqual(
      ['manifest.json', 'manifest.json.minisig', '{table}.parquet', 'catalog.sqlite', '{file}'].map(
        (file) => `/api/v1/exports/{snapshot}/${file}`,
      ),
    )
  })

  test.each(others.map(([method, path, status]) => ({ method, path, status, shown: path.slice(0, 60) })))(
    '$method $shown keeps the conventions of every response',
    async ({ method, path, status }) => {
      const answer = await send(method, path)

      expect(answer.status).toBe(status)
      expectCommonHeaders(answer)
      if (status >= 300) {
        expect(answer.headers['content-type']).toBe('application/problem+json')
        expect(answer.body).toMatchObject({
          type: `/docs/errors#${Object(answer.body).code}`,
          title: expect.any(String),
          status,
          detail: expect.any(String),
          instance: path.replace(/\?.*/s, ''),
          code: expect.stringMatching(/^[a-z]+(_[a-z]+)*$/),
          requestId: answer.headers['x-request-id'],
        })
        // The name of a public file, in the list of paths.
        expect(answer.text.replaceAll('/catalog.sqlite', '')).not.toMatch(
          /stack|node_modules|\.ts\b|\.js\b|127\.0\.0\.1|sqlite|mongo|meili|redis/i,
        )
      }
    },
  )

  test('the parts of a page are not rate limited and keep the other conventions', async () => {
    const files = {
      '/docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
      '/docs/openapi.json': json,
      '/favicon.ico': 'image/svg+xml',
    }
    for (const [path, type] of Object.entries(files)) {
      const answer = await send('GET', path)
      expect({ path, status: answer.status }).toEqual({ path, status: 200 })
      expect(answer.headers).toMatchObject({ 'content-type': type, 'cache-control': ofTheService })
      expectOpenAndSafe(answer)
      expect(Object.keys(answer.headers).filter((name) => name.includes('ratelimit'))).toEqual([])
    }
  })

  test('health is not rate limited and keeps the other conventions', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const answer = await send('GET', path)
      expect({ path, status: answer.status }).toEqual({ path, status: 200 })
      expect(answer.headers).toMatchObject({ 'content-type': json, 'cache-control': 'no-store' })
      expectOpenAndSafe(answer)
      expect(Object.keys(answer.headers).filter((name) => name.includes('ratelimit'))).toEqual([])
    }
  })
}

/** Headers of the API that must be exposed to pages of other origins. */
const apiHeaders = [
  ...['X-Request-Id', 'ETag', 'Link', 'Vary', 'Age', 'Allow', 'Accept', 'Location', 'Retry-After', 'Repr-Digest'],
  ...['RateLimit-Policy', 'RateLimit', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  ...['Cache-Control', 'Content-Disposition', 'Content-Length', 'Content-Range', 'Content-Encoding', 'Last-Modified'],
  ...['Accept-Ranges', 'X-Total-Count', 'X-Export-Count', 'X-Export-Truncated', 'Server-Timing'],
]

/** What is on every answer. */
function expectOpenAndSafe(answer: TestResponse): void {
  const { headers } = answer
  expect(headers).toMatchObject({
    'x-request-id': expect.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
    'cross-origin-resource-policy': 'cross-origin',
  })
  const exposed = String(headers['access-control-expose-headers']).split(',')
  expect(exposed).toEqual(expect.arrayContaining(apiHeaders))
  expect(sentHeaders(answer).filter((name) => !lowerCase(exposed).includes(name))).toEqual([])
  expect(headers).not.toHaveProperty('access-control-allow-credentials')
  expect(headers).not.toHaveProperty('x-powered-by')
  expect(headers).not.toHaveProperty('server')
}

/** What is on every answer that is counted against the limits. */
function expectCommonHeaders(answer: TestResponse): void {
  expectOpenAndSafe(answer)
  expect(answer.headers).toMatchObject({
    'ratelimit-policy': expect.stringMatching(/^"default";q=\d+;w=60(, "export";q=\d+;w=60)?$/),
    ratelimit: expect.stringMatching(/^"(default|export)";r=\d+;t=\d+$/),
    'x-ratelimit-limit': expect.stringMatching(/^\d+$/),
    'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
    'x-ratelimit-reset': expect.stringMatching(/^\d{10}$/),
  })
}

/** Members that hold lists: they are never null. */
const lists = new Set(['data', 'topics', 'topTopics', 'topOrganizations', 'files', 'missing'])

/** What of a body is not as every body is. */
function breaches(value: unknown, path = '$'): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((member, at) => breaches(member, `${path}[${at}]`))
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, member]) => [
      ...(/^[a-z][A-Za-z0-9]*$/.test(name) ? [] : [`${path}.${name} is not in camelCase`]),
      ...(lists.has(name) && member === null ? [`${path}.${name} is null`] : []),
      ...(/(At|Since)$/.test(name) && !isTime(member) ? [`${path}.${name} is no time: ${String(member)}`] : []),
      ...breaches(member, `${path}.${name}`),
    ])
  }
  return []
}

const isTime = (value: unknown): boolean =>
  // A position among the changes is no time.
  value === null || typeof value === 'number' || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value))
