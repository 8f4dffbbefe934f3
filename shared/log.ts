import { type Logger, pino } from 'pino'
import { AppError } from './errors.js'
import { systemErrorCode } from './system-error.js'
import { printable } from './text/printable.js'

export type { Logger }

/** Loaded only where it is used. */
const pretty = process.stderr.isTTY ? (await import('pino-pretty')).default : null

/**
 * The service's structured log on standard error, so that standard output stays the program's own: readable lines on a
 * terminal, JSON lines everywhere else.
 */
export const createLog = (level: string): Logger =>
  pretty === null
    ? pino({ ...base, level }, pino.destination({ dest: 2, sync: false }))
    : pino({ ...base, level, serializers: { err: printableError } }, pretty(readable))

const base = { base: null, timestamp: pino.stdTimeFunctions.isoTime }

/** In this process and at once, so that no line is lost when it ends. */
const readable = {
  destination: 2,
  sync: true,
  translateTime: 'SYS:HH:MM:ss',
  messageFormat: '{if job}{job}: {end}{msg}',
  ignore: 'job',
  singleLine: true,
} as const

/**
 * The message where it says all, else the stack as well. Both may hold foreign text, and would be written as they are.
 */
function printableError(error: Error): object | string {
  const { type, message, stack } = pino.stdSerializers.err(error)
  return error instanceof AppError || systemErrorCode(error) !== null
    ? printable(message)
    : { type, message: printable(message), stack: printable(stack) }
}
