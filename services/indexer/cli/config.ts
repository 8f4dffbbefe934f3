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
  return port === 0 ? null : localUrl(`http://${host.includes(':') ? `[${host}]` : host}:${port}`)
}

/** The same address on this machine: a service that listens on every network interface answers on this machine's own. */
export const localUrl = (url: string): string => url.replace(/^http:\/\/(0\.0\.0\.0|\[::\])/, 'http://127.0.0.1')
