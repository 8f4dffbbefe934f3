import { readSharedConfig, type SharedConfig } from '../../../shared/runtime/config.js'

/**
 * The configuration of the services, except that a command logs nothing unless `LOG_LEVEL` is set: it prints its result
 * and errors for its user.
 *
 * @throws AppError `bad_configuration`
 */
export const readCommandConfig = (env: NodeJS.ProcessEnv = process.env): SharedConfig =>
  readSharedConfig({ ...env, LOG_LEVEL: env['LOG_LEVEL'] || 'silent' })
