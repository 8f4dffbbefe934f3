import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SqliteDatabase } from './sqlite/database.js'
import { formatOf, presentFormat } from './sqlite/migrations.js'

/**
 * The format of a folder's catalog, and that of this version; null: there is no catalog.
 *
 * @throws AppError `data_folder_unusable`, `database_damaged`
 */
export function readFolderFormat(dataDir: string): { format: number; present: number } | null {
  const file = join(dataDir, 'catalog.db')
  if (!existsSync(file)) {
    return null
  }
  const db = new SqliteDatabase(file)
  try {
    return { format: formatOf(db), present: presentFormat }
  } finally {
    db.close()
  }
}
