import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { catalogFile, createCatalog } from '../../shared/adapters/embedded/folder-format.js'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { FileWatch } from '../../shared/adapters/embedded/sqlite/file-watch.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** A file is looked at when it is used, but not more often. */
const lookMs = 60

const pageBytes = 4_096

let file: string
let db: SqliteDatabase
let watch: FileWatch

beforeEach(async () => {
  const folder = temporaryFolder()
  await createCatalog(folder, false)
  file = catalogFile(folder)
  db = new SqliteDatabase(file)
  db.exec('PRAGMA journal_mode = WAL')
  watch = new FileWatch(file)
  watch.check()
})

afterEach(() => db.close())

const looked = async () => {
  await sleep(lookMs)
  return () => watch.check()
}

/** Makes the log several times as long as the file. */
const grow = () =>
  db.exec(`
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)
    INSERT INTO state SELECT 'key-' || n, hex(randomblob(200)) FROM numbers;
  `)

/** The file as it is once its log is copied into it. */
function withItsLog(): Buffer {
  const copy = join(temporaryFolder(), 'copy.db')
  for (const ending of ['', '-wal']) {
    copyFileSync(`${file}${ending}`, `${copy}${ending}`)
  }
  const other = new SqliteDatabase(copy)
  other.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  other.close()
  return readFileSync(copy)
}

describe('a watched file', () => {
  test.each([1, 2, 40])('may be in the middle of a checkpoint, after %d pages', async (pages) => {
    grow()
    const whole = withItsLog()
    const old = readFileSync(file)
    expect(whole.length).toBeGreaterThan(2 * old.length)

    // SQLite copies the first page first: it says how many pages there are going to be.
    const begun = whole.subarray(0, pages * pageBytes)
    writeFileSync(file, Buffer.concat([begun, old.subarray(begun.length)]), { flag: 'r+' })

    expect(await looked()).not.toThrow()
    expect(await looked()).not.toThrow()
    writeFileSync(file, whole, { flag: 'r+' })
    expect(await looked()).not.toThrow()
  })

  test('is refused while another one is being copied over it', async () => {
    truncateSync(file, 0)

    expect(await looked()).toThrow(/replaced or deleted while it was in use/)
    expect(watch.mayClose).toBe(false)
  })

  test('is refused when a copy of it takes its place that SQLite has written again', async () => {
    const copy = join(temporaryFolder(), 'copy.db')
    db.run('VACUUM INTO ?', [copy])
    copyFileSync(copy, file)

    expect(await looked()).toThrow(/replaced or deleted while it was in use/)
  })
})
