import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import Database from 'libsql'
import { type DamageError, recordsDamaged, toAppError } from './database-errors.js'
import { FileWatch } from './file-watch.js'

/**
 * Values that are bound and read: a blob is bound as a Buffer, and read as an ArrayBuffer. libsql aborts the whole process
 * on others, such as a boolean or a Date.
 */
export type SqlValue = string | number | bigint | Buffer | ArrayBuffer | null

/** A row, by the names of its columns. */
export type SqlRow = Record<string, SqlValue>

/** A statement that gives rows as lists of values: libsql makes objects in a quarter more time. */
interface Statement {
  /** Of its columns; none where it gives no rows. */
  names: string[]
  all(values: SqlValue[]): SqlValue[][]
  get(values: SqlValue[]): SqlValue[] | undefined
  run(values: SqlValue[]): { changes: number }
}

/** What SQLite takes by itself. */
const defaultCacheKibibytes = 2_000

/** How long a writer waits for another process's transaction before the call fails. */
const busyTimeoutMs = 15_000

/** A longer log is emptied soon after a write; a shorter one is written over. */
const maxLogBytes = 4 * 2 ** 20
const emptiedAfterMs = 5_000

/**
 * One connection to an SQLite file: prepared statements are cached, values are checked before they are bound, and
 * SQLite's errors become AppErrors.
 */
export class SqliteDatabase {
  /** The pages that this connection keeps; others are read from the system's cache. */
  readonly cacheKibibytes: number
  readonly #db: Database.Database
  readonly #statements = new Map<string, Statement>()
  readonly #damaged: DamageError
  /** Watches the catalog's file, also for an index, which is read together with it. */
  readonly #watch: FileWatch
  #depth = 0
  #emptying: NodeJS.Timeout | null = null
  /** Rows that this connection has written. */
  #written = 0
  /** Whether the file was replaced, and its log copied into it. */
  #isLeft = false

  /**
   * @param catalog the file of the catalog, whose tables can be read under `catalog`
   * @param damaged the error for a damaged file
   * @param cacheKibibytes see the property
   * @throws AppError `data_folder_unusable`, or for a damaged file
   */
  constructor(
    readonly path: string,
    {
      catalog,
      damaged = recordsDamaged,
      cacheKibibytes = defaultCacheKibibytes,
    }: { catalog?: string; damaged?: DamageError; cacheKibibytes?: number } = {},
  ) {
    this.cacheKibibytes = cacheKibibytes
    this.#damaged = damaged
    this.#watch = new FileWatch(catalog ?? path)
    try {
      this.#db = new Database(path)
      this.#db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
      this.#db.exec('PRAGMA synchronous = NORMAL')
      this.#db.exec(`PRAGMA cache_size = -${cacheKibibytes}`)
      // A checkpoint every 32 MB of log: copies the same pages less often during many writes.
      this.#db.exec('PRAGMA wal_autocheckpoint = 8000')
      this.#db.exec(`PRAGMA journal_size_limit = ${maxLogBytes}`)
      this.#db.exec('PRAGMA temp_store = MEMORY')
      if (catalog !== undefined) {
        // Read only: else a write transaction would lock both files.
        this.#db.prepare('ATTACH DATABASE ? AS catalog').run([`${pathToFileURL(catalog).href}?mode=ro`])
      }
      // Opens the logs, so that this connection uses the files that are there now.
      this.#db.exec(`PRAGMA ${catalog === undefined ? 'main' : 'catalog'}.schema_version`)
    } catch (error) {
      throw toAppError(error, path, damaged)
    }
  }

  all<Row extends SqlRow = SqlRow>(sql: string, values: SqlValue[] = []): Row[] {
    const rows = this.#guard(() => {
      const statement = this.#prepare(sql)
      return statement.all(checked(values)).map((found) => rowOf(statement.names, found))
    })
    return rows as Row[]
  }

  /** The first row, or null. */
  get<Row extends SqlRow = SqlRow>(sql: string, values: SqlValue[] = []): Row | null {
    const row = this.#guard(() => {
      const statement = this.#prepare(sql)
      const found = statement.get(checked(values))
      return found === undefined ? null : rowOf(statement.names, found)
    })
    return row as Row | null
  }

  /** The first column of each row. */
  column<Value extends SqlValue>(sql: string, values: SqlValue[] = []): Value[] {
    const found = this.#guard(() => this.#prepare(sql).all(checked(values)))
    return found.map(([value]) => toRead(value) as Value)
  }

  /** The first column of the first row; null: it is NULL, or there is no row. */
  value<Value extends SqlValue>(sql: string, values: SqlValue[] = []): Value | null {
    const [value] = this.#guard(() => this.#prepare(sql).get(checked(values))) ?? []
    return toRead(value) as Value | null
  }

  /** Number of written rows. */
  run(sql: string, values: SqlValue[] = []): number {
    const rows = this.#guard(() => this.#prepare(sql).run(checked(values)).changes)
    this.#written += rows
    return rows
  }

  /** Runs statements without caching them. */
  exec(sql: string): void {
    this.#guard(() => this.#db.exec(sql))
  }

  /** Runs `work` in a write transaction. Inside another transaction it is a part of that one. */
  write<T>(work: () => T): T {
    this.#emptyLogLater()
    return this.#transaction('BEGIN IMMEDIATE', work)
  }

  /** Runs `work` in a read transaction: it sees one state of the database. */
  read<T>(work: () => T): T {
    return this.#transaction('BEGIN', work)
  }

  /**
   * A text that differs after each change of rows: `data_version` does after those by other connections. See
   * https://sqlite.org/pragma.html#pragma_data_version
   */
  version(): string {
    return `${this.value('PRAGMA data_version')} ${this.#written}`
  }

  /** Closes the connection, unless that would write into a file that has replaced the open one. */
  close(): void {
    clearTimeout(this.#emptying ?? undefined)
    this.#statements.clear()
    if (this.#watch.mayClose) {
      this.#db.close()
    }
  }

  #transaction<T>(begin: string, work: () => T): T {
    if (this.#depth > 0) {
      return work()
    }
    this.exec(begin)
    this.#depth += 1
    try {
      const result = work()
      this.exec('COMMIT')
      return result
    } catch (error) {
      if (this.#db.inTransaction) {
        this.#db.exec('ROLLBACK')
      }
      throw error
    } finally {
      this.#depth -= 1
    }
  }

  #prepare(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      const prepared = this.#db.prepare(sql)
      const names = prepared.columns().map(({ name }) => name)
      // Refused for a statement that gives no rows.
      const lists = names.length === 0 ? prepared : prepared.raw()
      statement = Object.assign(lists as unknown as Statement, { names })
      this.#statements.set(sql, statement)
    }
    return statement
  }

  /** @throws AppError `catalog_unavailable` (503) when the catalog's file is not the one that was opened */
  checkFile(): void {
    try {
      this.#watch.check()
    } catch (error) {
      this.#leaveFile()
      throw error
    }
  }

  /**
   * Copies the log into the file, which is whole by itself then, and empties it, unless another connection is reading.
   * SQLite does so when it closes the last connection, but closes none before the garbage collector has found all of its
   * statements.
   */
  copyLog(): void {
    if (this.#watch.mayClose) {
      try {
        this.#db.exec('PRAGMA busy_timeout = 0')
        this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      } catch {
        // The other connection does so when it closes.
      } finally {
        this.#db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
      }
    }
  }

  #emptyLogLater(): void {
    this.#emptying ??= setTimeout(() => {
      this.#emptying = null
      if ((statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) {
        this.copyLog()
        // Another connection may have been reading.
        this.#emptyLogLater()
      }
    }, emptiedAfterMs).unref()
  }

  /** The log of a moved file would be applied to the file that is at its path now. */
  #leaveFile(): void {
    if (!this.#isLeft && this.#depth === 0 && this.#watch.mayClose) {
      this.#isLeft = true
      this.copyLog()
    }
  }

  #guard<T>(work: () => T): T {
    this.checkFile()
    try {
      return work()
    } catch (error) {
      throw toAppError(error, this.path, this.#damaged)
    }
  }
}

/** Blobs become ArrayBuffers of their own: libsql gives Buffers. */
const toRead = (value: SqlValue = null): SqlValue => (Buffer.isBuffer(value) ? new Uint8Array(value).buffer : value)

function rowOf(names: string[], values: SqlValue[]): SqlRow {
  const row: SqlRow = {}
  for (const [place, name] of names.entries()) {
    row[name] = toRead(values[place])
  }
  return row
}

function checked(values: SqlValue[]): SqlValue[] {
  for (const value of values) {
    if (
      !(typeof value === 'string' || value === null || typeof value === 'bigint' || Buffer.isBuffer(value)) &&
      !(typeof value === 'number' && Number.isFinite(value))
    ) {
      throw new TypeError(`cannot bind ${typeof value} ${String(value)}`)
    }
  }
  return values
}
