import { pino } from 'pino'
import type { Logger } from '../../shared/log.js'

/** A log that is kept, for tests that ask what was told. */
export function keptLog(): { log: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'debug', base: null }, { write: (line: string) => lines.push(JSON.parse(line)) })
  return { log, lines }
}

/** A log that nobody reads. */
export const silentLog = (): Logger => pino({ level: 'silent' })
