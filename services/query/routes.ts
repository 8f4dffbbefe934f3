import Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { z } from 'zod'
import { type FieldError, invalidParameters } from '../../shared/errors.js'
import type { Answer, Endpoint, EndpointDeps } from './endpoint.js'
import type { RequestState } from './middleware/state.js'
import { parseQuery } from './parse-query.js'
import { sendAnswer } from './send-answer.js'

/** Every path of an endpoint. */
export const pathsOf = ({ path, aliases = [] }: Endpoint): string[] => [path, ...aliases]

/** Sends each request to the endpoint of its path; paths are matched to the letter, so that each thing has one. */
export function routes(endpoints: Endpoint[], deps: EndpointDeps): ReturnType<Router<RequestState>['routes']> {
  const router = new Router<RequestState>({ strict: true, sensitive: true })
  for (const endpoint of endpoints) {
    for (const path of pathsOf(endpoint)) {
      router.get(path, async (ctx) => {
        ctx.state.endpoint = endpoint.name
        await sendAnswer(ctx, endpoint, await ask(ctx, endpoint, ctx.params, deps))
      })
    }
  }
  return router.routes()
}

/** Nothing is asked of any backend before every part of the request has been found valid. */
function ask(
  ctx: ParameterizedContext,
  endpoint: Endpoint,
  segments: Record<string, string>,
  deps: EndpointDeps,
): Promise<Answer<unknown>> {
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
