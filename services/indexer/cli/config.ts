import { readSharedConfig, type SharedConfig } from '../../../shared/config.js'

/**
 * What a command is told from outside: what the services are told, except that it logs nothing unless `LOG_LEVEL` is
 * set. A command tells its user what it did in its own words.
 *
 * @throws AppError `bad_configuration`
 */
export const readCommandConfig = (env: NodeJS.ProcessEnv = process.env): SharedConfig =>
  readSharedConfig({ ...env, LOG_LEVEL: env['LOG_LEVEL'] || 'silent' })
