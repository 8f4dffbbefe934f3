import { type Logger, pino } from 'pino'

export type { Logger }

/** The service's structured log: JSON lines on standard error, so that standard output stays the program's own. */
export const createLog = (level: string): Logger =>
  pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ dest: 2, sync: false }))
