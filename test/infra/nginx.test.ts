import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { problemCodes } from '../../services/query/request/problem-codes.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { aSkill } from '../support/factories.js'
import { freePort } from '../support/local-server.js'
import { whenProgram } from '../support/programs.js'
import { exchange } from '../support/raw-exchange.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { sharedTestApp, startTestApp } from '../support/test-app.js'

const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()))
})

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`
/** A request with these further header lines, after which nginx closes the connection. */
const request = (target: string, ...headers: string[]) =>
  lines(`${target} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers)

const badRequests: [name: string, bytes: string | Buffer, status: number, code: keyof typeof problemCodes][] = [
  ['TRACE', request('TRACE /api/skills'), 405, 'method_not_allowed'],
  ['CONNECT', request('CONNECT example.com:443'), 405, 'method_not_allowed'],
  ['CONNECT with a path', request('CONNECT /api/skills'), 405, 'method_not_allowed'],
  ['POST', request('POST /api/skills', 'Content-Length: 0'), 405, 'method_not_allowed'],
  ['a word', lines('hello'), 400, 'malformed_request'],
  ['a greeting of TLS', Buffer.from('160301020001000001fc0303', 'hex'), 400, 'malformed_request'],
  ['two hosts', request('GET /api/skills', 'Host: y'), 400, 'malformed_request'],
  ['an invalid host', lines('GET / HTTP/1.1', 'Host: a/b'), 400, 'malformed_request'],
  ['no host', lines('GET / HTTP/1.1'), 400, 'malformed_request'],
  ['invalid percent-encoding', request('GET /%zz'), 400, 'malformed_request'],
  ['NUL in a header', request('GET /', 'X-A: a\0b'), 400, 'malformed_request'],
  ['an unknown version', lines('GET / HTTP/3.5', 'Host: x'), 400, 'malformed_request'],
  ['HTTP/2 without TLS', lines('PRI * HTTP/2.0', '', 'SM'), 400, 'malformed_request'],
  ['an unknown transfer coding', request('GET /', 'Transfer-Encoding: gzip'), 400, 'malformed_request'],
  ['two lengths', request('GET /', 'Transfer-Encoding: chunked', 'Content-Length: 3'), 400, 'malformed_request'],
  ['an invalid chunk', `${request('POST /', 'Transfer-Encoding: chunked')}zzz\r\n`, 400, 'malformed_request'],
  ['200 KB of body', request('POST /api/skills', 'Content-Length: 200000'), 413, 'body_too_large'],
  ['200 KB of body at /mcp', request('POST /mcp', 'Content-Length: 200000'), 413, 'body_too_large'],
  [
    '30 KB of body at /mcp, of a page without an origin',
    request('POST /mcp', 'Origin: null', 'Content-Length: 30000') + 'x'.repeat(30_000),
    403,
    'origin_refused',
  ],
  ['40 KB of body of a search', request('POST /api/v1/skills/search', 'Content-Length: 40000'), 413, 'body_too_large'],
  ['a URL of 9 KB', request(`GET /${'a'.repeat(9_000)}`), 414, 'url_too_long'],
  ['a URL of 20 KB', request(`GET /${'a'.repeat(20_000)}`), 414, 'url_too_long'],
  ['20 KB of a header', request('GET /', `X-A: ${'a'.repeat(20_000)}`), 431, 'headers_too_large'],
  ['80 KB of headers', request('GET /', ...Array(20).fill(`X-A: ${'a'.repeat(4_000)}`)), 431, 'headers_too_large'],
  ['an unknown path', request('GET /nothing'), 404, 'unknown_path'],
  ["a path of nginx's own", request('GET /nginx/url_too_long'), 404, 'unknown_path'],
]

whenProgram('nginx', ['-v'], () => {
  describe('a bad request', () => {
    const shared = sharedTestApp({})
    const answers = new Map<string, ReturnType<typeof exchange>>()
    let own: typeof ends = []
    beforeAll(async () => {
      const url = await startNginx(Number(new URL(shared().url).port))
      own = ends.splice(0)
      // All at once: nginx waits five seconds for the rest of some of them.
      for (const [name, bytes] of badRequests) {
        answers.set(name, exchange(url, bytes))
      }
      await Promise.all(answers.values())
    })
    afterAll(() => Promise.all(own.map((end) => end())))

    test.each(badRequests)('%s is answered with a problem', async (name, _bytes, status, code) => {
      const { status: answered, head, body } = (await answers.get(name)) ?? { head: '', body: '{}' }

      expect(head).toMatch(/\r\nContent-Type: application\/problem\+json\r\n/i)
      expect({ answered, problem: JSON.parse(body) }).toMatchObject({
        answered: status,
        problem: { status, code, type: `/docs/errors#${code}`, requestId: expect.any(String) },
      })
      expect(status).toBe(problemCodes[code].status)
      expect(/^Allow: GET, HEAD, OPTIONS\r?$/m.test(head)).toBe(status === 405)
    })
  })

  test('searches of 2,000 characters are answered, by GET and by POST, with their headers', async () => {
    const { url } = await startTestApp({ skills: [aSkill({ name: 'pdf' }), aSkill({ repo: 'second', name: 'pdf 2' })] })
    const proxied = await startNginx(Number(new URL(url).port))
    const task = 'pdf tables, '.repeat(170).slice(0, 2_000)
    const body = JSON.stringify({ q: `${'表'.repeat(1_990)} pdf`, limit: 1 }).replaceAll('表', '\\u8868')
    const byPost = request(
      'POST /api/v1/skills/search',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    )

    const path = '/api/v1/skills/search?limit=1&q='
    for (const bytes of [
      request(`GET ${path}${encodeURIComponent(task)}`),
      request(`GET ${path}${'%20'.repeat(2_600)}pdf`),
      request(`GET ${path}${'pdf+'.repeat(475)}`),
      byPost + body,
    ]) {
      expect(await exchange(proxied, bytes)).toMatchObject({ status: 200 })
    }
  })

  test('a service that is down, disconnects, or hangs is a 503 with Retry-After', async () => {
    const portOf = async (onConnection: (socket: Socket) => void) => {
      const server = createServer((socket) => onConnection(socket.on('error', () => undefined))).listen(0, '127.0.0.1')
      await once(server, 'listening')
      ends.push(async () => server.close())
      return (server.address() as AddressInfo).port
    }
    const hangsUp = await portOf((socket) => socket.end())
    const isSilent = await portOf(() => undefined)

    for (const port of [await freePort(), hangsUp, isSilent]) {
      const { status, head, body } = await exchange(await startNginx(port), request('GET /api/skills?limit=1'))

      expect(head).toMatch(/^Retry-After: 5\r?$/m)
      expect({ status, problem: JSON.parse(body) }).toMatchObject({
        status: 503,
        problem: { status: 503, code: 'service_unavailable', instance: '/api/skills' },
      })
    }
  })
})

/**
 * nginx with the configuration of its container, in front of one service.
 *
 * @returns its URL
 */
async function startNginx(servicePort: number): Promise<string> {
  const folder = temporaryFolder()
  const port = await freePort()
  cpSync(join(projectRoot(), 'infra/nginx'), folder, { recursive: true })
  const settings = readFileSync(join(folder, 'nginx.conf'), 'utf8')
    .replace('server query:3000 resolve', `server 127.0.0.1:${servicePort}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace('proxy_read_timeout 15s', 'proxy_read_timeout 1s')
    .replaceAll('/tmp/', `${folder}/`)
    .replace('/dev/stdout', `${folder}/access.log`)
  writeFileSync(join(folder, 'nginx.conf'), settings)
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' })
  const exited = once(nginx, 'exit')
  ends.push(() => {
    nginx.kill('SIGTERM')
    return exited
  })
  const url = `http://127.0.0.1:${port}`
  while (nginx.exitCode === null && (await exchange(url, lines('hello')).catch(() => null)) === null) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return url
}
