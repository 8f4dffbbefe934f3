/**
 * A bare Koa with one step of the service's requests: it answers every request with the same JSON, the file that its
 * first argument names, after the step that its second argument names.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import Koa from 'koa'
import { Registry } from 'prom-client'
import { endpoints } from '../../services/query/endpoints.js'
import { logRequest, observeRequest, QueryMetrics } from '../../services/query/observability/requests.js'
import {
  checkHost,
  checkMethod,
  checkTarget,
  identifyRequest,
  normalizeTarget,
} from '../../services/query/request/admit.js'
import { send } from '../../services/query/request/answer.js'
import type { RequestContext, RequestState } from '../../services/query/request/endpoint.js'
import { parseQuery } from '../../services/query/request/parse-query.js'
import { RateLimits } from '../../services/query/request/rate-limits.js'
import { Routes } from '../../services/query/request/routes.js'
import { isNotModified, SendableText } from '../../services/query/request/sendable-text.js'
import { MemoryRateLimiter } from '../../shared/adapters/limits/memory-rate-limiter.js'
import { createLog } from '../../shared/runtime/log.js'
import { listen } from '../support/local-server.js'
import type { Step } from './parts/request-way.js'

const body = readFileSync(process.argv[2] ?? '', 'utf8')
const type = 'application/json; charset=utf-8'
const limiter = new MemoryRateLimiter()
const metrics = new QueryMetrics(new Registry(), limiter)
const log = createLog('info')
const routes = new Routes(endpoints)
const limits = new RateLimits({
  limiter,
  policies: [{ name: 'default', quota: 1_000_000, windowSeconds: 60 }],
  trustedProxies: 0,
  clock: Date.now,
  onDecision: () => undefined,
})

function answer(ctx: RequestContext): void {
  ctx.type = type
  ctx.body = body
}

const steps: Record<Step, (ctx: RequestContext) => void | Promise<void>> = {
  ids(ctx) {
    identifyRequest(ctx)
    answer(ctx)
  },
  headers(ctx) {
    identifyRequest(ctx)
    send(ctx, 200, ['Content-Type', type], body)
  },
  async limits(ctx) {
    ctx.state.headers = []
    await limits.count(ctx)
    answer(ctx)
  },
  log(ctx) {
    ctx.state.requestId = '00000000-0000-4000-8000-000000000000'
    ctx.state.client = '127.0.0.1'
    observeRequest(ctx, (end) => logRequest(log, ctx, end))
    answer(ctx)
  },
  metrics(ctx) {
    metrics.began()
    observeRequest(ctx, (end) => metrics.ended(ctx, end))
    answer(ctx)
  },
  validation(ctx) {
    normalizeTarget(ctx)
    const found = routes.find(ctx.path)
    checkHost(ctx)
    checkTarget(ctx)
    checkMethod(ctx)
    if (found !== undefined) {
      found.endpoint.params.safeParse(found.segments)
      parseQuery(ctx.querystring, found.endpoint.query)
    }
    answer(ctx)
  },
  'entity tags'(ctx) {
    const etag = new SendableText(body).entityTag(null)
    ctx.set('ETag', etag)
    isNotModified(ctx.req.headers, { etag })
    answer(ctx)
  },
  async compression(ctx) {
    const text = new SendableText(body)
    const encoding = text.encodingFor('gzip, deflate, br')
    ctx.type = type
    ctx.set('Content-Encoding', encoding ?? 'identity')
    ctx.body = await text.encoded(encoding)
  },
}

const step = steps[process.argv[3] as Step]
const app = new Koa<RequestState>()
app.use((ctx) => step(ctx))
process.stdout.write(`${await listen(createServer(app.callback()))}\nCtrl-C stops it.\n`)
