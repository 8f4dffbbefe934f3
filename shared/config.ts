import { z } from 'zod'
import { type DocumentSettings, defaultDocumentSettings, FieldNamesText } from './document-settings.js'
import { badConfiguration, readEnv, readGroups } from './env.js'

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

/** The part of it that the mode decides. */
type WhereKept = Omit<EmbeddedConfig, keyof CommonConfig> | Omit<ServersConfig, keyof CommonConfig>

/** A setting without which there are no servers. */
const required = z.string({
  error: 'must be set: CATALOG_MODE is servers. Without any of these, npm start runs the embedded mode.',
})

const mongodbAddress = required.regex(
  /^mongodb(\+srv)?:\/\/[^/]/,
  'must look like mongodb://user:password@host:27017/catalog',
)
const address = (protocols: RegExp, example: string) =>
  required.refine((text) => protocols.test(text) && URL.canParse(text), `must look like ${example}`)
const redisAddress = address(/^rediss?:\/\//, 'redis://:password@host:6379/0')

/** @throws AppError `bad_configuration` whose message lists every bad variable */
export function readSharedConfig(env: NodeJS.ProcessEnv = process.env): SharedConfig {
  const { kept, logLevel } = readGroups({ kept: readWhereKept, logLevel: readLogLevel }, env)
  return { ...kept, logLevel }
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

function readLogLevel(env: NodeJS.ProcessEnv): string {
  const levels = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    error: 'must be fatal, error, warn, info, debug, trace or silent',
  })
  return readEnv({ LOG_LEVEL: levels.default('info') }, env).LOG_LEVEL
}

function readWhereKept(env: NodeJS.ProcessEnv): WhereKept {
  const modes = z.enum(['embedded', 'servers'], { error: 'must be embedded or servers' })
  const mode = modes.default(env['MONGODB_URL'] ? 'servers' : 'embedded')
  return readEnv({ CATALOG_MODE: mode }, env).CATALOG_MODE === 'embedded' ? readEmbedded(env) : readServers(env)
}

function readEmbedded(env: NodeJS.ProcessEnv): WhereKept {
  const read = readEnv({ DATA_DIR: z.string().default('./data') }, env)
  return { mode: 'embedded', dataDir: read.DATA_DIR }
}

function readServers(env: NodeJS.ProcessEnv): WhereKept {
  const read = readEnv(
    {
      MONGODB_URL: mongodbAddress,
      MEILI_URL: address(/^https?:\/\//, 'http://host:7700'),
      MEILI_KEY: z.string().optional(),
      REDIS_URL: redisAddress,
      RATE_LIMIT_REDIS_URL: redisAddress.optional(),
      MONGODB_FIELDS: FieldNamesText.default(defaultDocumentSettings.fields),
      MONGODB_CHANGED_FIELD: z
        .string()
        .regex(/^[^$.][^$]*$/, 'must be the name of a field')
        .default(defaultDocumentSettings.changedField),
    },
    env,
  )
  return {
    mode: 'servers',
    mongodbUrl: read.MONGODB_URL,
    meiliUrl: read.MEILI_URL,
    meiliKey: read.MEILI_KEY ?? null,
    redisUrl: read.REDIS_URL,
    rateLimitRedisUrl: read.RATE_LIMIT_REDIS_URL ?? read.REDIS_URL,
    documents: { fields: read.MONGODB_FIELDS, changedField: read.MONGODB_CHANGED_FIELD },
  }
}
