import Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { z } from 'zod'
import { type FieldError, invalidParameters } from '../../../shared/runtime/errors.js'
import { healthPaths } from '../../../shared/runtime/readiness.js'
import type { FoundEndpoint, QueryMiddleware, RequestState } from '../middleware/state.js'
import { movedTo, unknownPath } from '../problems/errors.js'
import type { Endpoint, EndpointDeps, EndpointResult } from './endpoint.js'
import { parseQuery } from './parse-query.js'
import { sendResponse } from './send-response.js'

/** Every path of an endpoint. */
const pathsOf = ({ path, aliases = [] }: Endpoint): string[] => [path, ...aliases]

/** Every path of every endpoint; the first match of the list wins. Paths are case-sensitive. */
function routerOf(endpoints: Endpoint[]): Router<RequestState> {
  const router = new Router<RequestState>({ strict: true, sensitive: true })
  for (const endpoint of endpoints) {
    for (const path of pathsOf(endpoint)) {
      router.all(path, (ctx, next) => {
        ctx.state.found ??= { endpoint, segments: ctx.params }
        return next()
      })
    }
  }
  return router
}

/** Finds the endpoint of the request's path, for any method: limits, log and metrics use it. */
export const findEndpoint = (endpoints: Endpoint[]): ReturnType<Router<RequestState>['routes']> =>
  routerOf(endpoints).routes()

/** Answers the request with the endpoint that was found. */
export const answerRequest =
  (deps: EndpointDeps): QueryMiddleware =>
  async (ctx, next) => {
    const { found } = ctx.state
    if (found === undefined) {
      return next()
    }
    await sendResponse(ctx, found.endpoint, await callHandler(ctx, found, deps))
  }

/**
 * Refuses requests without an endpoint. No path ends with a slash: a request with one is
 * redirected.
 *
 * @throws AppError `moved` (308) or `unknown_path` (404)
 */
export function refuseUnknownPath(endpoints: Endpoint[]): QueryMiddleware {
  const router = routerOf(endpoints)
  const documented = endpoints.filter(({ docs }) => docs !== null).map(({ path }) => path)
  return (ctx) => {
    const path = withoutLastSlashes(ctx.path)
    // Only to a known path: a redirect to `//host/` would lead a browser to another host.
    const isKnown = healthPaths.includes(path) || router.match(path, 'GET').pathAndMethod.length > 0
    if (path !== ctx.path && isKnown) {
      throw movedTo(`${path}${ctx.search}`, `Paths end without a slash: use ${path}`)
    }
    throw unknownPath(documented)
  }
}

/** A loop, since a regular expression anchored at the end takes quadratic time. */
function withoutLastSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') {
    end -= 1
  }
  return path.slice(0, end)
}

/** The whole request is validated before any backend is called. */
function callHandler(
  ctx: ParameterizedContext,
  { endpoint, segments }: FoundEndpoint,
  deps: EndpointDeps,
): Promise<EndpointResult<unknown>> {
  const params = endpoint.params.safeParse(segments)
  const parsed = parseQuery(ctx.querystring, endpoint.query)
  const errors = [...segmentErrors(params.error), ...(parsed.errors ?? [])]
  if (!params.success || parsed.errors !== undefined) {
    throw invalidParameters(errors)
  }
  return endpoint.handle(
    {
      method: ctx.method === 'HEAD' ? 'HEAD' : 'GET',
      path: ctx.path,
      params: params.data,
      query: parsed.query,
      given: parsed.given,
      header: (name) => ctx.get(name),
      accepts: (types) => ctx.accepts(types),
    },
    deps,
  )
}

const segmentErrors = (error: z.ZodError | undefined): FieldError[] =>
  (error?.issues ?? []).map(({ path, message }) => ({ parameter: String(path[0]), message: `${message}.` }))
