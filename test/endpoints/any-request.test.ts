import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { aSkill } from '../support/factories.js'
import { exchange } from '../support/raw-exchange.js'
import { startTestApp } from '../support/test-app.js'

/** Parts of URLs, valid and invalid. */
const piece = fc.oneof(
  fc.constantFrom('/', '//', '.', '..', '%', '%2e', '%2f', '%00', '%ff', '%0d%0a', '?', '&', '=', '#', ';', '+', '\\'),
  fc.constantFrom(
    'api',
    'v1',
    'skills',
    'search',
    'suggest',
    'stats',
    'export',
    'exports',
    'changes',
    'docs',
    'acme',
    'agents',
    'explore',
  ),
  fc.constantFrom('q', 'limit', 'page', 'cursor', 'sort', 'topic', 'ids', 'fields', 'since', 'type', '__proto__'),
  fc.string({ unit: 'binary-ascii', maxLength: 6 }),
  fc.integer().map(String),
)

const target = fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join('')}`)

const headerName = fc.constantFrom(
  ...['Accept', 'Accept-Encoding', 'If-None-Match', 'If-Modified-Since', 'If-Range', 'Range', 'X-Request-Id', 'Origin'],
  ...['X-Forwarded-For', 'Content-Length', 'Transfer-Encoding', 'Expect', 'Upgrade', 'Host', 'Cookie', 'X-Any'],
)
const headerValue = fc.oneof(
  fc.constantFrom('*', '"a"', 'W/"a", "b"', 'bytes=0-0', 'br;q=0', 'text/html', '100-continue', 'chunked', '1', ''),
  fc.string({ unit: 'binary-ascii', maxLength: 12 }),
)
const method = fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'TRACE', 'PROPFIND', 'NONSENSE')

test('any request gets a well-formed response, never an internal error', async () => {
  const api = await startTestApp({ skills: [aSkill({ repo: 'pdf' })] })
  await api.publishExports()

  await fc.assert(
    fc.asyncProperty(
      method,
      target,
      fc.array(fc.tuple(headerName, headerValue), { maxLength: 5 }),
      async (...given) => {
        const [verb, path, headers] = given
        const lines = [`${verb} ${path} HTTP/1.1`, 'Host: x', ...headers.map(([name, value]) => `${name}: ${value}`)]
        const bytes = Buffer.from([...lines, 'Connection: close', '', ''].join('\r\n'), 'latin1')

        const { status, head, body } = await exchange(api.url, bytes)

        expect(status).toBeGreaterThanOrEqual(200)
        expect(status).toBeLessThan(500)
        expect(head).toMatch(/^X-Request-Id: [A-Za-z0-9_-]{1,64}\r?$/im)
        expect(head).toMatch(/^X-Content-Type-Options: nosniff\r?$/im)
        const isPage = /^Content-Type: text\/html/im.test(head)
        if (status >= 400 && isPage) {
          // Only for a client that prefers pages.
          expect(headers).toContainEqual(['Accept', 'text/html'])
        } else if (status >= 400) {
          expect(head).toMatch(/^Content-Type: application\/problem\+json\r?$/im)
          if (verb !== 'HEAD' && !/^Content-Encoding/im.test(head)) {
            expect(JSON.parse(body)).toMatchObject({ status, code: expect.any(String) })
          }
        }
      },
    ),
    { numRuns: 400 },
  )
  expect(api.logLines.filter(({ level }) => Number(level) >= 50)).toEqual([])
}, 120_000)
