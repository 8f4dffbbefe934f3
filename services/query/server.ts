import { createServer as createHttpServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Koa from 'koa'
import { operatorError } from '../../shared/errors.js'
import { answerClientErrors } from './client-errors.js'
import type { RequestState } from './middleware/state.js'

/** A server that listens. */
export interface RunningServer {
  /** Where it can be reached, for instance `http://127.0.0.1:3000`. */
  url: string
  /**
   * Takes no more connections, lets requests under way finish, and cuts off what is left after `deadlineMs`.
   */
  close(deadlineMs: number): Promise<void>
}

/**
 * Serves an app over HTTP.
 *
 * @throws AppError `port_in_use`, `cannot_listen` for the operator
 */
export async function startServer(app: Koa<RequestState>, host: string, port: number): Promise<RunningServer> {
  const server = createServer(app)
  const answering = new Set<ServerResponse>()
  let closing = false
  server.on('request', (_, response) => {
    answering.add(response)
    response.shouldKeepAlive &&= !closing
    response.once('close', () => {
      answering.delete(response)
      if (closing) {
        // An answer whose headers had left before could not say that the connection ends with it.
        setImmediate(() => server.closeIdleConnections())
      }
    })
  })
  await listen(server, host, port)
  const { address, family, port: actualPort } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${actualPort}`,
    close: (deadlineMs) =>
      new Promise((resolve) => {
        closing = true
        const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs)
        server.close(() => {
          clearTimeout(deadline)
          resolve()
        })
        for (const response of answering) {
          response.shouldKeepAlive = false
        }
      }),
  }
}

/** An HTTP server with bounded patience, that explains itself even to those who do not speak HTTP. */
function createServer(app: Koa<RequestState>): Server {
  const server = createHttpServer(
    {
      // The app refuses requests without a Host header itself, with a problem.
      requireHostHeader: false,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      // Longer than proxies keep theirs, so that it is the proxy that gives up an idle connection.
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 5_000,
    },
    app.callback(),
  )
  // Somebody who stops reading a download gives it up after this long.
  server.timeout = 120_000
  answerClientErrors(server)
  return server
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? operatorError('port_in_use', `Port ${port} is taken. End what listens there, or set PORT.`, error)
          : operatorError(
              'cannot_listen',
              `Cannot listen on ${host}:${port} (${error.code}). Set HOST and PORT.`,
              error,
            ),
      ),
    )
    server.listen(port, host, resolve)
  })
}
