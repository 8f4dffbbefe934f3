import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from '@jest/globals'

/** What a process takes of the machine. */
export interface ProcessFigures {
  /** The most memory that it has had, in megabytes. */
  peakMb: number
  /** How many files and connections it has open. */
  open: number
}

export function figuresOf(pid: number): ProcessFigures {
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return { peakMb: Math.round(Number(peak) / 1_000), open: readdirSync(`/proc/${pid}/fd`).length }
}

/** How many files and connections a process may have open. */
const limit = existsSync('/proc/self/fd') ? execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim() : '0'

/**
 * A test that looks at what a process takes while it has many connections: skipped, and named, where it cannot be seen
 * or so many may not be opened.
 */
export function testWithConnections(
  name: string,
  connections: number,
  run: () => Promise<void>,
  timeoutMs = 300_000,
): void {
  if (!existsSync('/proc/self/fd')) {
    test.skip(`${name} (what a process takes is not told here: run on Linux)`, () => {})
  } else if (limit !== 'unlimited' && Number(limit) < connections + 1_000) {
    test.skip(`${name} (a process may open ${limit} files only: raise \`ulimit -n\`)`, () => {})
  } else {
    test(name, run, timeoutMs)
  }
}

/** Tells a figure that is worth knowing, and proves nothing. */
export const tell = (text: string): void => void process.stdout.write(`         ${text}\n`)
