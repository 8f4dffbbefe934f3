import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { IndexTarget } from '../../../../ports/search-index.js'
import { type AppError, operatorError } from '../../../../runtime/errors.js'
import { SqliteDatabase } from '../database.js'
import { type RankRanges, readRanks } from './index-reads.js'
import { createLookups, createTables, tablesVersion } from './index-tables.js'
import { VectorCodes } from './vector-codes.js'

/** Documents that a search reads first, the most starred ones; then up to the second number; then all. */
const defaultReadFirst = [100_000, 600_000]

/** Occurrences of words that a search reads at most after the first range: in some 200 ms. */
const maxOccurrences = 500_000

/** The last ranks of the ranges are found again when the number of documents has changed by more than this share. */
const tolerated = 0.1

/**
 * The ranges that searches read in turn: full text yields matches by rank, and in a large catalog the most starred
 * documents have enough of them for most searches.
 */
export class RangesOfRanks {
  readonly #readFirst: number[]
  #found: { documents: number; ends: number[] } | null = null

  /** @param readFirst numbers of documents, ascending */
  constructor(readFirst: number[] = defaultReadFirst) {
    this.#readFirst = readFirst
  }

  /**
   * @param documents number of documents in the index
   * @param occurrences of the words of the search in all documents: of words that are too frequent not all are read
   */
  of(db: SqliteDatabase, documents: number, occurrences: number): RankRanges {
    let found = this.#found
    if (found === null || Math.abs(documents - found.documents) > tolerated * found.documents) {
      const last = this.#readFirst
        .filter((number) => number < documents)
        .flatMap((number) => readRanks(db, 'SELECT rank FROM texts ORDER BY rank LIMIT 1 OFFSET ?', [number - 1]))
      found = { documents, ends: [...last, Number.MAX_SAFE_INTEGER] }
      this.#found = found
    }
    const ends = found.ends.filter(
      (_, at) =>
        at === 0 || Math.min(1, (this.#readFirst[at] ?? documents) / documents) * occurrences <= maxOccurrences,
    )
    return { ends, areAll: ends.length === found.ends.length }
  }
}

/** A damaged index loses no data: it is built from the records. */
const indexDamaged = (path: string, cause: unknown): AppError =>
  operatorError(
    'index_damaged',
    `The search index in ${path} is damaged. Run npm run catalog -- rebuild, which builds it again from ` +
      'the records; if that fails too, follow its message.',
    cause,
  )

/** An open index: its file, and what is kept of it in memory. */
export interface OpenIndex {
  db: SqliteDatabase
  /** The fingerprint of the settings that it was built with. */
  settings: string
  codes: VectorCodes
  ranges: RangesOfRanks
}

interface IndexRow {
  [column: string]: string
  role: IndexTarget
  file: string
  settings: string
}

const fileName = /^search-(\d+)\.db/

/**
 * The files of the search index, `search-<number>.db` next to the catalog's: the live one, and the one that is being
 * built. The catalog says which is which, so that a swap is one write. A new file gets a higher number than any that is
 * in use or on the disk: an open file that was deleted is not taken for it.
 */
export class IndexFiles {
  readonly #catalog: SqliteDatabase
  readonly #readFirst: number[] | undefined
  readonly #open = new Map<string, OpenIndex>()

  /** @param readFirst see `RangesOfRanks` */
  constructor(catalog: SqliteDatabase, readFirst: number[] | undefined) {
    this.#catalog = catalog
    this.#readFirst = readFirst
  }

  /** The index of a role; null: there is none, its file was deleted, or it has the tables of another version. */
  of(role: IndexTarget): OpenIndex | null {
    const rows = this.#rows()
    for (const [file, { db }] of this.#open) {
      if (rows.every((row) => row.file !== file)) {
        this.#open.delete(file)
        db.close()
      }
    }
    const row = rows.find((each) => each.role === role)
    const known = row === undefined ? undefined : this.#open.get(row.file)
    if (row === undefined || (known === undefined && !existsSync(this.#path(row.file)))) {
      return null
    }
    const index = known ?? this.#openFile(row)
    if (index !== null) {
      index.settings = row.settings
    }
    return index
  }

  /** Creates an empty live index where there never was one. */
  createFirst(settings: string): void {
    if (this.#rows().length === 0) {
      this.#catalog.write(() => {
        if (this.#rows().length === 0) {
          this.create('live', settings)
        }
      })
    }
  }

  /** Creates an empty index in this role, without lookups for the next one. An index that had it is deleted. */
  create(role: IndexTarget, settings: string): void {
    this.#catalog.write(() => {
      const numbers = this.#rows().map(({ file }) => Number(fileName.exec(file)?.[1]))
      const file = `search-${Math.max(0, ...numbers, ...this.#numbersOnDisk()) + 1}.db`
      this.#catalog.run('INSERT OR REPLACE INTO search_indexes VALUES (?, ?, ?)', [role, file, settings])
      const db = this.#connect(file)
      try {
        db.exec('PRAGMA journal_mode = WAL')
        db.write(() => {
          createTables(db)
          if (role === 'live') {
            createLookups(db)
          }
        })
      } finally {
        db.close()
      }
    })
    this.#catalog.write(() => this.#deleteOthers())
  }

  /** Makes the next index the live one, and deletes that. */
  swap(): void {
    this.#catalog.write(() => {
      this.#catalog.run(`DELETE FROM search_indexes WHERE role = 'live'`)
      this.#catalog.run(`UPDATE search_indexes SET role = 'live' WHERE role = 'next'`)
    })
    this.#catalog.write(() => this.#deleteOthers())
  }

  close(): void {
    for (const { db } of this.#open.values()) {
      db.close()
    }
    this.#open.clear()
  }

  #openFile({ file, settings }: IndexRow): OpenIndex | null {
    const db = this.#connect(file)
    if (db.value('PRAGMA user_version') !== tablesVersion) {
      db.close()
      return null
    }
    const index = { db, settings, codes: new VectorCodes(), ranges: new RangesOfRanks(this.#readFirst) }
    this.#open.set(file, index)
    return index
  }

  #rows = (): IndexRow[] => this.#catalog.all<IndexRow>('SELECT role, file, settings FROM search_indexes')

  #path = (file: string): string => join(dirname(this.#catalog.path), file)

  #connect = (file: string): SqliteDatabase =>
    new SqliteDatabase(this.#path(file), {
      catalog: this.#catalog.path,
      damaged: indexDamaged,
      cacheKibibytes: this.#catalog.cacheKibibytes,
    })

  #numbersOnDisk(): number[] {
    return readdirSync(dirname(this.#catalog.path)).flatMap((name) => Number(fileName.exec(name)?.[1] ?? 0))
  }

  /**
   * Deletes the files of no role: the system gives back their space when the last connection is closed. Must run inside a
   * write transaction, so that none of them is being created.
   */
  #deleteOthers(): void {
    const used = new Set(this.#rows().map(({ file }) => file))
    for (const name of readdirSync(dirname(this.#catalog.path))) {
      const file = name.replace(/-(wal|shm)$/, '')
      if (fileName.test(name) && !used.has(file)) {
        this.#open.get(file)?.db.close()
        this.#open.delete(file)
        try {
          rmSync(this.#path(name), { force: true })
        } catch {
          // Windows deletes no open file: the next build does it.
        }
      }
    }
  }
}
