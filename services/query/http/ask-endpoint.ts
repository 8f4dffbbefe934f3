import type { z } from 'zod'
import { callEndpoint } from './call-endpoint.js'
import type { Endpoint, EndpointDeps } from './endpoint.js'
import { withFields } from './fields.js'

/**
 * Gets the body of an endpoint's 200: as JSON, or a text of another media type as it is.
 *
 * @param request.segments the variable segments of its path
 * @param request.querystring its parameters, encoded as in a URL
 * @throws AppError as the endpoint
 */
export type AskEndpoint = (
  endpoint: Endpoint,
  request: { segments: Record<string, string>; querystring: string },
) => Promise<unknown>

/** Calls the handlers of endpoints in this process. @param requestId of the request that asks */
export const askInProcess =
  (deps: EndpointDeps, requestId: string): AskEndpoint =>
  async (endpoint, request) => {
    const answer = await callEndpoint(
      endpoint,
      {
        ...request,
        method: 'GET',
        requestId,
        path: endpoint.path,
        header: () => '',
        accepts: ([type = '']) => type,
        body: '',
      },
      deps,
    )
    if ('body' in answer) {
      return answer.fields === undefined ? answer.body : withFields(Object(answer.body), answer.fields)
    }
    if ('text' in answer) {
      const text = typeof answer.text === 'string' ? answer.text : await answer.text.encoded(null)
      return endpoint.produces === undefined ? JSON.parse(String(text)) : String(text)
    }
    throw new Error(`the endpoint ${endpoint.name} does not answer with JSON`)
  }

/** The variable segments of a path, and the parameters of a request. */
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
