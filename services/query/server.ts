import { createServer as createHttpServer, type Server, type ServerResponse } from 'node:http'
import type Koa from 'koa'
import { listen } from '../../shared/listen.js'
import { answerClientErrors, refusedEvent } from './client-errors.js'
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

/** For how long a client may hold a connection that it does not use as it should, in milliseconds. */
export interface Patience {
  /** Until the head of a request is there, from its beginning or that of the connection. */
  headersMs: number
  /** Until the whole of a request is. */
  requestMs: number
  /** Between two requests. Longer than proxies keep theirs, so that it is the proxy that gives up an idle connection. */
  idleMs: number
  /** While nothing moves: somebody who stops reading a download gives it up after this long. */
  stalledMs: number
  /** How often it is looked whether the first two are over. */
  checkMs: number
}

const defaultPatience: Patience = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 65_000,
  stalledMs: 120_000,
  checkMs: 5_000,
}

/**
 * Serves an app over HTTP.
 *
 * @throws AppError `port_in_use`, `cannot_listen` for the operator
 */
export async function startServer(
  app: Koa<RequestState>,
  host: string,
  port: number,
  patience: Patience = defaultPatience,
): Promise<RunningServer> {
  const answering = new Set<ServerResponse>()
  const server = createServer(app, patience, answering)
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
  const url = await listen(server, { host, port, variable: 'PORT' })
  return {
    url,
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
function createServer(app: Koa<RequestState>, patience: Patience, answering: ReadonlySet<ServerResponse>): Server {
  const server = createHttpServer(
    {
      // The app refuses requests without a Host header itself, with a problem.
      requireHostHeader: false,
      headersTimeout: patience.headersMs,
      requestTimeout: patience.requestMs,
      keepAliveTimeout: patience.idleMs,
      connectionsCheckingInterval: patience.checkMs,
    },
    app.callback(),
  )
  server.timeout = patience.stalledMs
  // Nobody is asked to go on and send a body; and an expectation that is not known is answered as if it were not there
  // (RFC 9110, section 10.1.1, allows both).
  for (const expecting of ['checkContinue', 'checkExpectation']) {
    server.on(expecting, (request, response) => server.emit('request', request, response))
  }
  answerClientErrors(server, answering, (refused) => app.emit(refusedEvent, refused))
  return server
}
