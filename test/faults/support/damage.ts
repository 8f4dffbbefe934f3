import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { SqliteDatabase } from '../../../shared/adapters/embedded/sqlite/database.js'

/**
 * Overwrites pages of a file of the data folder, like a failing disk. No process may have it open.
 *
 * @param tables a GLOB pattern for the names of the tables and indexes whose pages are overwritten
 */
export function damage(dataDir: string, file: string, tables: string): void {
  const path = join(dataDir, file)
  const db = new SqliteDatabase(path)
  // Else the write-ahead log would restore the overwritten pages.
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const pageSize = Number(db.get('PRAGMA page_size')?.['page_size'])
  const pages = db.all<{ pageno: number }>('SELECT pageno FROM dbstat WHERE name GLOB ?', [tables])
  db.close()
  const places = pages.map(({ pageno }) => (pageno - 1) * pageSize)
  // In another process: closing a file releases all locks of this process on it, also those of SQLite.
  execFileSync(process.execPath, ['--eval', overwrite, path, String(pageSize), JSON.stringify(places)])
}

const overwrite = `
  const { closeSync, openSync, writeSync } = require('node:fs')
  const [path, pageSize, places] = process.argv.slice(1)
  const file = openSync(path, 'r+')
  for (const place of JSON.parse(places)) {
    writeSync(file, Buffer.alloc(Number(pageSize), 0xa5), 0, Number(pageSize), place)
  }
  closeSync(file)
`
