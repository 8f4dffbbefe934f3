import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { temporaryFolder } from '../support/temporary-folder.js'

describe('the write-ahead log of an SQLite file', () => {
  beforeEach(() => {
    jest.useFakeTimers()
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  function openFile(name: string) {
    const path = join(temporaryFolder(), name)
    const db = new SqliteDatabase(path)
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('CREATE TABLE blobs (blob BLOB)')
    const write = (bytes: number) => db.write(() => db.run('INSERT INTO blobs VALUES (zeroblob(?))', [bytes]))
    return { path, db, write, logBytes: () => statSync(`${path}-wal`).size }
  }

  test('is emptied some seconds after a long one was written', () => {
    const { db, write, logBytes } = openFile('long.db')
    write(20_000_000)
    expect(logBytes()).toBeGreaterThan(20_000_000)
    jest.advanceTimersByTime(5_000)
    expect(logBytes()).toBe(0)
    db.close()
  })

  test('is emptied later when another connection is reading meanwhile', () => {
    const { path, db, write, logBytes } = openFile('read.db')
    write(1_000)
    const reader = new SqliteDatabase(path)
    reader.read(() => {
      reader.get('SELECT count(*) FROM blobs')
      write(20_000_000)
      jest.advanceTimersByTime(5_000)
      expect(logBytes()).toBeGreaterThan(20_000_000)
    })
    jest.advanceTimersByTime(5_000)
    expect(logBytes()).toBe(0)
    reader.close()
    db.close()
  })

  test('is left as it is when it is short', () => {
    const { db, write, logBytes } = openFile('short.db')
    write(1_000_000)
    jest.advanceTimersByTime(60_000)
    expect(logBytes()).toBeGreaterThan(1_000_000)
    db.close()
  })
})
