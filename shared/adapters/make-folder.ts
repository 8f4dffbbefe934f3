import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder and those above it that are not there yet.
 *
 * Not `mkdirSync` with `recursive`: in a file system that answers ENOENT to every new folder, such as /proc, Node 20
 * tries again for ever.
 */
export function makeFolder(path: string): void {
  const missing: string[] = []
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) {
    missing.unshift(folder)
  }
  for (const folder of missing) {
    try {
      mkdirSync(folder)
    } catch (error) {
      // Made meanwhile by another process: just as good.
      if (!existsSync(folder)) {
        throw error
      }
    }
  }
}
