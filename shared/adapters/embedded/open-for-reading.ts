import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { operatorError } from '../../runtime/errors.js'
import type { ReadStores } from '../stores.js'
import { SqliteCatalog } from './sqlite/catalog/catalog.js'
import { SqliteChangeLog } from './sqlite/change-log/change-log.js'
import { SqliteDatabase } from './sqlite/database.js'
import { formatOf, presentFormat } from './sqlite/migrations.js'
import { SqliteSearchIndex } from './sqlite/search/search-index.js'

const fileIn = (dataDir: string): string => join(dataDir, 'catalog.db')

/**
 * The format of a folder's catalog, and that of this version; null: there is no catalog.
 *
 * @throws AppError `data_folder_unusable`, `database_damaged`
 */
export function readFolderFormat(dataDir: string): { format: number; present: number } | null {
  if (!existsSync(fileIn(dataDir))) {
    return null
  }
  const db = new SqliteDatabase(fileIn(dataDir))
  try {
    return { format: formatOf(db), present: presentFormat }
  } finally {
    db.close()
  }
}

/**
 * Opens the catalog in a folder for reading. Nothing is created, and a catalog of another version is not upgraded.
 *
 * @throws AppError `no_catalog`, `data_folder_format`, `data_folder_unusable` or `database_damaged`
 */
export function openFolderForReading(dataDir: string, { model }: { model: string | null }): ReadStores {
  const found = readFolderFormat(dataDir)
  if (found === null) {
    throw operatorError(
      'no_catalog',
      `There is no catalog in ${dataDir} yet: npm start makes one, or an import; or set DATA_DIR to the folder of one.`,
    )
  }
  if (found.format !== found.present) {
    throw operatorError(
      'data_folder_format',
      `The catalog in ${dataDir} has the format ${found.format}, and this version reads ${found.present}. ` +
        (found.format < found.present ? 'npm start upgrades it.' : 'Update the program.'),
    )
  }
  const db = new SqliteDatabase(fileIn(dataDir))
  try {
    const index = new SqliteSearchIndex(db, { model })
    return {
      catalog: new SqliteCatalog(db, join(dataDir, 'locks')),
      changes: new SqliteChangeLog(db),
      index,
      close: async () => {
        await index.close()
        db.close()
      },
    }
  } catch (error) {
    db.close()
    throw error
  }
}
