import type { AppError } from '../../../shared/runtime/errors.js'
import { parseJson } from '../../../shared/runtime/http-answers.js'
import { readBody } from '../http/read-body.js'
import type { RequestContext } from '../middleware/state.js'

/** Time for the rest of a refused message, of which only the id is read. */
const timeLimitMs = 1_000

/** An error of this server, in the range that JSON-RPC 2.0 leaves to servers. */
const refusedCode = -32_029

/** Whether this error refuses a call of the Model Context Protocol until some time has passed. */
export const isRefusedCall = ({ method, state }: RequestContext, { headers }: AppError): boolean =>
  method === 'POST' && state.found?.endpoint.name === 'mcp' && headers['Retry-After'] !== undefined

/** The error as an answer to the call, with the seconds to wait: clients of the protocol read no problem details. */
export async function refusedCall({ req, res, state }: RequestContext, error: AppError): Promise<string> {
  const maxBytes = state.found?.endpoint.maxBodyBytes ?? 0
  const body = req.readableEnded ? '' : await readBody(req, res, maxBytes, timeLimitMs).catch(() => '')
  const { id = null } = Object(parseJson(body)) as { id?: unknown }
  const retryAfterSeconds = Number(error.headers['Retry-After'])
  return JSON.stringify({
    jsonrpc: '2.0',
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    error: { code: refusedCode, message: error.message, data: { code: error.code, retryAfterSeconds } },
  })
}
