import { type EmbeddedConfig, readEmbeddedConfig } from '../../shared/config.js'
import { readGroups } from '../../shared/env.js'
import { type OperationsConfig, readOperationsConfig } from '../../shared/operations.js'
import { type IndexerConfig, readIndexerConfig } from '../indexer/config.js'
import { type QueryConfig, readQueryConfig } from '../query/config.js'

/** Everything that both services are told from outside. */
export interface StandaloneConfig {
  shared: EmbeddedConfig
  query: QueryConfig
  indexer: IndexerConfig
  operations: OperationsConfig
}

/** @throws AppError `bad_configuration` whose message lists every bad variable of all of them */
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
