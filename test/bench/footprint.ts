import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The memory of a process. */
export interface Memory {
  residentBytes: number
  /** Of those, pages of mapped files: the system takes them back when it needs memory. */
  mappedBytes: number
}

/** What a system occupies; null: nothing that can be measured apart. */
export interface Footprint {
  name: string
  memory: Memory | null
  diskBytes: number | null
}

/** The memory of a running process. */
export function memoryOf(pid: number | undefined): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1_024
  return { residentBytes: bytes('VmRSS'), mappedBytes: bytes('RssFile') }
}

/** The space that a file, or a folder with all that is in it, occupies on the disk. */
export function diskBytes(path: string): number {
  const stats = lstatSync(path)
  const children = stats.isDirectory() ? readdirSync(path) : []
  return children.reduce((sum, child) => sum + diskBytes(join(path, child)), stats.blocks * 512)
}
