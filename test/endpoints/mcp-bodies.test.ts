import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { callTool, mcpOverHttp } from '../support/mcp-client.js'
import { exchange, openSocket } from '../support/raw-exchange.js'
import { sharedTestApp } from '../support/test-app.js'

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })

const api = sharedTestApp({ sample: true })

test.each(['with its length', 'in chunks'])('a body over 64 KiB is refused, sent %s', async (how) => {
  const head = how === 'in chunks' ? 'Transfer-Encoding: chunked' : 'Content-Length: 65537'
  const body = how === 'in chunks' ? `11170\r\n${'x'.repeat(70_000)}` : ''
  const lines = ['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', head, '', body]

  const answer = await exchange(api().url, lines.join('\r\n'))

  expect({ status: answer.status, problem: JSON.parse(answer.body) }).toMatchObject({
    status: 413,
    problem: { code: 'body_too_large', detail: expect.stringContaining('65536 bytes') },
  })
})

test('a client that waits for 100 Continue gets it, and one whose request is refused does not', async () => {
  const head = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: application/json, text/event-stream\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${ping.length}\r\nExpect: 100-continue\r\n\r\n`
  const { socket, closed } = await openSocket(api().url)
  socket.write(head('/mcp'))
  const [first] = await once(socket, 'data')
  socket.write(ping)

  expect(String(first)).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  expect((await closed).text).toContain('HTTP/1.1 200 OK')
  expect((await exchange(api().url, head('/api/skills'))).status).toBe(405)
})

test.each([
  ['without a size', '4\r\n{"js\r\nx'],
  ['with more than its size', '4\r\n{"jsonrpc"\r\n'],
  ['at the beginning', 'zz\r\n'],
])(
  'a chunk %s is refused at once, and the connection closed',
  async (_, chunks) => {
    const head =
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
    for (const parts of [[head + chunks], [head, chunks]]) {
      const { socket, closed } = await openSocket(api().url)
      for (const part of parts) {
        socket.write(part)
        await sleep(20)
      }

      expect(await closed).toMatchObject({ status: 400, body: expect.stringContaining('"code":"malformed_request"') })
    }
  },
  9_000,
)

test('a body of 64 KiB is read', async () => {
  const padding = ' '.repeat(65_536 - ping.length)

  const headers = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' }
  const answer = await fetch(new URL('/mcp', api().url), { method: 'POST', headers, body: `${ping}${padding}` })

  expect(answer.status).toBe(200)
})

test('a client that leaves within its body leaves no error in the log', async () => {
  const { socket, closed } = await openSocket(api().url)
  socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{')
  socket.end()
  await closed
  await callTool(await mcpOverHttp(api().url), 'catalog_stats')

  expect(api().logLines.filter(({ level }) => Number(level) >= 50)).toEqual([])
})
