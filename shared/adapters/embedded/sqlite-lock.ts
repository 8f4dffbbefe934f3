import { join } from 'node:path'
import Database from 'libsql'
import { AppError, lockLost } from '../../errors.js'
import type { Lock } from '../../ports/catalog-store.js'
import { makeFolder } from '../make-folder.js'
import { toAppError } from './sqlite-database.js'

/**
 * Takes a lock that the operating system gives back when the process ends, however it ends: SQLite's own exclusive
 * lock on a file that holds nothing. No lease to expire, no dead owner to guess at.
 *
 * @returns null when it is taken, by another process or in this one
 * @throws AppError `data_folder_unusable` when the file cannot be written
 */
export function takeFileLock(folder: string, name: string): Lock | null {
  makeFolder(folder)
  const path = join(folder, `${name}.lock`)
  const db = openFile(path)
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    const told = toAppError(error, path)
    if (told instanceof AppError && told.code === 'catalog_unavailable') {
      return null
    }
    throw told
  }
  return {
    // The operating system takes it from nobody who lives.
    epoch: 0,
    lost: new AbortController().signal,
    check: async () => {
      if (!db.open) {
        throw lockLost(name)
      }
    },
    release: async () => {
      db.close()
    },
  }
}

function openFile(path: string): Database.Database {
  try {
    return new Database(path)
  } catch (error) {
    throw toAppError(error, path)
  }
}
