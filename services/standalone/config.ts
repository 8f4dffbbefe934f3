import { availableParallelism } from 'node:os'
import { type EmbeddedConfig, readEmbeddedConfig } from '../../shared/runtime/config.js'
import { readGroups } from '../../shared/runtime/env.js'
import { type OperationsConfig, readOperationsConfig } from '../../shared/runtime/operations.js'
import { type QueryConfig, readQueryConfig, readWorkers } from '../../shared/runtime/query-config.js'
import { type IndexerConfig, readIndexerConfig } from '../indexer/config.js'

/** How long running requests may take to finish on shutdown. */
export const requestGraceMs = 4_000

/** Search threads of a process that answers requests: while one runs an expensive query, the other is free. */
const maxSearchThreads = 2

/** The configuration of both services. */
export interface StandaloneConfig {
  shared: EmbeddedConfig
  query: QueryConfig
  indexer: IndexerConfig
  operations: OperationsConfig
  /**
   * `WORKERS`: the number of processes that answer requests. 1: this process does so itself. Default: one for every two
   * cores, 8 at most.
   */
  workers: number
}

/** @throws AppError `bad_configuration` whose message lists every bad variable of both services */
export const readStandaloneConfig = (env: NodeJS.ProcessEnv = process.env): StandaloneConfig =>
  readGroups(
    {
      shared: readEmbeddedConfig,
      query: readQueryConfig,
      indexer: readIndexerConfig,
      operations: readOperationsConfig,
      workers: readWorkers,
    },
    env,
  )

/** The search threads of each worker: together at most one more than there are cores. */
export const searchThreads = ({ workers }: Pick<StandaloneConfig, 'workers'>): number =>
  Math.max(1, Math.min(maxSearchThreads, Math.floor((availableParallelism() + 1) / workers)))
