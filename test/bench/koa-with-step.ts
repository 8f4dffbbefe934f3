/**
 * A bare Koa with one step of the service's requests: it answers every request with the same JSON, the file that its
 * first argument names, after the step that its second argument names.
 */
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { Registry } from 'prom-client'
import { endpoints } from '../../services/query/endpoints.js'
import { isNotModified } from '../../services/query/http/conditional.js'
import { parseQuery } from '../../services/query/http/parse-query.js'
import { Routes } from '../../services/query/http/routes.js'
import { send } from '../../services/query/http/send.js'
import { SendableText } from '../../services/query/http/sendable-text.js'
import { observeRequest } from '../../services/query/middleware/observe-requests.js'
import { RateLimits } from '../../services/query/middleware/rate-limits.js'
import { checkMethod } from '../../services/query/middleware/read-only.js'
import { identifyRequest } from '../../services/query/middleware/request-id.js'
import { checkHost, checkTarget, normalizeTarget } from '../../services/query/middleware/request-target.js'
import type { RequestContext, RequestState } from '../../services/query/middleware/state.js'
import { QueryMetrics } from '../../services/query/observability/metrics.js'
import { requestLog } from '../../services/query/observability/request-log.js'
import { MemoryRateLimiter } from '../../shared/adapters/embedded/limits/memory-rate-limiter.js'
import { Client } from '../../shared/ports/client.js'
import { createLog } from '../../shared/runtime/log.js'
import type { Step } from './parts/request-way.js'

const body = readFileSync(process.argv[2] ?? '', 'utf8')
const type = 'application/json; charset=utf-8'
const limiter = new MemoryRateLimiter()
const metrics = new QueryMetrics(new Registry(), limiter)
const log = requestLog(createLog('info'))
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
    ctx.state.client = new Client('127.0.0.1')
    observeRequest(ctx, [log])
    answer(ctx)
  },
  metrics(ctx) {
    observeRequest(ctx, [metrics])
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
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\nCtrl-C stops it.\n`)
})
