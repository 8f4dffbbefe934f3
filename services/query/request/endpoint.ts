import type { ParameterizedContext } from 'koa'
import { z } from 'zod'
import type { Vector } from '../../../shared/ports/embedder.js'
import type { RateLimitPolicy } from '../../../shared/ports/rate-limiter.js'
import type { SearchHit } from '../../../shared/ports/search-index.js'
import type { Logger } from '../../../shared/runtime/log.js'
import type { Backends } from '../observability/backends.js'
import type { EndpointDocs } from '../openapi/documented-as.js'
import type { Download } from './download.js'
import type { ListCache } from './list-cache.js'
import type { Problem } from './problems.js'
import type { SendableText } from './sendable-text.js'

/** A call of an MCP tool, for log and metrics. */
export interface ToolCall {
  /** One of the tools' names. */
  name: string
  /** Refused: by an error of the client, such as a bad argument or an unknown skill. */
  outcome: 'answered' | 'refused' | 'failed'
}

/** The dependencies of endpoints. */
export interface EndpointDeps extends Backends {
  lists: ListCache
  /** The body of `/api/v1/stats`, see `StatsCache`. */
  stats: { get(): Promise<{ text: SendableText; ageSeconds: number }> }
  /** See `QueryVectors`; null where skills are found by their words only. */
  vectors: { vectorOf(text: string): Promise<Vector | null> } | null
  /** See `SecondStage`; null where no reranker puts the first hits in order. */
  secondStage: {
    order(query: string, hits: SearchHit[], catalog: Backends['catalog']): Promise<SearchHit[] | null>
  } | null
  log: Logger
  /** Epoch milliseconds. */
  clock: () => number
  /** The origin under which the client reaches this service, from the headers of its request. */
  originOf(header: (name: string) => string): string
  /** The origin that is configured; null: there is none, and no name that stays the same. */
  publicUrl: string | null
  /** Requests the export files; returns at once. Repeated calls are merged into one. */
  requestExport(): void
}

/** A parsed and valid request; one by `HEAD` is answered like `GET`, without a body. */
export interface EndpointRequest<Params, Query> {
  requestId: string
  /** The requested path: the endpoint's own or an alias. */
  path: string
  params: Params
  query: Query
  /** The query parameters as sent, decoded, in their order: for links to other pages of the same list. */
  given: [name: string, value: string][]
  /** A header's value; empty when there is none. */
  header(name: string): string
  /** The media type that the client prefers; false when it accepts none of them. */
  accepts(types: string[]): string | false
  /** The body of a POST; else empty. */
  body: string
}

/** The methods of endpoints; every path also answers OPTIONS. */
export type Method = 'GET' | 'HEAD' | 'POST'

/** The methods of an endpoint that names none, and of paths without an endpoint. */
export const readMethods: readonly Method[] = ['GET', 'HEAD']

/**
 * JSON as a value of the endpoint's `response`; a text, which may be JSON that is finished already; or a file. `digested`:
 * with `Repr-Digest`.
 */
export type EndpointResult<Body> = (
  | { body: Body }
  | { text: string | SendableText; digested?: true }
  | { download: Download }
) & {
  /** The status of a reply of another protocol than this API's, which has its own errors. Default: 200. */
  status?: number
  /** The tool that the request has called, for log and metrics. */
  tool?: ToolCall | undefined
  links?: Link[]
  /** The address of the licence of the body; null: it is not known. Default: that of the catalog's data. */
  license?: string | null
  headers?: Record<string, string>
}

/** One entry of the `Link` header; the target is a path of this service, and is sent as an absolute URL. */
export interface Link {
  rel: 'next' | 'canonical' | 'api-catalog' | 'service-desc' | 'service-doc'
  target: string
}

/**
 * An endpoint as a value: its parameters, its response and its handler. Router, validation and documentation use the
 * same value.
 */
export interface Endpoint<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Response extends z.ZodType = z.ZodType,
> {
  /** Its name in the log and the metrics. */
  name: string
  /** The path, with `:name` for a variable segment. */
  path: string
  /** Other paths of the same endpoint. */
  aliases?: string[]
  /** Default: `readMethods`. */
  methods?: readonly Method[]
  /** The maximum size of the body of a POST. Default: the endpoint takes none. */
  maxBodyBytes?: number
  /** Whether a POST is a GET whose parameters are a JSON object in its body, for those that are too long for a URL. */
  takesJson?: true
  /** The schema of the body of a POST that is JSON with a shape of its own; the handler parses it. */
  takes?: z.ZodType
  /** Members that its errors have in addition to those of a problem, for clients that expect others. */
  errorMembers?: (problem: Problem) => Record<string, string>
  /** One line for the documentation. */
  summary: string
  /** The rest of the documentation; null: not documented, since it is a part of a page. */
  docs: EndpointDocs | null
  params: Params
  /** The query parameters: schemas from text to value. One with `.meta({ repeatable: true })` takes a list of texts; of one
   * with `.meta({ formField: true })` an empty text is absent. */
  query: Query
  /**
   * The schema of a 200, with all fields of its skills, for the document, the pages and the tools of MCP. A response is
   * not parsed by it: handlers give public records, of which `toPublicSkill` and the like have chosen the fields.
   */
  response: Response
  /** The media type of a 200. Default: JSON. */
  produces?: string
  /** Whether unknown parameters are ignored in the API as well: for clients of others, which may send more. */
  ignoresUnknown?: true
  /**
   * The quotas that a request consumes: `default`, and others; requests for files of datasets have their own instead, and
   * the parts of a page none.
   */
  limits: RateLimitPolicy['name'][]
  /**
   * How long caches may keep a response, and may serve it stale while they fetch a new one; `immutable`: it never
   * changes. Null: they may not keep it.
   */
  cache: { maxAgeSeconds: number; staleWhileRevalidateSeconds?: number; immutable?: true } | null
  /** @throws AppError for every status other than 200 */
  handle(
    request: EndpointRequest<z.output<Params>, z.output<Query>>,
    deps: EndpointDeps,
  ): Promise<EndpointResult<z.output<Response>>>
}

/** Whether an endpoint answers POST and not GET: see `checkOrigin`. */
export const isPostOnly = ({ methods = readMethods }: Pick<Endpoint, 'methods'>): boolean => !methods.includes('GET')

/** Whether the parameters that an endpoint does not know are ignored. */
export const ignoresUnknown = (asked: Pick<Endpoint, 'path' | 'ignoresUnknown'>): boolean =>
  asked.ignoresUnknown === true || !isOfApi(asked.path)

/**
 * Whether a path is one of the API, for programs, whose unknown parameters are refused: a mistyped filter must not
 * silently return everything. Elsewhere (pages, feeds, files) they are ignored: links carry those of mail and advertising
 * (`utm_source`, `fbclid`).
 */
export const isOfApi = (path: string): boolean => /^\/(?:api|mcp)(?:\/|$)/.test(path)

/**
 * A path with the given query, changed.
 *
 * @param changes by parameter: a new value, or null to omit it
 */
export function pathWithQuery(
  path: string,
  given: [name: string, value: string][],
  changes: Record<string, string | null> = {},
): string {
  const kept = given.filter(([name]) => !Object.hasOwn(changes, name))
  const added = Object.entries(changes).filter((change): change is [string, string] => change[1] !== null)
  const query = new URLSearchParams([...kept, ...added]).toString()
  return query === '' ? path : `${path}?${query}`
}

const nothing = z.object({})
const defaultLimits: Endpoint['limits'] = ['default']

/**
 * Creates an endpoint; the compiler infers what its handler is given and must return. By default it takes no parameters,
 * answers with a text, and consumes the quota `default`.
 */
export const endpoint = <
  Params extends z.ZodObject = typeof nothing,
  Query extends z.ZodObject = typeof nothing,
  Response extends z.ZodType = z.ZodString,
>(
  definition: Omit<Endpoint<Params, Query, Response>, 'params' | 'query' | 'response' | 'limits'> &
    Partial<Pick<Endpoint<Params, Query, Response>, 'params' | 'query' | 'response' | 'limits'>>,
): Endpoint<Params, Query, Response> =>
  ({ params: nothing, query: nothing, response: z.string(), limits: defaultLimits, ...definition }) as Endpoint<
    Params,
    Query,
    Response
  >

/** The endpoint of a path, with its path parameters. */
export interface FoundEndpoint {
  endpoint: Endpoint
  segments: Record<string, string>
}

/** What the steps of a request share about it. */
export interface RequestState {
  requestId: string
  /** The headers of any answer to this request, names and values in turn. */
  headers: string[]
  /** Why the URL cannot be read; null when it can. */
  targetError: string | null
  /** The key of its client, see `clientKey`; absent where nothing is counted. */
  client?: string
  /** Absent when the path belongs to no endpoint. */
  found?: FoundEndpoint
  /** The endpoint of the path without its last slashes, where the path itself belongs to none. */
  endpointBeforeSlash?: Endpoint
  /** The tool that was called over MCP; absent for other requests. */
  tool?: ToolCall
}

export type RequestContext = ParameterizedContext<RequestState>
