import { randomUUID } from 'node:crypto'
import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AppError, isAlive, operatorError, systemErrorCode } from '../../runtime/errors.js'
import { type ServiceState, stateKeys } from '../../state-keys.js'
import { flushFile, flushFolder, makeFolder } from '../files/durable-file.js'
import { SqliteDatabase } from './sqlite/database.js'
import { toAppError } from './sqlite/database-errors.js'
import { formatOf, migrate, presentFormat } from './sqlite/migrations.js'

/** The file of the records in a data folder. */
export const catalogFile = (dataDir: string): string => join(dataDir, 'catalog.db')

/** Beginning of the names of files that have not got their place yet. */
export const unfinished = '.unfinished-catalog-'

/** Files and folders that are made from a catalog, or kept with it. */
const madeFromCatalog = /^(catalog\.db-(wal|shm|journal)|search-\d+\.db.*|exports|dataset|locks)$/

/**
 * Whether a data folder has a catalog.
 *
 * @throws AppError `catalog_lost` when the records are missing or empty, next to files that were made from them: a new
 * catalog in their place would be published as theirs
 */
export function hasCatalog(dataDir: string): boolean {
  const sizeBytes = existsSync(catalogFile(dataDir)) ? statSync(catalogFile(dataDir)).size : undefined
  if (sizeBytes === undefined || sizeBytes === 0) {
    const others = remainsOf(dataDir)
    if (sizeBytes === 0 || others.length > 0) {
      throw catalogLost(dataDir, sizeBytes === 0 ? 'is empty' : 'is missing', others)
    }
    return false
  }
  return true
}

/** @throws AppError `catalog_lost` when a file that exists has no table at all */
export function refuseEmpty(dataDir: string, db: SqliteDatabase): void {
  if (formatOf(db) === 0 && db.get('SELECT 1 FROM sqlite_master') === null) {
    throw catalogLost(dataDir, 'is empty', remainsOf(dataDir))
  }
}

/**
 * Creates an empty catalog, in one step: a process that is killed leaves the whole file or none.
 *
 * @param awaitsSample whether the next start loads the sample into it
 * @throws AppError `data_folder_unusable`
 */
export async function createCatalog(dataDir: string, awaitsSample: boolean): Promise<void> {
  makeDataFolder(dataDir)
  const made = join(dataDir, `${unfinished}${randomUUID()}.db`)
  try {
    const db = new SqliteDatabase(':memory:')
    try {
      migrate(db)
      if (awaitsSample) {
        db.run('INSERT INTO state VALUES (?, ?)', [stateKeys.sample, JSON.stringify({ loaded: false })])
      }
      copyInto(db, made)
    } finally {
      db.close()
    }
    await flushFile(made)
    giveName(made, catalogFile(dataDir))
    await flushFolder(dataDir)
  } finally {
    if (existsSync(made)) {
      rmSync(made)
    }
  }
}

/**
 * Copies a database into a new file.
 *
 * @param schema the name of an attached database; default: the one that is open
 * @throws AppError `disk_full`, `data_folder_unusable`, which are about the new file and not about the one that is copied
 */
export function copyInto(db: SqliteDatabase, file: string, schema = 'main'): void {
  try {
    db.run(`VACUUM ${schema} INTO ?`, [file])
  } catch (error) {
    // SQLite leaves it where the disk is full.
    rmSync(`${file}-journal`, { force: true })
    throw isOfNewFile(error) ? toAppError(error.cause, file) : error
  }
}

/** Whether a copy failed because the new file cannot be written. */
export const isOfNewFile = (error: unknown): error is AppError =>
  error instanceof AppError && ['disk_full', 'data_folder_unusable'].includes(error.code)

/** Another process may have created the catalog meanwhile: then that one stays. */
function giveName(made: string, file: string): void {
  try {
    linkSync(made, file)
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') {
      // A file system without links.
      renameSync(made, file)
    }
  }
}

/** @throws AppError `data_folder_unusable` */
function makeDataFolder(dataDir: string): void {
  try {
    makeFolder(dataDir)
  } catch (error) {
    throw operatorError(
      'data_folder_unusable',
      `The data folder ${dataDir} cannot be created. Check the permissions of the folder above it, or set DATA_DIR to another one.`,
      error,
    )
  }
  if (!statSync(dataDir).isDirectory()) {
    throw operatorError('data_folder_unusable', `${dataDir} is not a folder. Set DATA_DIR to one.`)
  }
}

/** The names of what was made from the catalog of a folder; an empty folder, such as a mounted one, is nothing. */
function remainsOf(dataDir: string): string[] {
  return namesIn(dataDir).filter((name) => {
    const path = join(dataDir, name)
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
    return madeFromCatalog.test(name) && (!isFolder || namesIn(path).length > 0)
  })
}

/** None where the folder cannot be read: the next use of it reports that. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function catalogLost(dataDir: string, what: string, others: string[]): AppError {
  const folder = resolve(dataDir)
  const remains = others.length === 0 ? '' : `, but there is ${others.join(', ')}`
  return operatorError(
    'catalog_lost',
    `The catalog of the folder ${folder} is lost: catalog.db ${what}${remains}. Nothing was changed. ` +
      'Restore a backup (npm run catalog -- restore <file>), or set DATA_DIR to another folder. ' +
      `To begin again without the old records, move ${folder} away first.`,
  )
}

/**
 * The format of a folder's catalog, and that of this version; null: there is no catalog.
 *
 * @throws AppError `data_folder_unusable`, `database_damaged`, `catalog_lost`
 */
export function readFolderFormat(dataDir: string): { format: number; present: number } | null {
  if (!hasCatalog(dataDir)) {
    return null
  }
  const db = new SqliteDatabase(catalogFile(dataDir))
  try {
    refuseEmpty(dataDir, db)
    return { format: formatOf(db), present: presentFormat }
  } finally {
    db.close()
  }
}

/** The service that runs on a folder; null: none does, or the folder cannot be read. */
export function readService(dataDir: string): ServiceState | null {
  if (!existsSync(catalogFile(dataDir)) || statSync(catalogFile(dataDir)).size === 0) {
    return null
  }
  try {
    const db = new SqliteDatabase(catalogFile(dataDir))
    try {
      const stored = db.value<string>('SELECT value FROM state WHERE key = ?', [stateKeys.service])
      const service = stored === null ? null : (JSON.parse(stored) as ServiceState)
      return service !== null && isAlive(service.pid) ? service : null
    } finally {
      db.close()
    }
  } catch {
    return null
  }
}
