import { type EmbeddedConfig, readEmbeddedConfig } from '../../shared/runtime/config.js'
import { readGroups } from '../../shared/runtime/env.js'
import { type OperationsConfig, readOperationsConfig } from '../../shared/runtime/operations.js'
import { type IndexerConfig, readIndexerConfig } from '../indexer/config.js'
import { type QueryConfig, readQueryConfig } from '../query/config.js'

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
