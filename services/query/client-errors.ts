import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AppError } from '../../shared/errors.js'
import { methodNotAllowed, movedTo, problemError } from './errors.js'
import { openToAll } from './middleware/cross-origin.js'
import { problem, problemType } from './problem.js'

/** What Node says of a request that it could not read. */
interface ClientError extends NodeJS.ErrnoException {
  /** The bytes at which it failed. */
  rawPacket?: Buffer
}

/** By this event an app hears of a `RefusedRequest`, which none of its middleware gets to see. */
export const refusedEvent = 'refused'

/** A request that never became one, and was answered all the same. */
export interface RefusedRequest {
  requestId: string
  status: number
  /** Of the connection: what a proxy may have said of the client could not be read. */
  address: string
}

/**
 * Answers requests that never become one, because Node cannot read them as HTTP, with a problem like every other request.
 *
 * @param answering the answers that are on their way
 * @param tell hears of each
 */
export function answerClientErrors(
  server: Server,
  answering: ReadonlySet<ServerResponse>,
  tell: (refused: RefusedRequest) => void,
): void {
  const refuse = (socket: Duplex, error: AppError, instance: string, withBody: boolean) => {
    const requestId = randomUUID()
    const address = 'remoteAddress' in socket ? String(socket.remoteAddress) : ''
    socket.end(rawAnswer(error, instance, requestId, withBody))
    tell({ requestId, status: error.status, address })
  }
  const broken = new WeakSet<Duplex>()
  server.on('clientError', (error: ClientError, socket: Duplex) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    if (broken.has(socket)) {
      return // What comes behind the fault is not read.
    }
    broken.add(socket)
    const underWay = [...answering].filter(({ req }) => req.socket === socket)
    for (const response of underWay) {
      // In the middle of an answer another one would corrupt it: it is the last on this connection.
      response.shouldKeepAlive = false
      response.once('close', () => socket.end())
    }
    if (underWay.length === 0) {
      const { method, target } = readRequestLine(error.rawPacket)
      refuse(socket, clientProblem(error), target?.split('?')[0] ?? '/', method !== 'HEAD')
    }
  })
  // A wish to be connected to another host: Node would hang up without a word.
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    refuse(socket, methodNotAllowed('CONNECT'), '/', true)
  })
}

function clientProblem({ code, rawPacket }: ClientError): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return problemError('headers_too_large', 'The address and headers are larger than 16 KiB. Send less.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problemError('request_timeout', 'The request did not arrive in time. Send it again.')
    default: {
      const moved = code === 'HPE_INVALID_URL' ? encodedTarget(rawPacket) : null
      return moved === null
        ? problemError('malformed_request', 'This is not valid HTTP. Encode the address, and check the headers.')
        : movedTo(moved, `An address holds ASCII only. Percent-encoded, this one is ${moved}`)
    }
  }
}

/**
 * Where a request should go whose target holds letters beyond ASCII. At a terminal people type addresses in their own
 * language, and curl sends the bytes as they are: Node refuses them.
 *
 * @returns null when that is not what is wrong
 */
function encodedTarget(packet: Buffer | undefined): string | null {
  const { method, target, isAscii } = readRequestLine(packet)
  // Two slashes at the beginning would send a browser to another host.
  const isPath = target !== null && !target.startsWith('//')
  return isPath && !isAscii && ['GET', 'HEAD'].includes(method) ? target : null
}

interface RequestLine {
  method: string
  /** Percent-encoded; null when it is no path, or cannot be read. */
  target: string | null
  /** Whether the target was sent in ASCII. */
  isAscii: boolean
}

/** The request line at the beginning of these bytes. */
function readRequestLine(packet: Buffer | undefined): RequestLine {
  const line = /^([A-Z]+) (?:(\/[\x21-\xff]*) HTTP\/1\.[01]\r?\n)?/.exec(packet?.toString('latin1') ?? '')
  const [, method = '', target] = line ?? []
  const encoded = target?.replace(
    /[\x7f-\xff\\"<>^`{|}]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return { method, target: encoded ?? null, isAscii: !/[\x80-\xff]/.test(target ?? '') }
}

/** A problem as the bytes of an HTTP answer, after which the connection is closed. */
function rawAnswer(error: AppError, instance: string, requestId: string, withBody: boolean): string {
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
