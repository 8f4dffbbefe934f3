import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { hostName, readEnv, wholeNumber } from './env.js'
import { listen } from './listen.js'
import { answerHealth, type ReadinessCheck } from './readiness.js'

/** Where the operator's pages are. */
export interface OperationsConfig {
  /** `HOST`, default `127.0.0.1`. */
  host: string
  /** `METRICS_PORT`, default `0`: no such pages. */
  port: number
}

/** @throws AppError `bad_configuration` whose message lists every bad variable */
export function readOperationsConfig(env: NodeJS.ProcessEnv = process.env): OperationsConfig {
  const { HOST, METRICS_PORT } = readEnv({ HOST: hostName, METRICS_PORT: wholeNumber(0, 65_535).default(0) }, env)
  return { host: HOST, port: METRICS_PORT }
}

/** What a service tells its operator beside its log. */
export interface Operations {
  /** Takes the service's metrics. */
  metrics: Registry
  /** Where the pages are; null: nowhere. */
  url: string | null
  /** Tells what the service stands on, once it has that: before, it is not ready. */
  watch(check: ReadinessCheck): void
  close(): Promise<void>
}

/**
 * Serves `/metrics` (Prometheus), `/healthz` and `/readyz` on a port of their own, which the public does not reach.
 *
 * @throws AppError `port_in_use`, `cannot_listen` for the operator
 */
export async function openOperations({ host, port }: OperationsConfig): Promise<Operations> {
  const metrics = new Registry()
  let check: Pick<ReadinessCheck, 'look'> = { look: async () => ({ ready: false, dependencies: {} }) }
  const watch = (given: ReadinessCheck) => {
    check = given
  }
  if (port === 0) {
    return { metrics, url: null, watch, close: async () => undefined }
  }
  collectDefaultMetrics({ register: metrics })
  countDependencies(metrics, () => check.look())
  const server = createServer((request, response) => {
    answer(request, metrics, check).then(
      (page) => send(request, response, page),
      () => send(request, response, text(500, 'The metrics could not be collected.\n')),
    )
  })
  const url = await listen(server, { host, port, variable: 'METRICS_PORT' })
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { metrics, url, watch, close }
}

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
  { method, url = '/' }: IncomingMessage,
  metrics: Registry,
  check: Pick<ReadinessCheck, 'look'>,
): Promise<Page> {
  if (method !== 'GET' && method !== 'HEAD') {
    return text(405, 'Use GET.\n', { Allow: 'GET, HEAD' })
  }
  const path = url.replace(/\?.*$/s, '')
  if (path === '/metrics') {
    return text(200, await metrics.metrics(), { 'Content-Type': metrics.contentType })
  }
  const health = await answerHealth(path, check)
  return health === null
    ? text(404, 'There is: /metrics, /healthz, /readyz\n')
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

/** Every scrape looks for itself: a service that nobody asks anything does not notice what is down. */
function countDependencies(metrics: Registry, look: ReadinessCheck['look']): void {
  new Gauge({
    name: 'catalog_dependency_up',
    help: 'Whether a part that the service stands on answers: 1, or 0.',
    labelNames: ['dependency'],
    registers: [metrics],
    async collect() {
      const { dependencies } = await look()
      for (const [dependency, state] of Object.entries(dependencies)) {
        this.set({ dependency }, state === 'up' ? 1 : 0)
      }
    },
  })
}
