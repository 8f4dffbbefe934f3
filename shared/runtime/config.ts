import { z } from 'zod'
import { SkillUrlTemplate } from '../fields/web-address.js'
import { readSynonyms } from '../ranking/other-words.js'
import {
  ChangedFieldText,
  type DocumentSettings,
  defaultDocumentSettings,
  FieldNamesText,
} from '../records/document-settings.js'
import { parseUrl, shownAddress } from '../text/parse-url.js'
import { type TextMode, textModes } from '../text/skill-text.js'
import { badConfiguration, readEnv, readGroups } from './env.js'
import { fileFault } from './errors.js'
import { type EmbedderConfig, readEmbedderConfig } from './query-config.js'

/** Where a Redis is: at one address, behind sentinels that know its primary, or in a cluster. */
export type RedisAddress =
  | { kind: 'server'; url: string }
  | ({ kind: 'sentinel'; name: string; db: number; sentinel: Login } & Several)
  | ({ kind: 'cluster' } & Several)

/** Empty: none. */
interface Login {
  username: string
  password: string
}

interface Several {
  /** Some of the sentinels, or of the nodes: the others are found by asking these. */
  hosts: { host: string; port: number }[]
  tls: boolean
  /** The login of Redis itself. */
  login: Login
}

/** The forms of an address, for messages. */
export const redisAddressForms =
  'must look like redis://:password@host:6379/0, redis+sentinel://:password@host:26379,host:26379/name/0 or ' +
  'redis+cluster://:password@host:6379,host:6379; with TLS each begins with rediss'

const defaultPorts = { sentinel: 26_379, cluster: 6_379 }
const sentinelOptions = ['sentinel_username', 'sentinel_password'] as const

/**
 * Reads the address of a Redis. Of several ones, there is no standard; the forms here are those of other languages' clients.
 *
 * @returns null for a text that is none
 * @see https://pypi.org/project/Redis-Sentinel-Url/
 */
export function parseRedisAddress(text: string): RedisAddress | null {
  const [, scheme, kind, login, list = '', rest] =
    /^(rediss?)\+(sentinel|cluster):\/\/([^@/?]*@)?([^@/?]+)(.*)$/.exec(text) ?? []
  if (kind !== 'sentinel' && kind !== 'cluster') {
    // Of another path ioredis takes the digits that it begins with.
    const hasNumber = /^\/?\d{0,5}$/.test(parseUrl(text)?.pathname ?? '?')
    return /^rediss?:\/\/[^,]+$/.test(text) && hasNumber ? { kind: 'server', url: text } : null
  }
  const url = parseUrl(`redis://${login ?? ''}hosts${rest}`)
  const hosts = list.split(',').flatMap((each) => parseHost(each, defaultPorts[kind]))
  if (url === null || url.hash !== '' || hosts.length < list.split(',').length) {
    return null
  }
  const found = { hosts, tls: scheme === 'rediss', login: loginOf(url.username, url.password) }
  if (kind === 'cluster') {
    return /^\/?$/.test(url.pathname) && url.search === '' ? { kind, ...found } : null
  }
  const [, name, db = '0'] = /^\/([\w.-]+)(?:\/(\d{1,5}))?$/.exec(url.pathname) ?? []
  const [username = '', password = ''] = sentinelOptions.map((option) => url.searchParams.get(option) ?? '')
  const isKnown = [...url.searchParams.keys()].every((key) => sentinelOptions.some((option) => option === key))
  return name === undefined || !isKnown
    ? null
    : { kind, name, db: Number(db), sentinel: { username, password }, ...found }
}

function parseHost(text: string, defaultPort: number): { host: string; port: number }[] {
  const url = /^[^:]+(?::\d+)?$|^\[/.test(text) ? parseUrl(`redis://${text}`) : null
  return url === null ? [] : [{ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || defaultPort }]
}

/** A percent sign that encodes nothing stands for itself. */
function loginOf(username: string, password: string): Login {
  const decoded = (text: string) =>
    text.replaceAll(/(?:%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())
  return { username: decoded(username), password: decoded(password) }
}

interface CommonConfig {
  /** `LOG_LEVEL`, default `info`. */
  logLevel: string
  /** `SYNONYMS_FILE`: a file with further synonyms for searches; absent: none. */
  synonymsFile?: string
  /** `SKILL_TEXT`: what is kept and answered of the texts of skills; default `cleaned`. */
  skillText: TextMode
  /** `SKILL_URL_TEMPLATE`: the address of the repository of a skill whose source has none; absent: it has none here, too. */
  urlTemplate?: string
  /** `EMBEDDER` and the variables that begin with it: the source of the vectors of texts. */
  embedder: EmbedderConfig
}

/** One process and one folder. */
export interface EmbeddedConfig extends CommonConfig {
  mode: 'embedded'
  /** `DATA_DIR`, default `./data`: the folder of the database and the export files. */
  dataDir: string
}

/** Records in MongoDB, the search index in Meilisearch, jobs and limits in Redis. */
export interface ServersConfig extends CommonConfig {
  mode: 'servers'
  /** `MONGODB_URL`: its path names the database, default `catalog`. */
  mongodbUrl: string
  /** `MEILI_URL`: one server, or several that each hold the whole index. */
  meiliUrls: [string, ...string[]]
  /** `MEILI_KEY`; null where Meilisearch requires none. */
  meiliKey: string | null
  /** `REDIS_URL`: for jobs. */
  redisUrl: string
  /** `RATE_LIMIT_REDIS_URL`, default `REDIS_URL`: for rate limits. */
  rateLimitRedisUrl: string
  /** `MONGODB_FIELDS` and `MONGODB_CHANGED_FIELD`: how another application's documents are read. */
  documents: DocumentSettings
}

/**
 * The configuration that services and command line share: where the catalog is, the log level, the embedder.
 * `CATALOG_MODE` sets the mode; by default it is `servers` when `MONGODB_URL` is set, else `embedded`.
 */
export type SharedConfig = EmbeddedConfig | ServersConfig

/** The part that depends on the mode. */
type WhereKept = Omit<EmbeddedConfig, keyof CommonConfig> | Omit<ServersConfig, keyof CommonConfig>

const required = z.string({
  error: 'is required when CATALOG_MODE is servers. For the embedded mode unset these variables.',
})

const mongodbAddress = required.regex(
  // A name of a database has none of these characters; the driver would take them as a part of it.
  /^mongodb(\+srv)?:\/\/[^/?]+(\/[^/\\. "$*<>:|?]*)?(\?.*)?$/,
  'must look like mongodb://user:password@host:27017/catalog',
)
const redisAddress = required.refine((text) => parseRedisAddress(text) !== null, redisAddressForms)
const meiliAddresses = required.transform((text, context): [string, ...string[]] => {
  const [first, ...others] = text.split(/[\s,]+/).filter((url) => url !== '')
  const urls: [string, ...string[]] = [first ?? '', ...others]
  const wrong = urls.find((url) => !/^https?:\/\//.test(url) || parseUrl(url) === null)
  if (wrong !== undefined) {
    const message = 'must look like http://host:7700, or be several of these, separated by commas'
    context.addIssue({ code: 'custom', message })
  } else if (new Set(urls.map(shownAddress)).size < urls.length) {
    context.addIssue({ code: 'custom', message: 'names a server twice: each one is to hold an index of its own' })
  }
  return urls
})

/** @throws AppError `bad_configuration` whose message lists every bad variable */
export function readSharedConfig(env: NodeJS.ProcessEnv = process.env): SharedConfig {
  const { kept, common, embedder } = readGroups(
    { kept: readWhereKept, common: (given) => readEnv(commonVariables, given), embedder: readEmbedderConfig },
    env,
  )
  const {
    LOG_LEVEL: logLevel,
    SYNONYMS_FILE: synonymsFile,
    SKILL_TEXT: skillText,
    SKILL_URL_TEMPLATE: urlTemplate,
  } = common
  const template = urlTemplate === undefined ? {} : { urlTemplate }
  const place = kept.mode === 'servers' ? { ...kept, documents: { ...kept.documents, ...template } } : kept
  return { ...place, ...template, logLevel, skillText, embedder, ...(synonymsFile && { synonymsFile }) }
}

const commonVariables = {
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('info'),
  SYNONYMS_FILE: z
    .string()
    .superRefine((path, context) => {
      try {
        readSynonyms(path)
      } catch (error) {
        context.addIssue({ code: 'custom', message: `must name a file of synonyms: ${fileFault(error)}` })
      }
    })
    .optional(),
  SKILL_TEXT: z.enum(textModes, { error: 'must be cleaned, original or off' }).default('cleaned'),
  SKILL_URL_TEMPLATE: SkillUrlTemplate.optional(),
}

/** The same for programs of the embedded mode only. @throws AppError `bad_configuration` */
export function readEmbeddedConfig(env: NodeJS.ProcessEnv = process.env): EmbeddedConfig {
  const config = readSharedConfig(env)
  if (config.mode !== 'embedded') {
    throw badConfiguration([
      {
        parameter: env['CATALOG_MODE'] ? 'CATALOG_MODE' : 'MONGODB_URL',
        message: 'sets the servers mode, which runs as two services: npm run start:indexer and npm run start:query.',
      },
    ])
  }
  return config
}

/** The same for programs of the servers mode only. @throws AppError `bad_configuration` */
export function readServersConfig(env: NodeJS.ProcessEnv = process.env): ServersConfig {
  const config = readSharedConfig(env)
  if (config.mode !== 'servers') {
    throw badConfiguration([
      {
        parameter: 'MONGODB_URL',
        message:
          'is required for a service on servers, with MEILI_URL and REDIS_URL. Without servers, npm start runs both ' +
          'services in one process.',
      },
    ])
  }
  return config
}

function readWhereKept(env: NodeJS.ProcessEnv): WhereKept {
  const modes = z.enum(['embedded', 'servers'], { error: 'must be embedded or servers' })
  const mode = modes.default(env['MONGODB_URL'] ? 'servers' : 'embedded')
  if (readEnv({ CATALOG_MODE: mode }, env).CATALOG_MODE === 'embedded') {
    return { mode: 'embedded', dataDir: readEnv({ DATA_DIR: z.string().default('./data') }, env).DATA_DIR }
  }
  const read = readEnv(
    {
      MONGODB_URL: mongodbAddress,
      MEILI_URL: meiliAddresses,
      // A header can carry nothing else.
      MEILI_KEY: z
        .string()
        .regex(/^[ -~]+$/, 'must be ASCII letters, digits and signs')
        .optional(),
      REDIS_URL: redisAddress,
      RATE_LIMIT_REDIS_URL: redisAddress.optional(),
      MONGODB_FIELDS: FieldNamesText.default(defaultDocumentSettings.fields),
      MONGODB_CHANGED_FIELD: ChangedFieldText.default(defaultDocumentSettings.changedField),
    },
    env,
  )
  return {
    mode: 'servers',
    mongodbUrl: read.MONGODB_URL,
    meiliUrls: read.MEILI_URL,
    meiliKey: read.MEILI_KEY ?? null,
    redisUrl: read.REDIS_URL,
    rateLimitRedisUrl: read.RATE_LIMIT_REDIS_URL ?? read.REDIS_URL,
    documents: { fields: read.MONGODB_FIELDS, changedField: read.MONGODB_CHANGED_FIELD },
  }
}
