import Router, { type Layer } from '@koa/router'
import type { AppError } from '../../../shared/runtime/errors.js'
import { healthPaths } from '../../../shared/runtime/readiness.js'
import type { FoundEndpoint, RequestContext } from '../middleware/state.js'
import { movedTo, unknownPath } from '../problems/errors.js'
import { callEndpoint } from './call-endpoint.js'
import { type Endpoint, type EndpointDeps, ignoresUnknown, type Method } from './endpoint.js'
import { checkJsonType } from './json-parameters.js'
import { knownPairs } from './parse-query.js'
import { readBody } from './read-body.js'
import { sendResponse } from './send-response.js'

/** Every path of an endpoint. */
const pathsOf = ({ path, aliases = [] }: Endpoint): string[] => [path, ...aliases]

/** Finds endpoints by path, for any method: limits, log and metrics use them. Paths are case-sensitive. */
export class Routes {
  readonly #documented: string[]
  /** Paths without variable segments. */
  readonly #fixed = new Map<string, Endpoint>()
  /** The other paths, in the order of their endpoints. */
  readonly #variable: [Layer, Endpoint][] = []

  constructor(endpoints: Endpoint[]) {
    const router = new Router({ strict: true, sensitive: true })
    this.#documented = endpoints.filter(({ docs }) => docs !== null).map(({ path }) => path)
    for (const endpoint of endpoints) {
      for (const path of pathsOf(endpoint)) {
        if (path.includes(':')) {
          this.#variable.push([router.register(path, ['GET'], () => undefined) as Layer, endpoint])
        } else {
          this.#fixed.set(path, endpoint)
        }
      }
    }
  }

  /** The endpoint of a path; a fixed path wins, then the first that matches. Undefined: there is none. */
  find(path: string): FoundEndpoint | undefined {
    const fixed = this.#fixed.get(path)
    if (fixed !== undefined) {
      return { endpoint: fixed, segments: {} }
    }
    for (const [layer, endpoint] of this.#variable) {
      if (layer.match(path)) {
        return { endpoint, segments: layer.params(path, layer.captures(path)) }
      }
    }
    return undefined
  }

  /**
   * The error of a path without an endpoint. No path ends with a slash: one that does is redirected.
   *
   * @returns AppError `moved` (308) or `unknown_path` (404)
   */
  refusalOf(ctx: RequestContext): AppError {
    const path = withoutLastSlashes(ctx.path)
    // Only to a known path: a redirect to `//host/` would lead a browser to another host.
    const { endpoint } = this.find(path) ?? {}
    if (path === ctx.path || (endpoint === undefined && !healthPaths.includes(path))) {
      return unknownPath(this.#documented)
    }
    const search =
      endpoint === undefined || !ignoresUnknown(endpoint)
        ? ctx.querystring
        : knownPairs(ctx.querystring, endpoint.query).join('&')
    return movedTo(`${path}${search === '' ? '' : `?${search}`}`, `Paths end without a slash: use ${path}`)
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

/** Answers the request with an endpoint. The whole request is validated before any backend is called. */
export async function answerWith(
  ctx: RequestContext,
  { endpoint, segments }: FoundEndpoint,
  deps: EndpointDeps,
): Promise<void> {
  const isPost = ctx.method === 'POST'
  if (isPost && (endpoint.takesJson || endpoint.takes !== undefined)) {
    checkJsonType((name) => ctx.get(name))
  }
  const answer = await callEndpoint(
    endpoint,
    {
      method: ctx.method as Method,
      requestId: ctx.state.requestId,
      path: ctx.path,
      segments,
      querystring: ctx.querystring,
      header: (name) => ctx.get(name),
      accepts: (types) => ctx.accepts(types),
      body: isPost ? await readBody(ctx.req, ctx.res, endpoint.maxBodyBytes ?? 0) : '',
    },
    deps,
  )
  if ('reply' in answer && answer.reply.tool !== null) {
    ctx.state.tool = answer.reply.tool
  }
  await sendResponse(ctx, endpoint, answer, () => deps.originOf((name) => ctx.get(name)))
}
