import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Creates a folder and its missing parents.
 *
 * Not `mkdirSync` with `recursive`: where the file system answers ENOENT to every new folder, such as /proc, Node 20
 * retries for ever.
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
      // Another process has created it in the meantime.
      if (!existsSync(folder)) {
        throw error
      }
    }
  }
}
