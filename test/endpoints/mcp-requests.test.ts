import { describe, expect, test } from '@jest/globals'
import { unavailable } from '../../shared/runtime/errors.js'
import { callTool, mcpOverHttp } from '../support/mcp-client.js'
import { exchange } from '../support/raw-exchange.js'
import { sharedTestApp, startTestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

const accepts = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }

/** Posts a body to the endpoint, with these further headers. */
const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(new URL('/mcp', url), { method: 'POST', headers: { ...accepts, ...headers }, body })

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })

describe('requests', () => {
  const api = sharedTestApp({ sample: true })

  test.each(['GET', 'HEAD', 'PUT', 'DELETE'])('%s is refused, and says what is allowed', async (method) => {
    expect(await api().send(method, '/mcp')).toMatchObject({ status: 405, headers: { allow: 'POST, OPTIONS' } })
  })

  test('a preflight allows POST and the headers of the protocol', async () => {
    const headers = 'content-type,accept,mcp-protocol-version,mcp-session-id,mcp-method,mcp-name'
    const preflight = await api().send('OPTIONS', '/mcp', {
      Origin: 'https://page.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': headers,
    })

    expect(preflight).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST,OPTIONS',
        'access-control-allow-headers': headers,
      },
    })
  })

  test('a page of another origin may call it, and read the answer', async () => {
    const answer = await post(api().url, ping, { Origin: 'https://page.example' })

    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('an answer has the common headers, and is not kept', async () => {
    const answer = await post(api().url, ping, { 'X-Request-Id': 'mine' })

    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-request-id': 'mine',
      'cache-control': 'no-store',
      'ratelimit-policy': '"default";q=1000000;w=60',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    })
    expect(answer.headers.has('mcp-session-id')).toBe(false)
  })

  test.each<[name: string, body: string, headers: Record<string, string>, status: number, text: string]>([
    ['no JSON', '{', {}, 400, '-32700'],
    ['no body', '', {}, 400, '-32700'],
    ['a batch', `[${ping},${ping}]`, {}, 400, 'Batches are not supported'],
    ['another media type', ping, { 'Content-Type': 'text/plain' }, 415, 'Content-Type must be application/json'],
    ['neither form accepted', ping, { Accept: 'text/html' }, 406, 'Not Acceptable'],
    ['an unknown revision', ping, { 'MCP-Protocol-Version': '1999-01-01' }, 400, '1999-01-01'],
  ])('%s is an error of the protocol', async (_, body, headers, status, text) => {
    const answer = await post(api().url, body, headers)

    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/json')
    const { jsonrpc, error } = JSON.parse(await answer.clone().text())
    expect({ jsonrpc, error: JSON.stringify(error) }).toEqual({ jsonrpc: '2.0', error: expect.stringContaining(text) })
  })

  test.each([
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/json, text/plain, */*', 'application/json'],
    ['text/event-stream', 'text/event-stream'],
    ['text/event-stream;q=0.9, */*;q=0.1', 'text/event-stream'],
  ])('a client that accepts %s gets %s, in either revision', async (Accept, type) => {
    const present = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }
    const revision = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' }

    for (const answer of [
      await post(api().url, ping, { Accept }),
      await post(api().url, JSON.stringify(present), { Accept, ...revision }),
    ]) {
      const text = await answer.text()
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
      const json = type === 'application/json' ? text : (/^event: message\ndata: (.+)\n\n$/.exec(text)?.[1] ?? '')
      expect(JSON.parse(json)).toMatchObject({ jsonrpc: '2.0', id: 1, result: expect.anything() })
    }
  })

  test('a client without Accept gets JSON', async () => {
    const lines = ['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', 'Connection: close']

    const answer = await exchange(api().url, [...lines, `Content-Length: ${ping.length}`, '', ping].join('\r\n'))

    expect({ status: answer.status, body: JSON.parse(answer.body) }).toEqual({
      status: 200,
      body: { jsonrpc: '2.0', id: 1, result: {} },
    })
  })

  test('/mcp/ is the same as /mcp', async () => {
    const answer = await fetch(new URL('/mcp/', api().url), {
      method: 'POST',
      headers: accepts,
      body: ping,
      redirect: 'error',
    })

    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"result":{}')])
  })

  test('an unknown method is an error of the protocol', async () => {
    const old = await post(api().url, JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'nope' }))

    expect(await old.text()).toContain('{"jsonrpc":"2.0","id":7,"error":{"code":-32601')
  })

  test('a notification is accepted without a body', async () => {
    const answer = await post(api().url, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))

    expect([answer.status, await answer.text()]).toEqual([202, ''])
  })

  test('nothing is ever announced, so a subscription ends at once', async () => {
    const client = await mcpOverHttp(api().url)
    const subscription = await client.listen({ toolsListChanged: true })

    await expect(subscription.closed).resolves.toBeDefined()
  })

  test('an Origin after a thousand other headers counts', async () => {
    const others = Array.from({ length: 1_200 }, () => 'a:b').join('\r\n')
    const lines = ['POST /mcp HTTP/1.1', 'Host: localhost', 'Connection: close', others, 'Origin: null', '', '']

    expect(await exchange(api().url, lines.join('\r\n'))).toMatchObject({
      status: 403,
      body: expect.stringContaining('"code":"origin_refused"'),
    })
  })
})

test('a request counts in the default quota, and one over it gets an error of the protocol with the seconds to wait', async () => {
  const api = await startTestApp({ config: { rateLimitPerMinute: 2 } })
  await post(api.url, ping)
  await post(api.url, ping)

  const refused = await post(api.url, ping)

  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused.headers.get('content-type')).toBe('application/json')
  const seconds = Number(refused.headers.get('retry-after'))
  expect(await refused.json()).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: {
      code: -32_029,
      message: `Too many requests in the last minute. Wait ${seconds} s, then continue.`,
      data: { code: 'rate_limited', retryAfterSeconds: seconds },
    },
  })
  // What has no readable id gets the error as well.
  for (const body of ['{', '', `[${ping}]`, '{"id":{}}', '"x"']) {
    expect(await (await post(api.url, body)).json()).toMatchObject({ id: null, error: { code: -32_029 } })
  }
})

test('calls are logged and counted by tool', async () => {
  const api = await startTestApp({ sample: true })
  const client = await mcpOverHttp(api.url)
  await callTool(client, 'search_skills', { q: 'pdf' })
  await callTool(client, 'search_skills', { q: '' })
  await client.callTool({ name: 'x'.repeat(50) }).catch(() => undefined)

  expect((await api.metrics()).match(/^catalog_mcp_tool_calls_total.*$/gm)).toEqual([
    'catalog_mcp_tool_calls_total{tool="search_skills",outcome="answered"} 1',
    'catalog_mcp_tool_calls_total{tool="search_skills",outcome="refused"} 1',
  ])
  const calls = api.logLines.filter(({ tool }) => tool !== undefined)
  expect(calls).toMatchObject([
    { method: 'POST', path: '/mcp', endpoint: 'mcp', tool: 'search_skills', status: 200 },
    { tool: 'search_skills' },
  ])
})

describe('without a backend', () => {
  test('a tool says when to try again', async () => {
    const search = () => Promise.reject(unavailable('search_unavailable', 'The search index is away.', 5))
    const api = await startTestApp({ replace: ({ index }) => ({ index: withOverrides(index, { search }) }) })

    const answer = await callTool(await mcpOverHttp(api.url), 'search_skills', { q: 'pdf' })

    expect(answer).toMatchObject({ isError: true, text: 'The search index is away.' })
    expect(await api.metrics()).toContain('{tool="search_skills",outcome="failed"} 1')
  })

  test('an unexpected error is logged, and named by its request only', async () => {
    const search = () => Promise.resolve({ hits: null } as never)
    const api = await startTestApp({ replace: ({ index }) => ({ index: withOverrides(index, { search }) }) })

    const { isError, text } = await callTool(await mcpOverHttp(api.url), 'search_skills', { q: 'pdf' })

    expect(isError).toBe(true)
    const [, requestId] = /^Something went wrong on our side\. .* report request ([\w-]+)\.$/.exec(text) ?? []
    expect(api.logLines.filter(({ msg }) => msg === 'request failed')).toMatchObject([{ requestId }])
  })
})
