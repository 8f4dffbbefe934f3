import { createMcpHandler } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { parseJson } from '../../../shared/runtime/http-answers.js'
import { askInProcess } from '../http/ask-endpoint.js'
import { endpoint } from '../http/endpoint.js'
import type { ToolCall } from '../http/reply.js'
import { createMcpServer } from '../mcp/server.js'
import { toProblemError } from '../problems/to-problem-error.js'

/** The headers that the protocol reads. */
const protocolHeaders = ['Accept', 'Content-Type', 'MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name']

/**
 * POST /mcp: the Model Context Protocol over streamable HTTP, without sessions: each request is complete in itself, so any
 * instance of this service may answer it.
 */
export const mcp = endpoint({
  name: 'mcp',
  path: '/mcp',
  methods: ['POST'],
  maxBodyBytes: 65_536,
  summary: 'The Model Context Protocol',
  docs: null,
  params: z.object({}),
  query: z.object({}),
  response: z.unknown(),
  limits: ['default'],
  cache: null,

  async handle({ body, header, requestId }, deps) {
    const message = parseJson(body)
    if (Array.isArray(message)) {
      return { reply: { ...batchRefused, tool: null } }
    }
    const calls: ToolCall[] = []
    const failures: Error[] = []
    const handler = createMcpHandler(
      () =>
        createMcpServer({
          ask: askInProcess(deps, requestId),
          toClientError: (thrown) => toProblemError(thrown, requestId, deps.log),
          onCall: (call) => calls.push(call),
        }),
      { onerror: (error) => failures.push(error) },
    )
    const sent = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: Object.fromEntries(
        protocolHeaders.map((name) => [name, header(name)]).filter(([, value]) => value !== ''),
      ),
      body,
    })
    const response = await handler.fetch(sent, message === undefined ? {} : { parsedBody: message })
    if (response.status === 500) {
      throw failures.at(-1) ?? new Error('the MCP server failed without an error')
    }
    const reply = {
      status: response.status,
      type: response.headers.get('Content-Type') ?? 'application/json',
      body: await response.text(),
      tool: calls[0] ?? null,
    }
    return { reply }
  },
})

/** Revision 2025-03-26 had batches. One of many calls would count as one request against the rate limit. */
const batchRefused = {
  status: 400,
  type: 'application/json',
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_600, message: 'Batches are not supported: send each message in a request of its own.' },
  }),
}
