import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { operatorError } from '../../errors.js'
import { makeFolder } from '../make-folder.js'
import type { OpenOptions, Stores } from '../open.js'
import { fencedFirst } from './fenced-first.js'
import { FileExportStore } from './file-export-store.js'
import { SqliteCatalogStore } from './sqlite-catalog-store.js'
import { SqliteChangeLog } from './sqlite-change-log.js'
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
export async function openEmbedded(
  dataDir: string,
  { threads, log }: Pick<OpenOptions, 'threads' | 'log'>,
): Promise<Stores> {
  try {
    makeFolder(dataDir)
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
      return {
        catalog: yielding(catalog),
        index: fencedFirst(yielding(index)),
        exports,
        changes: yielding(new SqliteChangeLog(db)),
        close: async () => db.close(),
      }
    }
    db.close()
    const ports = openThreads(file, lockFolder)
    return { ...ports, index: fencedFirst(ports.index), exports }
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * The same port, giving way to the event loop after every call. SQLite answers at once, and a loop over answers that
 * are there already would keep signals, timers and the release of native memory waiting until its end.
 */
function yielding<T extends object>(port: T): T {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      return typeof method !== 'function'
        ? method
        : async (...args: unknown[]) => {
            const result: unknown = await method.apply(target, args)
            await setImmediate()
            return result
          }
    },
  })
}
