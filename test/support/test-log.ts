import { pino } from 'pino'
import type { Logger } from '../../shared/runtime/log.js'

/** A log whose lines a test can read. */
export function keptLog(): { log: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'debug', base: null }, { write: (line: string) => lines.push(JSON.parse(line)) })
  return { log, lines }
}

/** A log without output. */
export const silentLog = (): Logger => pino({ level: 'silent' })
