import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Registry } from 'prom-client'
import { z } from 'zod'
import { pathOfTarget } from '../text/parse-url.js'
import { hostName, readEnv, wholeNumber } from './env.js'
import { allHeaders, listen } from './listen.js'

/** Requests within this time share one check, since they are not rate limited. */
const cacheMs = 1_000

/** Time limit of one check. */
const timeLimitMs = 5_000

export interface Readiness {
  ready: boolean
  dependencies: Record<string, 'up' | 'down'>
}

/** Checks which dependencies of a service are available. */
export class ReadinessCheck {
  readonly #checks: Record<string, () => Promise<unknown>>
  readonly #clock: () => number
  #last: { atMs: number; readiness: Promise<Readiness> } | null = null

  /**
   * @param checks by dependency: a cheap call; it is down if the call rejects
   * @param clock epoch milliseconds
   */
  constructor(checks: Record<string, () => Promise<unknown>>, clock: () => number = Date.now) {
    this.#checks = checks
    this.#clock = clock
  }

  /** Checks all of them, at most once per second. Never throws. */
  check(): Promise<Readiness> {
    const nowMs = this.#clock()
    if (this.#last === null || nowMs - this.#last.atMs >= cacheMs) {
      this.#last = { atMs: nowMs, readiness: this.#checkAll() }
    }
    return this.#last.readiness
  }

  async #checkAll(): Promise<Readiness> {
    const states = await Promise.all(
      Object.entries(this.#checks).map(async ([name, ask]) => [name, await isUp(ask)] as const),
    )
    return {
      ready: states.every(([, up]) => up),
      dependencies: Object.fromEntries(states.map(([name, up]) => [name, up ? 'up' : 'down'])),
    }
  }
}

const isUp = (ask: () => Promise<unknown>): Promise<boolean> =>
  Promise.race([ask().then(() => true), sleep(timeLimitMs, false, { ref: false })]).catch(() => false)

/** The result of a call; null when it fails, or takes longer than this. */
export const orNull = <T>(asked: Promise<T>, limitMs: number): Promise<T | null> =>
  Promise.race([asked, sleep(limitMs, null, { ref: false })]).catch(() => null)

/** The paths of `answerHealth`. */
export const healthPaths = ['/healthz', '/readyz']

/** The response of `/healthz` and `/readyz`; null for any other path. */
export async function answerHealth(
  path: string,
  check: Pick<ReadinessCheck, 'check'>,
): Promise<{ status: 200 | 503; body: Record<string, unknown> } | null> {
  switch (path) {
    case '/healthz':
      return { status: 200, body: { status: 'alive' } }
    case '/readyz': {
      const { ready, dependencies } = await check.check()
      return { status: ready ? 200 : 503, body: { status: ready ? 'ready' : 'not_ready', dependencies } }
    }
    default:
      return null
  }
}

/** The address of the operator's endpoints. */
export interface OperationsConfig {
  /** `HOST`, default `127.0.0.1`. */
  host: string
  /** `METRICS_PORT`, default `0`: disabled. */
  port: number
  /** `OPERATIONS_TOKEN`: the token that the operator's desk asks for; null: none. */
  token: string | null
}

/** Characters that a header can carry; as many as make a random token impossible to guess. */
const operationsToken = z
  .string()
  .regex(/^[\x21-\x7e]{16,256}$/, 'must have 16 to 256 characters, without spaces: openssl rand -hex 24 makes one')

/** @throws AppError `bad_configuration` whose message lists every bad variable */
export function readOperationsConfig(env: NodeJS.ProcessEnv = process.env): OperationsConfig {
  const { HOST, METRICS_PORT, OPERATIONS_TOKEN } = readEnv(
    {
      HOST: hostName,
      METRICS_PORT: wholeNumber(0, 65_535).default(0),
      OPERATIONS_TOKEN: operationsToken.optional(),
    },
    env,
  )
  return { host: HOST, port: METRICS_PORT, token: OPERATIONS_TOKEN ?? null }
}

/** The operator's endpoints of a service. */
export interface Operations {
  /** The registry of the service's metrics. */
  metrics: Registry
  /** The URL of the endpoints; null: disabled. */
  url: string | null
  /** Sets the readiness check once the service has its backends; before that it is not ready. */
  watch(check: ReadinessCheck): void
  /**
   * Serves all other paths, those of the operator's desk.
   *
   * @param open makes the handler for the URL of the endpoints; not called when they are disabled
   */
  serve(open: (url: string) => RequestListener): void
  close(): Promise<void>
}

/**
 * Serves `/metrics` (Prometheus), `/healthz` and `/readyz` on a port that is not public.
 *
 * @throws AppError `port_in_use`, `cannot_listen` for the operator
 */
export async function openOperations({ host, port }: Pick<OperationsConfig, 'host' | 'port'>): Promise<Operations> {
  // Commands read this configuration as well, and need no metrics.
  const { collectDefaultMetrics, Gauge, Registry } = await import('prom-client')
  const metrics = new Registry()
  let check: Pick<ReadinessCheck, 'check'> = { check: async () => ({ ready: false, dependencies: {} }) }
  const watch = (given: ReadinessCheck) => {
    check = given
  }
  if (port === 0) {
    return { metrics, url: null, watch, serve: () => undefined, close: async () => undefined }
  }
  collectDefaultMetrics({ register: metrics })
  countDependencies(Gauge, metrics, () => check.check())
  let desk: RequestListener | null = null
  const server = createServer((request, response) => {
    if (desk !== null && !ownPaths.includes(pathOf(request))) {
      desk(request, response)
      return
    }
    answer(request, metrics, check).then(
      (page) => send(request, response, page),
      () => send(request, response, text(500, 'The metrics could not be collected.\n')),
    )
  })
  server.maxHeadersCount = allHeaders
  const url = await listen(server, { host, port, variable: 'METRICS_PORT' })
  const serve = (open: (url: string) => RequestListener) => {
    desk = open(url)
  }
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { metrics, url, watch, serve, close }
}

const ownPaths = ['/metrics', ...healthPaths]

const pathOf = ({ url = '/' }: IncomingMessage): string => (pathOfTarget(url) ?? url).replace(/\?.*$/s, '')

interface Page {
  status: number
  headers: Record<string, string>
  body: string
}

const text = (status: number, body: string, headers: Record<string, string> = {}): Page => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
  body,
})

async function answer(
  request: IncomingMessage,
  metrics: Registry,
  check: Pick<ReadinessCheck, 'check'>,
): Promise<Page> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return text(405, 'Use GET.\n', { Allow: 'GET, HEAD' })
  }
  const path = pathOf(request)
  if (path === '/metrics') {
    return text(200, await metrics.metrics(), { 'Content-Type': metrics.contentType })
  }
  const health = await answerHealth(path, check)
  return health === null
    ? text(404, `Not found. Paths: ${ownPaths.join(', ')}\n`)
    : text(health.status, JSON.stringify(health.body), { 'Content-Type': 'application/json; charset=utf-8' })
}

function send(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Page): void {
  response.writeHead(status, {
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** Checks at every scrape: an idle service would not notice an outage. */
function countDependencies(
  Gauge: typeof import('prom-client').Gauge,
  metrics: Registry,
  check: ReadinessCheck['check'],
): void {
  new Gauge({
    name: 'catalog_dependency_up',
    help: '1 if the dependency is available, else 0.',
    labelNames: ['dependency'],
    registers: [metrics],
    async collect() {
      const { dependencies } = await check()
      for (const [dependency, state] of Object.entries(dependencies)) {
        this.set({ dependency }, state === 'up' ? 1 : 0)
      }
    },
  })
}
