import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterTest } from './after-test.js'

/** Revisions of the protocol: with a handshake, and with everything in each request. */
export const revisions = ['2025-11-25', '2026-07-28'] as const
export type Revision = (typeof revisions)[number]

/** The result of a tool. */
export interface ToolResult {
  isError: boolean
  text: string
  /** The structured content; null: none. */
  result: Record<string, unknown> | null
}

/** A client of the SDK, which speaks this revision; it is closed with the test. */
export function mcpClient(revision: Revision = '2026-07-28'): Client {
  const versionNegotiation = revision === '2025-11-25' ? {} : { versionNegotiation: { mode: { pin: revision } } }
  const client = new Client({ name: 'test', version: '1.0.0' }, versionNegotiation)
  afterTest(() => client.close())
  return client
}

/** A client that is connected to the endpoint of the service at this URL. */
export async function mcpOverHttp(url: string, revision?: Revision): Promise<Client> {
  const client = mcpClient(revision)
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)))
  return client
}

/** Calls a tool. */
export async function callTool(client: Client, name: string, given: Record<string, unknown> = {}): Promise<ToolResult> {
  const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: given })
  const [first] = content
  return {
    isError: isError === true,
    text: first?.type === 'text' ? first.text : '',
    result: structuredContent === undefined ? null : (structuredContent as Record<string, unknown>),
  }
}
