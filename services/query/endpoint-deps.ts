import type { Embedder } from '../../shared/ports/embedder.js'
import type { Logger } from '../../shared/runtime/log.js'
import type { QueryConfig } from '../../shared/runtime/query-config.js'
import { stateKeys } from '../../shared/state-keys.js'
import type { EndpointDeps } from './http/endpoint.js'
import { publicOrigin } from './http/public-origin.js'
import type { Backends } from './observability/backends.js'
import { throttle } from './observability/throttle.js'
import { QueryVectors } from './skills/query-vectors.js'
import { StatsCache } from './skills/stats-cache.js'

export interface EndpointDepsOptions {
  config: Pick<QueryConfig, 'publicUrl' | 'trustedProxies'>
  /** Null where skills are found by their words only. */
  embedder: Embedder | null
  log: Logger
  /** Epoch milliseconds. */
  clock: () => number
  /** Called for each search whose text got no vector. */
  onDegraded: () => void
  /** Requests a run of the export job. */
  requestExport: () => void
}

/** Creates what endpoints depend on. @param backends with their time limits, see `guardBackends` */
export const createEndpointDeps = (
  backends: Backends,
  { config, embedder, log, clock, onDegraded, requestExport }: EndpointDepsOptions,
): EndpointDeps => ({
  ...backends,
  vectors: embedder === null ? null : new QueryVectors({ embedder, log, clock, onUnavailable: onDegraded }),
  stats: new StatsCache(() => backends.catalog.readState(stateKeys.stats), clock),
  log,
  clock,
  originOf: (header) => publicOrigin(config, header),
  requestExport: throttle(30_000, requestExport, clock),
})
