import { z } from 'zod'
import { readEnv } from './env.js'

/** What both services and the command line are told about where the catalog is kept and how they speak of it. */
export interface SharedConfig {
  /** `CATALOG_MODE`: which adapters are opened. */
  mode: 'embedded'
  /** `DATA_DIR`, default `./data`: the folder with the database and the exports. */
  dataDir: string
  /** `LOG_LEVEL`, default `info`. */
  logLevel: string
}

/** @throws AppError `bad_configuration` */
export function readSharedConfig(env: NodeJS.ProcessEnv = process.env): SharedConfig {
  const read = readEnv(
    {
      CATALOG_MODE: z
        .enum(['embedded'], { error: 'must be embedded: this version has no other mode' })
        .default('embedded'),
      MONGODB_URL: z.undefined('is for a mode that this version does not have: unset it').optional(),
      DATA_DIR: z.string().default('./data'),
      LOG_LEVEL: z
        .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
          error: 'must be fatal, error, warn, info, debug, trace or silent',
        })
        .default('info'),
    },
    env,
  )
  return { mode: read.CATALOG_MODE, dataDir: read.DATA_DIR, logLevel: read.LOG_LEVEL }
}
