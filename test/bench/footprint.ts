import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Of the times in /proc, on every architecture that Node runs on. */
const clockTicksPerSecond = 100

/** The memory of a process. */
export interface Memory {
  residentBytes: number
  /** Of those, pages of mapped files: the system takes them back when it needs memory. */
  mappedBytes: number
}

/** The memory of a running process. */
export function memoryOf(pid: number | undefined): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1_024
  return { residentBytes: bytes('VmRSS'), mappedBytes: bytes('RssFile') }
}

/** The processor time that a running process has taken so far. */
export function processorSeconds(pid: number | undefined): number {
  // The name of the program, which may contain anything, is in parentheses.
  const [user = 0, system = 0] = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '')
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return (user + system) / clockTicksPerSecond
}

/** The space that a file, or a folder with all that is in it, occupies on the disk. */
export function diskBytes(path: string): number {
  const stats = lstatSync(path)
  const children = stats.isDirectory() ? readdirSync(path) : []
  return children.reduce((sum, child) => sum + diskBytes(join(path, child)), stats.blocks * 512)
}
