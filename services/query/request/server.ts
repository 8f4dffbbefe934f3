import { createServer as createHttpServer, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type Koa from 'koa'
import { overloaded } from '../../../shared/runtime/errors.js'
import { allHeaders, listen } from '../../../shared/runtime/listen.js'
import { answerClientErrors, refusedEvent } from './client-errors.js'
import type { RequestState } from './endpoint.js'

/** A listening server. */
export interface RunningServer {
  /** The URL of the server, for instance `http://127.0.0.1:3000`. */
  url: string
  /** Closes the listener, lets running requests finish, and closes the remaining connections after `deadlineMs`. */
  close(deadlineMs: number): Promise<void>
}

/** Timeouts of a client's connection, in milliseconds. */
export interface ServerTimeouts {
  /** Until the request's headers have arrived, from the start of the request or the connection. */
  headersMs: number
  /** Until the whole request has arrived. */
  requestMs: number
  /** Between two requests. Longer than that of common proxies, so that the proxy closes an idle connection. */
  idleMs: number
  /** Without any data: a client that stops reading a download is disconnected after this time. */
  stalledMs: number
  /** How often the first two are checked. */
  checkMs: number
}

const defaultTimeouts: ServerTimeouts = {
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
  timeouts: ServerTimeouts = defaultTimeouts,
): Promise<RunningServer> {
  // Not a set of open responses: V8 replaces the table of a set after some additions, and an old one keeps its responses
  // until the next full collection of garbage. That took a sixth of the processor time of a short answer.
  const latestResponses = new Map<Socket, ServerResponse>()
  const server = createServer(app, timeouts, latestResponses)
  let open = 0
  let drained: (() => void) | null = null
  server.on('connection', (socket) => {
    open += 1
    socket.once('close', () => {
      latestResponses.delete(socket)
      open -= 1
      if (open === 0) {
        drained?.()
      }
    })
  })
  server.on('request', ({ socket }, response) => {
    latestResponses.set(socket, response)
    response.shouldKeepAlive &&= drained === null
  })
  const close = (deadlineMs: number) =>
    new Promise<void>((resolve) => {
      const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs)
      drained = () => {
        clearTimeout(deadline)
        resolve()
      }
      server.close()
      if (open === 0) {
        drained()
      }
      for (const response of latestResponses.values()) {
        response.shouldKeepAlive = false
        // One whose headers were sent before this point could not carry `Connection: close`.
        response.once('close', () => setImmediate(() => server.closeIdleConnections()))
      }
    })
  return { url: await listen(server, { host, port, variable: 'PORT' }), close }
}

/** An HTTP server with timeouts, which answers malformed requests with problem details too. */
function createServer(
  app: Koa<RequestState>,
  timeouts: ServerTimeouts,
  latestResponses: ReadonlyMap<Socket, ServerResponse>,
): Server {
  const server = createHttpServer(
    {
      // The app itself refuses requests without a Host header, with problem details.
      requireHostHeader: false,
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.idleMs,
      connectionsCheckingInterval: timeouts.checkMs,
    },
    app.callback(),
  )
  server.timeout = timeouts.stalledMs
  server.maxHeadersCount = allHeaders
  // `100 Continue` is sent where a body is read (`read-body.ts`); unknown expectations are ignored (RFC 9110, section
  // 10.1.1).
  for (const expecting of ['checkContinue', 'checkExpectation']) {
    server.on(expecting, (request, response) => server.emit('request', request, response))
  }
  answerClientErrors(server, latestResponses, (refused) => app.emit(refusedEvent, refused))
  return server
}

/** Requests that begin in one turn of the event loop, at most. */
const perTurn = 20

/** The cost of refusing a request before anything was done for it, as a share of one that begins. */
const refusalShare = 0.25

export interface RequestPaceOptions {
  /** A request that has waited for longer is refused. Milliseconds, default 2,000. */
  maxWaitMs?: number
  /** The same, once a request has been refused and until none waits. Milliseconds, default 500. */
  standingWaitMs?: number
  /** Milliseconds of a clock that only moves forward; `performance.now` by default. */
  clock?: () => number
}

interface WaitingRequest {
  sinceMs: number
  begin: () => void
  refuse: (error: Error) => void
}

/**
 * Limits the requests that begin in one turn of the event loop. In an overload all that have arrived would else be answered
 * in one turn, most of them with a refusal, and the threads and servers that work on the others would be idle for so long.
 *
 * A burst may wait. Under a load that cannot be borne, requests that wait long would only make the later ones wait as long,
 * and the queue outlive the load.
 *
 * Source: Ben Maurer, "Fail at Scale", ACM Queue 13 (8), 2015, "Controlled delay".
 */
export class RequestPace {
  readonly #maxWaitMs: number
  readonly #standingWaitMs: number
  readonly #clock: () => number
  readonly #waiting: WaitingRequest[] = []
  /** Whether a request has been refused since none waited. */
  #hasRefused = false
  #begun = 0
  #isTurning = false

  constructor({ maxWaitMs = 2_000, standingWaitMs = 500, clock = () => performance.now() }: RequestPaceOptions = {}) {
    this.#maxWaitMs = maxWaitMs
    this.#standingWaitMs = standingWaitMs
    this.#clock = clock
  }

  /**
   * Resolves when a request may be answered; null: at once.
   *
   * @throws AppError `overloaded` (503) when the processor has too much to do to begin with it in time
   */
  turn(): Promise<void> | null {
    if (!this.#isTurning) {
      this.#isTurning = true
      setImmediate(this.#next)
    }
    if (this.#begun < perTurn) {
      this.#begun += 1
      return null
    }
    this.#hasRefused &&= this.#waiting.length > 0
    return new Promise((begin, refuse) => this.#waiting.push({ sinceMs: this.#clock(), begin, refuse }))
  }

  readonly #next = (): void => {
    const nowMs = this.#clock()
    this.#begun = 0
    while (this.#begun < perTurn) {
      const first = this.#waiting.shift()
      if (first === undefined) {
        break
      }
      const isLate = nowMs - first.sinceMs > (this.#hasRefused ? this.#standingWaitMs : this.#maxWaitMs)
      this.#hasRefused ||= isLate
      this.#begun += isLate ? refusalShare : 1
      if (isLate) {
        first.refuse(overloaded(1))
      } else {
        first.begin()
      }
    }
    this.#isTurning = this.#begun > 0
    if (this.#isTurning) {
      setImmediate(this.#next)
    }
  }
}
