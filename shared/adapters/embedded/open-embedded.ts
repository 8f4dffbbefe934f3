import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { operatorError } from '../../errors.js'
import type { OpenOptions, Stores } from '../open.js'
import { FileExportStore } from './file-export-store.js'
import { SqliteCatalogStore } from './sqlite-catalog-store.js'
import { SqliteDatabase } from './sqlite-database.js'
import { migrate } from './sqlite-migrations.js'
import { SqliteSearchIndex } from './sqlite-search-index.js'
import { openThreads } from './sqlite-threads.js'

/**
 * Opens the catalog that lives in a folder: `catalog.db` with the records and the search index, `exports/` with the
 * published files, `locks/`. Makes what is not there yet.
 *
 * @throws AppError `data_folder_unusable`, `data_folder_newer`, `database_damaged` or `disk_full`
 */
export async function openEmbedded(dataDir: string, { threads, log }: OpenOptions): Promise<Stores> {
  try {
    mkdirSync(dataDir, { recursive: true })
  } catch (error) {
    throw operatorError(
      'data_folder_unusable',
      `The data folder ${dataDir} cannot be made. Check the permissions of the folder above it, or set DATA_DIR to another one.`,
      error,
    )
  }
  const file = join(dataDir, 'catalog.db')
  const lockFolder = join(dataDir, 'locks')
  // Opened here first in either case, so that whatever is wrong with the file is told before anything starts.
  const db = new SqliteDatabase(file)
  try {
    migrate(db)
    const index = new SqliteSearchIndex(db)
    const exports = await FileExportStore.open(join(dataDir, 'exports'), log)
    if (!threads) {
      const catalog = new SqliteCatalogStore(db, lockFolder)
      return { catalog, index, exports, close: async () => db.close() }
    }
    db.close()
    return { ...openThreads(file, lockFolder), exports }
  } catch (error) {
    db.close()
    throw error
  }
}
