import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { testUnless } from '../../support/skip.js'

/** The resources of a process. */
export interface ProcessStatistics {
  /** Peak memory in megabytes. */
  peakMb: number
  /** Number of open files and connections. */
  open: number
}

export function statisticsOf(pid: number): ProcessStatistics {
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return { peakMb: Math.round(Number(peak) / 1_000), open: readdirSync(`/proc/${pid}/fd`).length }
}

/** Maximum number of open files and connections of a process. */
const limit = existsSync('/proc/self/fd') ? execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim() : '0'

/**
 * A test of the resources of a process with many connections. It is skipped, with the reason, when they are unknown or
 * the limit of open files is too low.
 */
export function testWithConnections(
  name: string,
  connections: number,
  run: () => Promise<void>,
  timeoutMs = 300_000,
): void {
  const isLimited = limit !== 'unlimited' && Number(limit) < connections + 1_000
  const reason = existsSync('/proc/self/fd')
    ? isLimited && `a process may open only ${limit} files: raise \`ulimit -n\``
    : 'the resources of a process are unknown: run on Linux'
  testUnless(reason || null, name, run, timeoutMs)
}

/** Prints a measured value without asserting it. */
export const printResult = (text: string): void => void process.stdout.write(`         ${text}\n`)
