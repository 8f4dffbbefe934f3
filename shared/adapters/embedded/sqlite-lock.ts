import { join } from 'node:path'
import Database from 'libsql'
import type { Lock } from '../../ports/catalog-store.js'
import { makeFolder } from './make-folder.js'

/**
 * Takes a lock that the operating system gives back when the process ends, however it ends: SQLite's own exclusive
 * lock on a file that holds nothing. No lease to expire, no dead owner to guess at.
 *
 * @returns null when it is taken, by another process or in this one
 */
export function takeFileLock(folder: string, name: string): Lock | null {
  makeFolder(folder)
  const db = new Database(join(folder, `${name}.lock`))
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')) {
      return null
    }
    throw error
  }
  return {
    release: async () => {
      db.close()
    },
  }
}
