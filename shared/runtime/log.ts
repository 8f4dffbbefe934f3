import { type Logger, pino } from 'pino'
import { printable, visibleText } from '../text/clean-text.js'
import { AppError, systemErrorCode } from './errors.js'

export type { Logger }

/** Imported only where it is used. */
const pretty = process.stderr.isTTY ? (await import('pino-pretty')).default : null

/**
 * The structured log on standard error, so that standard output is free for results: readable lines on a terminal, JSON
 * lines elsewhere.
 */
export const createLog = (level: string): Logger =>
  pretty === null
    ? pino({ ...base, level }, pino.destination({ dest: 2, sync: false, maxWrite: atomicBytes }))
    : pino({ ...base, level, serializers: { err: printableError } }, pretty(readable))

/** Written to a pipe at once, so that lines of processes with the same standard error do not mix. */
const atomicBytes = 4_096

const base = { base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: visibleText } }

/** Synchronous and in this process, so that no line is lost when it ends. */
const readable = {
  destination: 2,
  sync: true,
  translateTime: 'SYS:HH:MM:ss',
  messageFormat: '{if job}{job}: {end}{msg}',
  ignore: 'job',
  singleLine: true,
} as const

/**
 * The message alone if it is complete, else the stack too. Both may contain foreign text, so control characters are
 * escaped.
 */
function printableError(error: Error): object | string {
  const { type, message, stack } = pino.stdSerializers.err(error)
  return error instanceof AppError || systemErrorCode(error) !== null
    ? printable(message)
    : { type, message: printable(message), stack: printable(stack) }
}
