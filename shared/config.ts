import { z } from 'zod'
import { type DocumentSettings, defaultDocumentSettings, FieldNamesText } from './document-settings.js'
import { badConfiguration, readEnv } from './env.js'

interface CommonConfig {
  /** `LOG_LEVEL`, default `info`. */
  logLevel: string
}

/** One process, one folder. */
export interface EmbeddedConfig extends CommonConfig {
  mode: 'embedded'
  /** `DATA_DIR`, default `./data`: the folder with the database and the exports. */
  dataDir: string
}

/** Records in MongoDB, the index in Meilisearch, jobs and limits in Redis. */
export interface ServersConfig extends CommonConfig {
  mode: 'servers'
  /** `MONGODB_URL`: the database is the one in its path, `catalog` when it has none. */
  mongodbUrl: string
  /** `MEILI_URL`. */
  meiliUrl: string
  /** `MEILI_KEY`; null where Meilisearch asks for none. */
  meiliKey: string | null
  /** `REDIS_URL`: where jobs are kept. */
  redisUrl: string
  /** `RATE_LIMIT_REDIS_URL`, default `REDIS_URL`: where requests are counted. */
  rateLimitRedisUrl: string
  /** `MONGODB_FIELDS` and `MONGODB_CHANGED_FIELD`: how documents that others write are read. */
  documents: DocumentSettings
}

/**
 * What both services and the command line are told about where the catalog is kept and how they speak of it.
 * `CATALOG_MODE` says which of the two it is; by default `servers` when `MONGODB_URL` is set, else `embedded`.
 */
export type SharedConfig = EmbeddedConfig | ServersConfig

const address = (protocols: RegExp, example: string) =>
  z.string().refine((text) => protocols.test(text) && URL.canParse(text), `must look like ${example}`)

const mongodbAddress = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\/[^/]/, 'must look like mongodb://user:password@host:27017/catalog')
const redisAddress = address(/^rediss?:\/\//, 'redis://:password@host:6379/0')

/** @throws AppError `bad_configuration` */
export function readSharedConfig(env: NodeJS.ProcessEnv = process.env): SharedConfig {
  const { CATALOG_MODE, LOG_LEVEL } = readEnv(
    {
      CATALOG_MODE: z
        .enum(['embedded', 'servers'], { error: 'must be embedded or servers' })
        .default(env['MONGODB_URL'] ? 'servers' : 'embedded'),
      LOG_LEVEL: z
        .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
          error: 'must be fatal, error, warn, info, debug, trace or silent',
        })
        .default('info'),
    },
    env,
  )
  return CATALOG_MODE === 'embedded' ? readEmbedded(env, LOG_LEVEL) : readServers(env, LOG_LEVEL)
}

/** The same, of what runs in the embedded mode only. @throws AppError `bad_configuration` */
export function readEmbeddedConfig(env: NodeJS.ProcessEnv = process.env): EmbeddedConfig {
  const config = readSharedConfig(env)
  if (config.mode !== 'embedded') {
    throw badConfiguration([
      {
        parameter: env['CATALOG_MODE'] ? 'CATALOG_MODE' : 'MONGODB_URL',
        message:
          'asks for the servers mode, which runs as two services: npm run start:indexer and npm run start:query.',
      },
    ])
  }
  return config
}

/** The same, of what runs in the servers mode only. @throws AppError `bad_configuration` */
export function readServersConfig(env: NodeJS.ProcessEnv = process.env): ServersConfig {
  const config = readSharedConfig(env)
  if (config.mode !== 'servers') {
    throw badConfiguration([
      {
        parameter: 'MONGODB_URL',
        message:
          'must be set for a service on servers, with MEILI_URL and REDIS_URL. Without servers, npm start runs both ' +
          'services in one process.',
      },
    ])
  }
  return config
}

function readEmbedded(env: NodeJS.ProcessEnv, logLevel: string): EmbeddedConfig {
  const read = readEnv({ DATA_DIR: z.string().default('./data') }, env)
  return { mode: 'embedded', dataDir: read.DATA_DIR, logLevel }
}

function readServers(env: NodeJS.ProcessEnv, logLevel: string): ServersConfig {
  const read = readEnv(
    {
      MONGODB_URL: mongodbAddress.optional(),
      MEILI_URL: address(/^https?:\/\//, 'http://host:7700').optional(),
      MEILI_KEY: z.string().optional(),
      REDIS_URL: redisAddress.optional(),
      RATE_LIMIT_REDIS_URL: redisAddress.optional(),
      MONGODB_FIELDS: FieldNamesText.default(defaultDocumentSettings.fields),
      MONGODB_CHANGED_FIELD: z
        .string()
        .regex(/^[^$.][^$]*$/, 'must be the name of a field')
        .default(defaultDocumentSettings.changedField),
    },
    env,
  )
  const { MONGODB_URL, MEILI_URL, REDIS_URL } = read
  if (MONGODB_URL === undefined || MEILI_URL === undefined || REDIS_URL === undefined) {
    const missing = Object.entries({ MONGODB_URL, MEILI_URL, REDIS_URL }).filter(([, value]) => value === undefined)
    throw badConfiguration(
      missing.map(([parameter]) => ({
        parameter,
        message: 'must be set: CATALOG_MODE is servers. Without any of these, npm start runs the embedded mode.',
      })),
    )
  }
  return {
    mode: 'servers',
    mongodbUrl: MONGODB_URL,
    meiliUrl: MEILI_URL,
    meiliKey: read.MEILI_KEY ?? null,
    redisUrl: REDIS_URL,
    rateLimitRedisUrl: read.RATE_LIMIT_REDIS_URL ?? REDIS_URL,
    documents: { fields: read.MONGODB_FIELDS, changedField: read.MONGODB_CHANGED_FIELD },
    logLevel,
  }
}
