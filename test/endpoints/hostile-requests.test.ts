import { once } from 'node:events'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { streaming } from '../support/export-drafts.js'
import { aSkill } from '../support/factories.js'
import { exchange, openSocket } from '../support/raw-exchange.js'
import { sharedTestApp, startTestApp } from '../support/test-app.js'

/** Two of one name, so that a search for it has a next page. */
const shared = sharedTestApp({ skills: [aSkill({ repo: 'pdf' }), aSkill({ name: 'a' }), aSkill({ name: 'a' })] })

const request = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n')

test('no header is dropped: a second Host is refused, and the address of a proxy is read, after any others', async () => {
  const others = Array.from({ length: 1_200 }, () => 'a:b')
  const { url } = await startTestApp({ config: { trustedProxies: 1, rateLimitPerMinute: 1 } })
  const from = (address: string) => exchange(url, request('GET /api/skills', ...others, `X-Forwarded-For: ${address}`))

  expect(await exchange(url, request('GET /api/skills', ...others, 'Host: y'))).toMatchObject({
    status: 400,
    body: expect.stringContaining('several Host headers'),
  })
  expect([
    (await from('192.0.2.1')).status,
    (await from('192.0.2.2')).status,
    (await from('192.0.2.1')).status,
  ]).toEqual([200, 200, 429])
})

describe('no part of a request becomes a header of the response', () => {
  test.each([
    ['a line break in the path', request('GET /api/skills/acme/a%0d%0aX-Evil:%20yes')],
    ['a line break in a parameter', request('GET /api/skills?owner=a%0d%0aX-Evil:%20yes')],
    ['a line break in what is linked to', request('GET /api/v1/skills/search?q=a%0d%0aX-Evil:%20yes&limit=1')],
    ['a request id with a line break', request('GET /api/skills', 'X-Request-Id: a%0d%0aX-Evil: yes')],
    ['another host', request('GET /api/skills', 'X-Forwarded-Host: evil.example')],
    ['a redirection', Buffer.from(request('GET /\u{e9}%0d%0aX-Evil:%20yes'), 'latin1')],
  ])('%s', async (_, bytes) => {
    const { status, head } = await exchange(shared().url, bytes)

    expect(status).toBeGreaterThanOrEqual(200)
    expect(head).not.toMatch(/^x-evil/im)
    expect(head).not.toContain('evil.example')
  })
})

describe('an invalid host does not get into absolute URLs', () => {
  test.each(['/robots.txt', '/feed.atom', '/sitemap.xml', '/.well-known/api-catalog', '/skills/acme/pdf'])(
    '%s',
    async (path) => {
      for (const [host, expected] of [
        ['x"><script>evil()</script>', 400],
        // All of these characters are valid in a host (RFC 3986, section 3.2.2).
        ["evil('x');a=b", 200],
      ]) {
        const { status, text } = await exchange(
          shared().url,
          `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        )

        expect(status).toBe(expected)
        expect(text).not.toContain('evil')
      }
    },
  )
})

describe('unusual but harmless requests are answered', () => {
  test.each([
    ['an unknown expectation', request('GET /api/skills', 'Expect: the-unexpected')],
    ['a wish for another protocol', request('GET /api/skills', 'Upgrade: h2c, websocket')],
    ['a small body', `${request('GET /api/skills', 'Content-Length: 2')}{}`],
    ['five hundred headers', request('GET /api/skills', ...Array.from({ length: 500 }, (_, at) => `X-${at}: a`))],
    ['thousands of encodings', request('GET /api/skills', `Accept-Encoding: ${'a;q=0.1,'.repeat(1_500)}`)],
    ['thousands of tags', request('GET /api/skills', `If-None-Match: ${'"a", '.repeat(2_000)}`)],
    ['a range of a resource without ranges', request('GET /api/skills', 'Range: bytes=0-0,1-1,2-2')],
  ])('%s', async (_, bytes) => {
    expect((await exchange(shared().url, bytes)).status).toBe(200)
  })

  test('pipelined requests are answered in order', async () => {
    const one = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

    const { text } = await exchange(shared().url, one('/api/skills') + one('/nowhere') + request('GET /healthz'))

    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200'])
  })
})

describe('bodies are not read', () => {
  test.each([
    ['a long one', request('GET /api/skills', 'Content-Length: 10000000'), 413, 'body_too_large'],
    ['one without an end', request('GET /api/skills', 'Transfer-Encoding: chunked'), 413, 'body_too_large'],
    ['one in oddly written chunks', request('GET /api/skills', 'Transfer-Encoding: xchunked'), 413, 'body_too_large'],
    [
      'one with Expect: 100-continue',
      request('POST /api/skills', 'Content-Length: 10', 'Expect: 100-continue'),
      405,
      'method_not_allowed',
    ],
    ['one of a POST', request('POST /api/skills', 'Content-Length: 10000000'), 405, 'method_not_allowed'],
  ])('%s', async (_, head, status, code) => {
    const { socket, closed } = await openSocket(shared().url)

    socket.write(head)
    const answer = await closed

    expect(answer.status).toBe(status)
    expect(answer.head).toMatch(/\r\nConnection: close/i)
    expect(JSON.parse(answer.body)).toMatchObject({ status, code })
  })

  test('CONNECT is refused with a problem', async () => {
    const { status, head, body } = await exchange(
      shared().url,
      'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n',
    )

    expect(status).toBe(405)
    expect(head).toContain('Allow: GET, HEAD, OPTIONS')
    expect(JSON.parse(body)).toMatchObject({ code: 'method_not_allowed' })
  })
})

describe('a client that holds a connection without using it', () => {
  const timeouts = { headersMs: 200, requestMs: 400, idleMs: 200, stalledMs: 300, checkMs: 50 }

  test('sends nothing: gets a problem and is disconnected', async () => {
    const { url } = await startTestApp({ timeouts: { ...timeouts, stalledMs: 60_000 } })

    const { status, body } = await (await openSocket(url)).closed

    expect(status).toBe(408)
    expect(JSON.parse(body)).toMatchObject({ code: 'request_timeout' })
  })

  test('sends one letter at a time: is disconnected too', async () => {
    const { url } = await startTestApp({ timeouts })
    const { socket, closed } = await openSocket(url)
    let ended = false
    void closed.then(() => {
      ended = true
    })

    socket.write('GET /api/skills HTTP/1.1\r\nX-Slow: ')
    while (!ended) {
      socket.write('a')
      await sleep(10)
    }

    expect((await closed).status).toBe(408)
  })

  test('is idle after a response: is disconnected', async () => {
    const { url } = await startTestApp({ timeouts })
    const { socket, closed } = await openSocket(url)

    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')

    expect((await closed).text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
  })

  test('stops reading a download: the download ends and its file is closed', async () => {
    const stream = new Readable({ read: () => stream.push(Buffer.alloc(65_536)) })
    stream.on('error', () => undefined)
    const closed = new Promise((resolve) => stream.once('close', resolve))
    const api = await startTestApp({
      timeouts,
      skills: [aSkill()],
      replace: ({ exports }) => ({ exports: streaming(exports, stream) }),
    })
    await api.publishExports()
    const { socket } = await openSocket(api.url)

    socket.write(request('GET /api/v1/export?type=skills'))
    await once(socket, 'data')
    socket.pause()

    await closed
    expect(stream.destroyed).toBe(true)
    socket.destroy()
  })

  test('does not delay other clients', async () => {
    const api = await startTestApp({ timeouts: { ...timeouts, headersMs: 60_000, requestMs: 60_000 } })
    const idle = await Promise.all(Array.from({ length: 200 }, () => openSocket(api.url)))
    for (const { socket } of idle) {
      socket.write('GET /api/skills HTTP/1.1\r\nHost: x\r\n')
    }

    expect((await api.get('/api/skills')).status).toBe(200)

    for (const { socket } of idle) {
      socket.destroy()
    }
  })
})

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
