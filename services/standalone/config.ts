import { availableParallelism } from 'node:os'
import { type EmbeddedConfig, readEmbeddedConfig } from '../../shared/runtime/config.js'
import { readGroups } from '../../shared/runtime/env.js'
import { type OperationsConfig, readOperationsConfig } from '../../shared/runtime/operations.js'
import { type QueryConfig, readQueryConfig } from '../../shared/runtime/query-config.js'
import { type IndexerConfig, readIndexerConfig } from '../indexer/config.js'

/** How long running requests may take to finish on shutdown. */
export const requestGraceMs = 4_000

/** While one search thread runs an expensive query, the other is free. */
const minSearchThreads = 2

/** The event loop takes as long for a search as a thread does: with more threads, searches would wait for it. */
const maxSearchThreads = 8

/** The configuration of both services. */
export interface StandaloneConfig {
  shared: EmbeddedConfig
  query: QueryConfig
  indexer: IndexerConfig
  operations: OperationsConfig
}

/** @throws AppError `bad_configuration` whose message lists every bad variable of both services */
export const readStandaloneConfig = (env: NodeJS.ProcessEnv = process.env): StandaloneConfig =>
  readGroups(
    {
      shared: readEmbeddedConfig,
      query: readQueryConfig,
      indexer: readIndexerConfig,
      operations: readOperationsConfig,
    },
    env,
  )

/** The number of threads that answer searches: one for each core. */
export const searchThreads = (cores = availableParallelism()): number =>
  Math.min(maxSearchThreads, Math.max(minSearchThreads, cores))
