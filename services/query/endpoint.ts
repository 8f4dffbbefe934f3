import type { z } from 'zod'
import type { RateLimitPolicy } from '../../shared/ports/rate-limiter.js'
import type { Backends } from './backends.js'
import type { Download } from './download.js'
import type { EndpointDocs } from './openapi/endpoint-docs.js'
import type { SendableText } from './sendable-text.js'
import type { StatsCache } from './stats-cache.js'

/** What endpoints work with. */
export interface EndpointDeps extends Backends {
  stats: StatsCache
  /** Epoch milliseconds. */
  clock: () => number
  /** The origin under which the client reaches this service, given the headers of its request. */
  originOf(header: (name: string) => string): string
  /** Asks for the export files to be written; returns at once, and asking often is asking once. */
  requestExport(): void
}

/** A request as an endpoint sees it: parsed and valid. */
interface EndpointRequest<Params, Query> {
  /** `HEAD` is answered like `GET`, without the body. */
  method: 'GET' | 'HEAD'
  /** The path as requested, one of the endpoint's. */
  path: string
  params: Params
  query: Query
  /** The query parameters as given, decoded, in their order: for links to other pages of the same question. */
  given: [name: string, value: string][]
  /** A header's value; empty when there is none. */
  header(name: string): string
  /** Which of these media types the client likes best; false when it wants none of them. */
  accepts(types: string[]): string | false
}

/**
 * JSON, shaped by the endpoint's `response`; a text of another kind; or a file. `fields`, where it is set, are those of
 * the skills in the body that were asked for: the others are left out of it.
 */
export type Answer<Body> = (
  | { body: Body; fields?: readonly string[] | undefined }
  | { text: string | SendableText }
  | { download: Download }
) & {
  links?: Link[]
  headers?: Record<string, string>
}

/** One entry of the `Link` header; the target is a path of this service. */
export interface Link {
  rel: 'next' | 'canonical' | 'api-catalog' | 'service-desc' | 'service-doc' | 'alternate'
  target: string
}

/**
 * An endpoint as a value: what it takes, what it gives, how it gets there. The router, the validation and the
 * documentation read the same value.
 */
export interface Endpoint<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Response extends z.ZodType = z.ZodType,
> {
  /** Its name in the log; the file's name. */
  name: string
  /** The path, `:name` for a segment that varies. */
  path: string
  /** Other paths of the same handler. */
  aliases?: string[]
  /** One line for the documentation. */
  summary: string
  /** The rest of the documentation; null: it is not shown there, since it is a part of a page. */
  docs: EndpointDocs | null
  params: Params
  /** The query parameters: schemas from text to value. One with `.meta({ repeatable: true })` takes a list of texts. */
  query: Query
  /** What a 200 holds, with all fields of its skills. It is the last allow-list: what it does not name does not leave. */
  response: Response
  /** The media type of a 200. Default: JSON. */
  produces?: string
  /**
   * Members of the body that the entity tag leaves out: what tells of the work that an answer took, and would make each
   * answer another one though the data are the same.
   */
  volatile?: string[]
  /** The quotas that a request consumes; every one consumes `default`. */
  limits: RateLimitPolicy['name'][]
  /**
   * How long an answer may be kept by others, and used for once more while a new one is fetched; `immutable`: it will
   * never be another one.
   */
  cache: { maxAgeSeconds: number; staleWhileRevalidateSeconds?: number; immutable?: true }
  /** @throws AppError for every answer that is not a 200 */
  handle(
    request: EndpointRequest<z.output<Params>, z.output<Query>>,
    deps: EndpointDeps,
  ): Promise<Answer<z.output<Response>>>
}

/** Lets the compiler infer what an endpoint's handler is given and must return. */
export const endpoint = <Params extends z.ZodObject, Query extends z.ZodObject, Response extends z.ZodType>(
  definition: Endpoint<Params, Query, Response>,
): Endpoint<Params, Query, Response> => definition

/**
 * A path with the given query and some changes to it.
 *
 * @param changes by parameter: a new value, or null to leave it out
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
