import type { z } from 'zod'
import { type FieldError, invalidParameters } from '../../../shared/runtime/errors.js'
import type { Endpoint, EndpointDeps, EndpointRequest, EndpointResult } from './endpoint.js'
import { parseQuery } from './parse-query.js'

/** A request before its parameters are parsed. */
export type UnparsedRequest = Omit<EndpointRequest<unknown, unknown>, 'params' | 'query' | 'given'> & {
  /** The variable segments of the path, decoded. */
  segments: Record<string, string>
  /** The part of the URL after the `?`, still encoded. */
  querystring: string
}

/**
 * Parses the parameters and calls the endpoint's handler.
 *
 * @throws AppError `invalid_parameters` (400) that names every bad parameter; errors of the handler
 */
export async function callEndpoint(
  endpoint: Endpoint,
  { segments, querystring, ...rest }: UnparsedRequest,
  deps: EndpointDeps,
): Promise<EndpointResult<unknown>> {
  const params = endpoint.params.safeParse(segments)
  const parsed = parseQuery(querystring, endpoint.query)
  if (!params.success || parsed.errors !== undefined) {
    throw invalidParameters([...segmentErrors(params.error), ...(parsed.errors ?? [])])
  }
  return endpoint.handle({ ...rest, params: params.data, query: parsed.query, given: parsed.given }, deps)
}

const segmentErrors = (error: z.ZodError | undefined): FieldError[] =>
  (error?.issues ?? []).map(({ path, message }) => ({ parameter: String(path[0]), message: `${message}.` }))
