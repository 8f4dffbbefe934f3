import distance from 'damerau-levenshtein'
import { z } from 'zod'
import { AppError, type FieldError } from './errors.js'

/** Every environment variable of the services and the command line, also those that one of them does not read. */
export const settingNames = [
  'CATALOG_MODE',
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'TRUSTED_PROXIES',
  'RATE_LIMIT_PER_MINUTE',
  'EXPORT_RATE_LIMIT_PER_MINUTE',
  'DATASET_RATE_LIMIT_PER_MINUTE',
  'SYNC_EVERY_SECONDS',
  'STATS_EVERY_SECONDS',
  'EXPORT_EVERY_SECONDS',
  'DATASET_EVERY_SECONDS',
  'SIGNING_KEY_FILE',
  'VERIFY_EVERY_SECONDS',
  'CHANGES_KEPT_DAYS',
  'SKILL_TEXT',
  'SYNONYMS_FILE',
  'EMBEDDER',
  'EMBEDDER_URL',
  'EMBEDDER_KEY',
  'EMBEDDER_MODEL',
  'EMBEDDER_REQUESTS_PER_MINUTE',
  'RERANKER_URL',
  'RERANKER_MODEL',
  'RERANKER_KEY',
  'RERANKER_TIME_LIMIT_MS',
  'METRICS_PORT',
  'OPERATIONS_TOKEN',
  'LOG_LEVEL',
  'DATA_DIR',
  'SAMPLE_CATALOG',
  'SKILL_FIELD',
  'SKILL_URL_TEMPLATE',
  'MONGODB_URL',
  'MEILI_URL',
  'MEILI_KEY',
  'REDIS_URL',
  'RATE_LIMIT_REDIS_URL',
  'EXPORT_CACHE_DIR',
  'MONGODB_FIELDS',
  'MONGODB_CHANGED_FIELD',
] as const
type SettingName = (typeof settingNames)[number]

/** A variable whose name looks like that of a setting. */
export interface Misspelled {
  name: string
  meant: SettingName
}

/** In a longer name, two letters may be wrong; of a short one, too many other names are that near. */
const shortestOfTwo = 14
const shortestOfOne = 7

/** Letters of a shortened word. */
const shortestWord = 3

/** A name in the forms in which names are compared. */
interface Spelling<Name extends string> {
  name: Name
  inCapitals: string
  /** Without separators. */
  letters: string
  words: string[]
}

function spellingOf<Name extends string>(name: Name): Spelling<Name> {
  const inCapitals = name.toUpperCase()
  return { name, inCapitals, letters: inCapitals.replaceAll(/[^A-Z\d]/g, ''), words: inCapitals.split('_') }
}

/** Of every setting, made once: each variable of the environment is compared with all of them. */
const settings = settingNames.map(spellingOf)

/**
 * The variables that are probably meant as settings: their names differ from one in case and separators, in a letter or
 * two, or by shortened words, and that setting itself is not set.
 */
export function misspelledSettings(env: NodeJS.ProcessEnv = process.env): Misspelled[] {
  const known = new Set<string>(settingNames)
  const given = Object.keys(env).filter((name) => env[name] !== '' && !known.has(name))
  return given.flatMap((name): Misspelled[] => {
    const written = spellingOf(name)
    const meant = settings.find((setting) => !env[setting.name] && isNear(written, setting))
    return meant === undefined ? [] : [{ name, meant: meant.name }]
  })
}

function isNear(written: Spelling<string>, setting: Spelling<SettingName>): boolean {
  if (written.letters === setting.letters || isShortened(written.words, setting.words)) {
    return true
  }
  const { length } = setting.name
  const allowed = length >= shortestOfTwo ? 2 : 1
  return (
    length >= shortestOfOne &&
    Math.abs(written.name.length - length) <= allowed &&
    distance(written.inCapitals, setting.name).steps <= allowed
  )
}

/** At least two words, each the beginning of the setting's, as in `MONGO_URL` and `RATE_LIMIT_PER_MIN`. */
const isShortened = (words: string[], whole: string[]): boolean =>
  words.length > 1 &&
  words.length === whole.length &&
  words.every((word, index) => word.length >= shortestWord && whole[index]?.startsWith(word))

/** For the operator. */
export const misspelledText = ({ name, meant }: Misspelled): string =>
  `The environment variable ${name} has no effect. Did you mean ${meant}?`

/**
 * Reads the configuration from environment variables, without white space around their values: Secrets and files often
 * end with a line break. An empty variable counts as absent.
 *
 * @param shape by variable: the schema from its text to its value, with the default
 * @throws AppError `bad_configuration` whose message lists every bad variable
 */
export function readEnv<Shape extends { [name in SettingName]?: z.ZodType }>(
  shape: Shape,
  env: NodeJS.ProcessEnv = process.env,
): z.infer<z.ZodObject<Shape>> {
  const given: Record<string, string> = Object.fromEntries(
    Object.keys(shape).flatMap((name) => {
      const value = env[name]?.trim() ?? ''
      return value === '' ? [] : [[name, value]]
    }),
  )
  const quoted = Object.entries(given).filter(([, value]) => /^(["'`]).*\1$|^[“”„‘].*[“”’]$/s.test(value))
  if (quoted.length > 0) {
    const message = 'is in quotes: remove them. A file of variables for containers takes them as a part of the value.'
    throw badConfiguration(quoted.map(([parameter]) => ({ parameter, message })))
  }
  const parsed = z.object(shape).safeParse(given)
  if (!parsed.success) {
    throw badConfiguration(
      parsed.error.issues.map(({ path, message }) => ({
        parameter: path.join('.'),
        // Secrets are not repeated; URLs may contain a password.
        message: /_(URL|KEY|TOKEN)$/.test(String(path[0]))
          ? message
          : `${JSON.stringify(given[String(path[0])])} ${message}`,
      })),
    )
  }
  return parsed.data
}

/**
 * Reads several groups of variables.
 *
 * @param readers by the name of the group
 * @throws AppError `bad_configuration` whose message lists every bad variable of all groups
 */
export function readGroups<Readers extends Record<string, (env: NodeJS.ProcessEnv) => unknown>>(
  readers: Readers,
  env: NodeJS.ProcessEnv = process.env,
): { [name in keyof Readers]: ReturnType<Readers[name]> } {
  // Groups may share a variable: its error is listed once.
  const errors = new Map<string, FieldError>()
  const entries = Object.entries(readers).map(([name, read]) => {
    try {
      return [name, read(env)]
    } catch (error) {
      if (error instanceof AppError && error.errors !== undefined) {
        for (const fault of error.errors) {
          errors.set(`${fault.parameter}: ${fault.message}`, fault)
        }
        return [name, null]
      }
      throw error
    }
  })
  if (errors.size > 0) {
    throw badConfiguration([...errors.values()])
  }
  return Object.fromEntries(entries)
}

/** The configuration is invalid; the message lists all `errors`. */
export const badConfiguration = (errors: FieldError[]): AppError =>
  new AppError(
    500,
    'bad_configuration',
    `The configuration is invalid:\n${errors.map(({ parameter, message }) => `  ${parameter}: ${message}`).join('\n')}`,
    { errors },
  )

/** A whole number in a variable. */
export const wholeNumber = (minimum: number, maximum: number) => {
  const message = `must be a whole number from ${minimum} to ${maximum}`
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .pipe(z.number().min(minimum, message).max(maximum, message))
}

/** `HOST`: the address to listen on; `0.0.0.0` or `::` for every network interface. */
export const hostName = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,253}$/, 'must be a host name or an address')
  .default('127.0.0.1')

/** `on` or `off` in a variable. */
export const onOff = z.enum(['on', 'off'], { error: 'must be on or off' }).transform((value) => value === 'on')
