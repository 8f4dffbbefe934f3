import { SendableText } from './sendable-text.js'

/** A call of an MCP tool, for log and metrics. */
export interface ToolCall {
  /** One of the tools' names. */
  name: string
  /** Refused: by an error of the client, such as a bad argument or an unknown skill. */
  outcome: 'answered' | 'refused' | 'failed'
}

/** The reply of another protocol than this API's: it has its own statuses and errors. */
export interface Reply {
  status: number
  /** The media type of the body. */
  type: string
  body: string
  /** The tool that the request has called, for log and metrics; null: none. */
  tool: ToolCall | null
}

/** A reply as it is sent, encoded as the client prefers. It has no entity tag: conditions are for GET and HEAD. */
export async function selectReply(
  acceptEncoding: string,
  { status, type, body }: Reply,
): Promise<{ status: number; headers: string[]; body: Buffer | null }> {
  if (body === '') {
    return { status, headers: [], body: null }
  }
  const text = new SendableText(body)
  const encoding = text.encodingFor(acceptEncoding)
  const headers = ['Content-Type', type, ...(encoding === null ? [] : ['Content-Encoding', encoding])]
  return { status, headers, body: await text.encoded(encoding) }
}
