import { readSharedConfig, type SharedConfig } from '../../shared/config.js'
import { badConfiguration } from '../../shared/env.js'
import { AppError, type FieldError } from '../../shared/errors.js'
import { type IndexerConfig, readIndexerConfig } from '../indexer/config.js'
import { type QueryConfig, readQueryConfig } from '../query/config.js'

/** Everything that both services are told from outside. */
export interface StandaloneConfig {
  shared: SharedConfig
  query: QueryConfig
  indexer: IndexerConfig
}

/** @throws AppError `bad_configuration` whose message lists every bad variable of all three */
export function readStandaloneConfig(env: NodeJS.ProcessEnv = process.env): StandaloneConfig {
  const errors: FieldError[] = []
  const gather = <T>(read: (env: NodeJS.ProcessEnv) => T): T | null => {
    try {
      return read(env)
    } catch (error) {
      if (error instanceof AppError && error.errors !== undefined) {
        errors.push(...error.errors)
        return null
      }
      throw error
    }
  }
  const [shared, query, indexer] = [gather(readSharedConfig), gather(readQueryConfig), gather(readIndexerConfig)]
  if (shared === null || query === null || indexer === null) {
    throw badConfiguration(errors)
  }
  return { shared, query, indexer }
}
