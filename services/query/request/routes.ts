import Router, { type Layer } from '@koa/router'
import type { z } from 'zod'
import { type AppError, type FieldError, invalidParameters } from '../../../shared/runtime/errors.js'
import { healthPaths } from '../../../shared/runtime/operations.js'
import { sendResponse } from './answer.js'
import {
  type Endpoint,
  type EndpointDeps,
  type EndpointRequest,
  type EndpointResult,
  type FoundEndpoint,
  ignoresUnknown,
  type RequestContext,
} from './endpoint.js'
import { knownPairs, parseQuery } from './parse-query.js'
import { movedTo, problemError } from './problems.js'
import { checkJsonType, parseJsonQuery, readBody } from './read-body.js'

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
      for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
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

  /** Notes the endpoint of the requested path. No path ends with a slash: of one that does, that of the path without it. */
  note({ path, state }: RequestContext): void {
    const found = this.find(path)
    if (found !== undefined) {
      state.found = found
      return
    }
    const { endpoint } = path.endsWith('/') ? (this.find(withoutLastSlashes(path)) ?? {}) : {}
    if (endpoint !== undefined) {
      state.endpointBeforeSlash = endpoint
    }
  }

  /**
   * The error of a path without an endpoint: one with a slash at its end is redirected.
   *
   * @returns AppError `moved` (308) or `unknown_path` (404)
   */
  refusalOf(ctx: RequestContext): AppError {
    const path = withoutLastSlashes(ctx.path)
    // Only to a known path: a redirect to `//host/` would lead a browser to another host.
    const endpoint = ctx.state.endpointBeforeSlash
    if (path === ctx.path || (endpoint === undefined && !healthPaths.includes(path))) {
      const paths = this.#documented.join(', ')
      return problemError('unknown_path', `There is no endpoint at this path. Endpoints: ${paths}.`)
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
      isPost,
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
  if (answer.tool !== undefined) {
    ctx.state.tool = answer.tool
  }
  await sendResponse(ctx, endpoint, answer, () => deps.originOf((name) => ctx.get(name)))
}

type UnparsedRequest = Omit<EndpointRequest<unknown, unknown>, 'params' | 'query' | 'given'> & {
  isPost: boolean
  /** The variable segments of the path, decoded. */
  segments: Record<string, string>
  /** The part of the URL after the `?`, still encoded; of a POST the parameters may be in the body instead. */
  querystring: string
}

/**
 * Parses the parameters and calls the endpoint's handler.
 *
 * @throws AppError `invalid_parameters` (400) that names every bad parameter; errors of the handler
 */
function callEndpoint(
  endpoint: Endpoint,
  { segments, querystring, isPost, requestId, path, header, accepts, body }: UnparsedRequest,
  deps: EndpointDeps,
): Promise<EndpointResult<unknown>> {
  const params = endpoint.params.safeParse(segments)
  const parsed =
    endpoint.takesJson && isPost
      ? parseJsonQuery(body, querystring, endpoint.query)
      : parseQuery(querystring, endpoint.query, { ignoresUnknown: ignoresUnknown(endpoint) })
  if (!params.success || parsed.errors !== undefined) {
    throw invalidParameters([...segmentErrors(params.error), ...(parsed.errors ?? [])])
  }
  // Member by member: V8 keeps the objects that a spread copies functions to until the next full collection of garbage.
  // That took 5 µs of a short answer's 39.
  const { query, given } = parsed
  return endpoint.handle({ requestId, path, header, accepts, body, params: params.data, query, given }, deps)
}

const segmentErrors = (error: z.ZodError | undefined): FieldError[] =>
  (error?.issues ?? []).map(({ path, message }) => ({ parameter: String(path[0]), message: `${message}.` }))

/**
 * Gets the body of an endpoint's 200: the value of its JSON, or a text of another media type as it is.
 *
 * @param request.segments the variable segments of its path
 * @param request.querystring its parameters, encoded as in a URL
 * @throws AppError as the endpoint
 */
export type AskEndpoint = (
  endpoint: Endpoint,
  request: { segments: Record<string, string>; querystring: string },
) => Promise<unknown>

/** Calls the handlers of endpoints in this process; these need no id of a request. */
export const askInProcess =
  (deps: EndpointDeps): AskEndpoint =>
  async (endpoint, request) => {
    const answer = await callEndpoint(
      endpoint,
      {
        ...request,
        isPost: false,
        requestId: '',
        path: endpoint.path,
        header: () => '',
        accepts: ([type = '']) => type,
        body: '',
      },
      deps,
    )
    if ('body' in answer) {
      return answer.body
    }
    if ('text' in answer) {
      const text = typeof answer.text === 'string' ? answer.text : await answer.text.encoded(null)
      return endpoint.produces === undefined ? JSON.parse(String(text)) : String(text)
    }
    throw new Error(`the endpoint ${endpoint.name} does not answer with JSON`)
  }

interface Asked {
  segments?: Record<string, string>
  parameters?: Record<string, string> | [name: string, value: string][]
}

/**
 * The body of an endpoint's 200 in its own type.
 *
 * @throws AppError as the endpoint; ZodError where another catalog answers in another form
 */
export async function answerOf<Response extends z.ZodType>(
  ask: AskEndpoint,
  endpoint: Endpoint<z.ZodObject, z.ZodObject, Response>,
  { segments = {}, parameters = {} }: Asked = {},
): Promise<z.output<Response>> {
  return endpoint.response.parse(
    await ask(endpoint, { segments, querystring: String(new URLSearchParams(parameters)) }),
  )
}
