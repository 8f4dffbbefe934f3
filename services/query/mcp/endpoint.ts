import { createMcpHandler } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { parseJson } from '../../../shared/runtime/http-answers.js'
import { endpoint, type ToolCall } from '../request/endpoint.js'
import { toProblemError } from '../request/problems.js'
import { askInProcess } from '../request/routes.js'
import { createMcpServer } from './server.js'

const jsonType = 'application/json'
const streamType = 'text/event-stream'

interface Reply {
  status: number
  /** The media type of the body; empty: it has none. */
  type: string
  body: string
}

/**
 * A reply in the form that the client accepts. The protocol wants clients to accept both forms; those that accept one, or
 * anything, as most HTTP libraries do, get one JSON document, or else a stream with it.
 */
function asAccepted(reply: Reply, accept: string, accepts: (types: string[]) => string | false): Reply {
  const wanted = accept.includes(streamType) && accept.includes(jsonType) ? reply.type : accepts([jsonType, streamType])
  if (wanted === jsonType && reply.type.startsWith(streamType)) {
    const messages = [...reply.body.matchAll(/^data: (.+)$/gm)].map(([, message = '']) => message)
    return messages.length === 1 ? { ...reply, type: jsonType, body: messages[0] ?? '' } : reply
  }
  return wanted === streamType && reply.status === 200 && reply.type.startsWith(jsonType)
    ? { ...reply, type: streamType, body: `event: message\ndata: ${reply.body}\n\n` }
    : reply
}

/** The headers that the protocol reads. */
const protocolHeaders = ['Accept', 'Content-Type', 'MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name']

/**
 * POST /mcp: the Model Context Protocol over streamable HTTP, without sessions: each request is complete in itself, so any
 * instance of this service may answer it.
 */
export const mcp = endpoint({
  name: 'mcp',
  path: '/mcp',
  // Some clients add a slash, and do not follow redirects of a POST.
  aliases: ['/mcp/'],
  methods: ['POST'],
  maxBodyBytes: 65_536,
  summary: 'The Model Context Protocol',
  docs: null,
  response: z.unknown(),
  cache: null,

  async handle({ body, header, accepts, requestId }, deps) {
    const message = parseJson(body)
    if (Array.isArray(message)) {
      return toResult(batchRefused)
    }
    const calls: ToolCall[] = []
    const failures: Error[] = []
    const handler = createMcpHandler(
      () =>
        createMcpServer({
          ask: askInProcess(deps),
          toClientError: (thrown) => toProblemError(thrown, requestId, deps.log),
          onCall: (call) => calls.push(call),
        }),
      { onerror: (error) => failures.push(error) },
    )
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        ...Object.fromEntries(protocolHeaders.map((name) => [name, header(name)]).filter(([, value]) => value !== '')),
        ...(accepts([jsonType, streamType]) === false ? {} : { Accept: `${jsonType}, ${streamType}` }),
      },
      body,
    })
    const response = await handler.fetch(request, message === undefined ? {} : { parsedBody: message })
    if (response.status === 500) {
      throw failures.at(-1) ?? new Error('the MCP server failed without an error')
    }
    const type = response.headers.get('Content-Type') ?? ''
    const reply = { status: response.status, type, body: await response.text() }
    return { ...toResult(asAccepted(reply, header('Accept'), accepts)), tool: calls[0] }
  },
})

const toResult = ({ status, type, body }: Reply) => ({ text: body, status, headers: { 'Content-Type': type } })

/** Revision 2025-03-26 had batches. One of many calls would count as one request against the rate limit. */
const batchRefused = {
  status: 400,
  type: jsonType,
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_600, message: 'Batches are not supported: send each message in a request of its own.' },
  }),
}
