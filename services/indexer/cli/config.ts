import { readSharedConfig, type SharedConfig } from '../../../shared/runtime/config.js'
import { readGroups } from '../../../shared/runtime/env.js'
import { readOperationsConfig } from '../../../shared/runtime/operations.js'
import { readQueryConfig } from '../../../shared/runtime/query-config.js'
import { readWorkers } from '../../../shared/runtime/workers-config.js'
import { readIndexerConfig } from '../config.js'

/**
 * The configuration of the services, except that a command logs nothing unless `LOG_LEVEL` is set: it prints its result
 * and errors for its user.
 *
 * @throws AppError `bad_configuration`
 */
export const readCommandConfig = (env: NodeJS.ProcessEnv = process.env): SharedConfig =>
  readSharedConfig({ ...env, LOG_LEVEL: env['LOG_LEVEL'] || 'silent' })

/**
 * Reads the settings of all services and of the commands.
 *
 * @throws AppError `bad_configuration` whose message lists every bad variable
 */
export function checkConfig(env: NodeJS.ProcessEnv): void {
  readGroups(
    {
      shared: readSharedConfig,
      indexer: readIndexerConfig,
      query: readQueryConfig,
      operations: readOperationsConfig,
      workers: readWorkers,
    },
    env,
  )
}

/** The address of the query service on this machine; null: it takes any free port. @throws AppError `bad_configuration` */
export function readServiceUrl(env: NodeJS.ProcessEnv): string | null {
  const { host, port } = readQueryConfig(env)
  // A service that listens on every network interface answers on this machine's own.
  const name = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  return port === 0 ? null : `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
