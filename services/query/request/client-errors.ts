import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AppError } from '../../../shared/runtime/errors.js'
import { searchPath } from '../../../shared/text/parse-url.js'
import { openToAll } from './answer.js'
import { readMethods } from './endpoint.js'
import { methodNotAllowed, movedTo, problem, problemError, problemType } from './problems.js'
import { noteMalformed } from './read-body.js'

interface ClientError extends NodeJS.ErrnoException {
  /** The received bytes at which parsing failed. */
  rawPacket?: Buffer
}

/** The event by which an app receives a `RefusedRequest`, which never reaches its middleware. */
export const refusedEvent = 'refused'

/** A malformed request, which was answered without reaching the app. */
export interface RefusedRequest {
  requestId: string
  status: number
  /** The address of the connection: forwarding headers could not be read. */
  address: string
}

/**
 * Answers requests that Node cannot parse as HTTP with problem details, like every other request.
 *
 * @param latestResponses the latest response of each connection, which may have ended
 * @param report called for each
 */
export function answerClientErrors(
  server: Server,
  latestResponses: ReadonlyMap<Duplex, ServerResponse>,
  report: (refused: RefusedRequest) => void,
): void {
  const refuse = (socket: Duplex, error: AppError, instance: string, withBody: boolean) => {
    const requestId = randomUUID()
    const address = 'remoteAddress' in socket ? String(socket.remoteAddress) : ''
    socket.end(rawResponse(error, instance, requestId, withBody))
    report({ requestId, status: error.status, address })
  }
  const broken = new WeakSet<Duplex>()
  server.on('clientError', (error: ClientError, socket: Duplex) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    if (broken.has(socket)) {
      return // Nothing after the malformed part is read.
    }
    broken.add(socket)
    const response = latestResponses.get(socket)
    if (response?.closed === false) {
      // During a response a second one would corrupt it, so that response becomes the last on this connection.
      response.shouldKeepAlive = false
      response.once('close', () => socket.end())
      if (!response.req.complete && error.code?.startsWith('HPE_')) {
        noteMalformed(response.req)
      }
    } else {
      const line = readRequestLine(error.rawPacket)
      refuse(socket, clientProblem(error, line), line.target?.split('?')[0] ?? '/', line.method !== 'HEAD')
    }
  })
  // CONNECT asks for a tunnel to another host: Node would close the connection without a response.
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    refuse(socket, methodNotAllowed('CONNECT', readMethods), '/', true)
  })
}

function clientProblem({ code }: ClientError, { method, target, isAscii }: RequestLine): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return problemError(
        'headers_too_large',
        `The URL and headers are larger than 16 KiB. Send less; a long search as JSON, by POST to ${searchPath}.`,
      )
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problemError('request_timeout', 'The request did not arrive in time. Send it again.')
    case 'HPE_INVALID_URL':
      // People type such characters in a terminal, curl sends them as they are, and Node refuses them. Two slashes at the
      // beginning would redirect a browser to another host.
      if (target !== null && !isAscii && !target.startsWith('//') && ['GET', 'HEAD'].includes(method)) {
        return movedTo(target, `A URL has ASCII characters only. Percent-encoded, this one is ${target}`)
      }
  }
  return problemError('malformed_request', 'The request is not valid HTTP. Encode the URL, and check the headers.')
}

interface RequestLine {
  method: string
  /** Percent-encoded; null when it is no path, or malformed. */
  target: string | null
  /** Whether the target was ASCII. */
  isAscii: boolean
}

function readRequestLine(packet: Buffer | undefined): RequestLine {
  const line = /^([A-Z]+) (?:(\/[\x21-\xff]*) HTTP\/1\.[01]\r?\n)?/.exec(packet?.toString('latin1') ?? '')
  const [, method = '', target] = line ?? []
  const encoded = target?.replace(
    /[\x7f-\xff\\"<>^`{|}]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return { method, target: encoded ?? null, isAscii: !/[\x80-\xff]/.test(target ?? '') }
}

/** A problem as the bytes of an HTTP response, after which the connection is closed. */
function rawResponse(error: AppError, instance: string, requestId: string, withBody: boolean): string {
  const body = JSON.stringify(problem(error, instance, requestId))
  const headers = {
    Connection: 'close',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    ...openToAll,
    'X-Request-Id': requestId,
    ...error.headers,
    'Content-Type': problemType,
    'Content-Length': Buffer.byteLength(body),
  }
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    withBody ? body : '',
  ].join('\r\n')
}
