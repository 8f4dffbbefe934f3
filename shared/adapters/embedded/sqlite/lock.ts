import { join } from 'node:path'
import Database from 'libsql'
import type { Lock } from '../../../ports/locks.js'
import { AppError, lockLost } from '../../../runtime/errors.js'
import { makeFolder } from '../../files/make-folder.js'
import { toAppError } from './database.js'

/**
 * Takes a lock that the operating system releases when the process ends for any reason: SQLite's exclusive lock on an
 * empty file. It needs no lease, and no guess whether its owner is alive.
 *
 * @returns null when this or another process holds it
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
    const translated = toAppError(error, path)
    if (translated instanceof AppError && translated.code === 'catalog_unavailable') {
      return null
    }
    throw translated
  }
  return {
    name,
    // A running process never loses it.
    epoch: 0,
    takenOver: false,
    lost: new AbortController().signal,
    check: () => {
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
