import type { Logger } from '../../shared/log.js'
import type { RefusedRequest } from './client-errors.js'
import { clientKey, clientNetwork } from './client-key.js'
import type { RequestObserver } from './middleware/observe-requests.js'

/**
 * One line for each request, when its answer has left. The query string is not logged, since it holds what somebody
 * is looking for, and of the client only its network.
 */
export const requestLog = (log: Logger): RequestObserver => ({
  ended(ctx, { seconds, answered }) {
    const { requestId, found, client } = ctx.state
    // What is outside the limits is asked for by machines, all day long.
    log[client === undefined ? 'debug' : 'info'](
      {
        requestId,
        method: ctx.method,
        path: ctx.path.slice(0, 200),
        endpoint: found?.endpoint.name,
        status: ctx.res.statusCode,
        durationMs: Math.round(seconds * 10_000) / 10,
        network: client === undefined ? undefined : clientNetwork(client),
        aborted: answered ? undefined : true,
      },
      'request',
    )
  },
})

/** The same line for a request that could not be read. */
export const logRefused = (log: Logger, { requestId, status, address }: RefusedRequest): void =>
  log.info({ requestId, status, network: clientNetwork(clientKey(address)) }, 'request refused unread')
