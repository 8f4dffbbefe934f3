import { z } from 'zod'
import { AppError, type FieldError } from './errors.js'

/**
 * Reads the configuration from environment variables. An empty variable counts as absent.
 *
 * @param shape by variable: the schema from its text to its value, with the default
 * @throws AppError `bad_configuration` whose message lists every bad variable
 */
export function readEnv<Shape extends z.ZodRawShape>(
  shape: Shape,
  env: NodeJS.ProcessEnv = process.env,
): z.infer<z.ZodObject<Shape>> {
  const given = Object.fromEntries(
    Object.keys(shape)
      .filter((name) => env[name] !== undefined && env[name] !== '')
      .map((name) => [name, env[name]]),
  )
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
export const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .pipe(
      z
        .number()
        .min(minimum, `must be a whole number from ${minimum} to ${maximum}`)
        .max(maximum, `must be a whole number from ${minimum} to ${maximum}`),
    )

/** `HOST`: the address to listen on; `0.0.0.0` or `::` for every network interface. */
export const hostName = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,253}$/, 'must be a host name or an address')
  .default('127.0.0.1')

/** `on` or `off` in a variable. */
export const onOff = z.enum(['on', 'off'], { error: 'must be on or off' }).transform((value) => value === 'on')
