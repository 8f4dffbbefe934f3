import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import Koa from 'koa'
import type { RequestState } from '../../services/query/request/endpoint.js'
import { type RunningServer, startServer } from '../../services/query/request/server.js'
import { exchange } from '../support/raw-exchange.js'
import { sharedTestApp } from '../support/test-app.js'

const shared = sharedTestApp({})

/** A request for a list with these headers. */
const get = (...headers: string[]): string =>
  ['GET /api/skills HTTP/1.1', 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n')

describe('malformed HTTP is answered with a problem', () => {
  test.each<[string, string, number, string]>([
    ['a space in the address', 'GET /api/skills?q=a b HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
    ['NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n', 400, 'malformed_request'],
    [
      'two lengths',
      'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'malformed_request',
    ],
    ['17 KB of headers', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(17_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['17 KB of address', `GET /${'a'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'headers_too_large'],
    ['a greeting of TLS', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', 400, 'malformed_request'],
    ['two hosts', 'GET /api/skills HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400, 'malformed_url'],
    [
      'one host twice',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nhost: a\r\nConnection: close\r\n\r\n',
      400,
      'malformed_url',
    ],
    ['two hosts in HTTP/1.0', 'GET /api/skills HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'malformed_url'],
    ['two hosts in a line', 'GET / HTTP/1.1\r\nHost: a, b\r\nConnection: close\r\n\r\n', 400, 'malformed_url'],
    ['an invalid host', 'GET / HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n\r\n', 400, 'malformed_url'],
    [
      'two hosts of a preflight',
      'OPTIONS /api/skills HTTP/1.1\r\nHost: a\r\nHost: b\r\nOrigin: http://p.example\r\n' +
        'Access-Control-Request-Method: GET\r\nConnection: close\r\n\r\n',
      400,
      'malformed_url',
    ],
    ['a length and chunks', get('Content-Length: 4', 'Transfer-Encoding: chunked'), 400, 'malformed_request'],
    ['a folded header', get('X-A: a', ' b'), 400, 'malformed_request'],
    ['a space before the colon', get('X-A : a'), 400, 'malformed_request'],
    ['a line break without its carriage return', 'GET /api/skills HTTP/1.1\nHost: x\n\n', 400, 'malformed_request'],
    ['a carriage return in a header', get('X-A: a\rX-B: b'), 400, 'malformed_request'],
    ['the greeting of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'malformed_request'],
    ['a version that is none', 'GET /api/skills HTTP/9.9\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
    ['no host', 'GET /api/skills HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'malformed_url'],
  ])('%s', async (_, bytes, status, code) => {
    const answer = await exchange(shared().url, Buffer.from(bytes, 'latin1'))

    expect(answer.status).toBe(status)
    expect(answer.head).toContain('Content-Type: application/problem+json')
    expect(answer.head).toMatch(/\r\nX-Request-Id: [\w-]+/)
    for (const header of ['Referrer-Policy: no-referrer', 'Access-Control-Expose-Headers: X-Request-Id,']) {
      expect(answer.head).toContain(`\r\n${header}`)
    }
    expect(JSON.parse(answer.body)).toMatchObject({ status, code, requestId: expect.any(String) })
  })

  test.each(['catalog.example', 'my_service:3000', '127.0.0.1:80', '[::1]:3000', 'xn--bcher-kva.example', 'a:'])(
    'a host is %s',
    async (host) => {
      const answer = await exchange(
        shared().url,
        `GET /api/skills HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      )

      expect(answer.status).toBe(200)
    },
  )

  test('HTTP/1.0 needs no host', async () => {
    expect((await exchange(shared().url, 'GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200)
  })
})

describe('non-ASCII characters, as a terminal sends them', () => {
  test('are redirected to the percent-encoded URL', async () => {
    const api = shared()

    const answer = await api.get('/api/v1/skills/search?q=日本 é&limit=1')

    expect(answer).toMatchObject({
      status: 308,
      headers: { location: '/api/v1/skills/search?q=%E6%97%A5%E6%9C%AC%20%C3%A9&limit=1' },
      body: { code: 'moved', instance: '/api/v1/skills/search' },
    })
    expect((await api.get(String(answer.headers['location']))).body).toMatchObject({ query: '日本 é' })
  })

  test('the problem has the encoded path, as far as it is readable', async () => {
    const instanceOf = async (bytes: string) =>
      JSON.parse((await exchange(shared().url, Buffer.from(bytes))).body).instance

    expect(await instanceOf('GET /é?q=1 HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('/%C3%A9')
    expect(await instanceOf(`GET /${'é'.repeat(400)} HTTP/1.1\r\nHost: x\r\n\r\n`)).toHaveLength(300)
    expect(await instanceOf('GET /api HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n')).toBe('/api')
    expect(await instanceOf('GET /a b HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('/')
  })

  test('get no body on HEAD', async () => {
    const { status, body } = await exchange(shared().url, Buffer.from('HEAD /é HTTP/1.1\r\nHost: x\r\n\r\n'))

    expect({ status, body }).toEqual({ status: 308, body: '' })
  })

  test('never redirect to another host', async () => {
    const { status, head } = await exchange(shared().url, 'GET //evil.example/é HTTP/1.1\r\nHost: x\r\n\r\n')

    expect(status).toBe(400)
    expect(head).not.toMatch(/^location/im)
  })
})

describe('closing', () => {
  /** A server whose responses a test starts and ends. */
  async function aSlowServer() {
    const app = new Koa<RequestState>()
    let end: () => void = () => {}
    const begun = new Promise<void>((resolve) => {
      app.use(async (ctx) => {
        resolve()
        await new Promise<void>((answer) => {
          end = answer
        })
        ctx.body = 'done'
      })
    })
    const server = await startServer(app, '127.0.0.1', 0)
    return { server, begun, end: () => end() }
  }

  const requestTo = (server: RunningServer, agent: Agent) => {
    const sent = request(server.url, { agent }).end()
    return once(sent, 'response').then(async ([response]) => {
      let text = ''
      for await (const chunk of response) {
        text += chunk
      }
      return { text, connection: response.headers.connection }
    })
  }

  test('lets a running request finish, and keeps no connection', async () => {
    const { server, begun, end } = await aSlowServer()
    const agent = new Agent({ keepAlive: true })
    const answer = requestTo(server, agent)
    await begun

    const closed = server.close(10_000)
    await expect(requestTo(server, new Agent())).rejects.toThrow('ECONNREFUSED')
    end()

    expect(await answer).toEqual({ text: 'done', connection: 'close' })
    await closed
    agent.destroy()
  })

  test('answers every request that a connection had sent, and ends it with the last', async () => {
    const app = new Koa<RequestState>()
    const gate = new PassThrough()
    let begun = 0
    app.use(async (ctx) => {
      begun += 1
      gate.emit('begun')
      await once(gate, 'open')
      ctx.body = ctx.path
    })
    const server = await startServer(app, '127.0.0.1', 0)
    const answers = exchange(
      server.url,
      ['/one', '/two'].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''),
    )
    while (begun < 2) {
      await once(gate, 'begun')
    }

    const closed = server.close(10_000)
    gate.emit('open')

    expect((await answers).text).toMatch(/keep-alive.*\/oneHTTP.*Connection: close.*\/two$/s)
    await closed
  })

  test('closes unfinished connections at the deadline', async () => {
    const { server, begun } = await aSlowServer()
    const answer = requestTo(server, new Agent())
    answer.catch(() => {})
    await begun

    await server.close(50)

    await expect(answer).rejects.toThrow()
  })

  test('does not keep the connection of a response that had started before', async () => {
    const app = new Koa<RequestState>()
    const body = new PassThrough()
    app.use((ctx) => {
      ctx.body = body
    })
    const server = await startServer(app, '127.0.0.1', 0)
    const agent = new Agent({ keepAlive: true })
    const sent = request(server.url, { agent }).end()
    body.write('begun')
    const [response] = await once(sent, 'response')

    const closed = server.close(60_000)
    body.end()
    response.resume()

    await closed
    agent.destroy()
  })

  test('does not wait for idle connections', async () => {
    const server = await startServer(new Koa<RequestState>(), '127.0.0.1', 0)
    const agent = new Agent({ keepAlive: true })
    await requestTo(server, agent)

    await server.close(60_000)
    agent.destroy()
  })
})

describe('listening', () => {
  test.each([
    ['203.0.113.1', 'this machine has no such address'],
    ['no-such-host.invalid', 'no address is known for this name'],
  ])('an address of another machine is an operator error: %s', async (host, reason) => {
    await expect(startServer(new Koa<RequestState>(), host, 0)).rejects.toMatchObject({
      code: 'cannot_listen',
      message: `Cannot listen on ${host}:0 (${reason}). Set HOST and PORT.`,
    })
  })

  test('the URL of an IPv6 address has brackets', async () => {
    const server = await startServer(new Koa<RequestState>(), '::1', 0)

    expect(server.url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    await server.close(1_000)
  })
})
