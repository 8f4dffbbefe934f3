import type { Logger } from '../../../shared/runtime/log.js'
import { clientKey, clientNetwork } from '../http/client-key.js'
import type { RequestObserver } from '../middleware/observe-requests.js'
import type { RefusedRequest } from '../problems/client-errors.js'

/**
 * One line for each request, when its response has been sent. Omits the query string, since it has the user's search
 * text, and logs only the network of the client.
 */
export const requestLog = (log: Logger): RequestObserver => ({
  ended(ctx, { seconds, answered }) {
    const { requestId, found, client, tool } = ctx.state
    // Requests without rate limits come from health checks, all day long.
    log[client === undefined ? 'debug' : 'info'](
      {
        requestId,
        method: ctx.method,
        path: ctx.path.slice(0, 200),
        endpoint: found?.endpoint.name,
        tool: tool?.name,
        status: ctx.res.statusCode,
        durationMs: Math.round(seconds * 10_000) / 10,
        network: client === undefined ? undefined : clientNetwork(client.key),
        aborted: answered ? undefined : true,
      },
      'request',
    )
  },
})

/** The same line for a malformed request. */
export const logRefused = (log: Logger, { requestId, status, address }: RefusedRequest): void =>
  log.info({ requestId, status, network: clientNetwork(clientKey(address)) }, 'malformed request refused')
