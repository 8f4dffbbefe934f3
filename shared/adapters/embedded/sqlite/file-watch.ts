import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import Database from 'libsql'
import { type AppError, unavailable } from '../../../runtime/errors.js'

/** How long after a look the next one takes place, at the next call: a look takes some microseconds. */
const everyMs = 50

/** A restart needs an operator. */
const retryAfterSeconds = 30

/** Files that SQLite keeps next to a file that is open. */
const endings = ['-wal', '-shm'] as const

/**
 * What has happened to an open file. `moved`: its path is gone, or names another file; `overwritten`: it has the content
 * of another one; `unreadable`: it may be, or is being written; `log`: its log was deleted, so that other processes would
 * write into another one.
 */
type Fault = 'moved' | 'overwritten' | 'unreadable' | 'log'

/** What a catalog's file says about itself. */
interface Identity {
  /** Differs between two files, also where one is a backup of the other. */
  file: string
  /** The end of the change log. It only grows: in an older copy it is lower. */
  head: number
  /** SQLite's count of changes (https://sqlite.org/fileformat.html#file_change_counter), likewise. `VACUUM INTO` begins at 1. */
  counter: number
}

/**
 * Notices that an open file is not the one at its path any more: SQLite goes on with the pages that it has in memory, the
 * file that it has open and the log next to the path, and would mix the records of two catalogs.
 *
 * A replaced file stays refused until the process ends: no connection can be sure which pages it has read.
 */
export class FileWatch {
  readonly #path: string
  /** The state of the file and of those next to it, by ending; absent until one was seen. */
  readonly #files = new Map<string, string>()
  #identity: Identity | null = null
  #written = ''
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #fault: Fault | null = null

  constructor(path: string) {
    this.#path = path
  }

  /** @throws AppError `catalog_unavailable` (503) when the file or its log is another one than before */
  check(): void {
    const nowMs = performance.now()
    if (nowMs - this.#lookedAtMs >= everyMs) {
      this.#lookedAtMs = nowMs
      this.#lookAgain()
    }
    if (this.#fault !== null) {
      throw fileReplaced(this.#path, this.#fault)
    }
  }

  /**
   * Whether the connection may be closed: SQLite then copies the log into the open file, and deletes the log at the path.
   */
  get mayClose(): boolean {
    this.#lookAgain()
    const isOverwritten = this.#fault === 'overwritten' || this.#fault === 'unreadable'
    return !isOverwritten && !endings.some((ending) => this.#isAnother(ending, false))
  }

  #lookAgain(): void {
    if (this.#fault === null || this.#fault === 'unreadable') {
      this.#fault = this.#look()
    }
  }

  #look(): Fault | null {
    if (this.#isAnother('', true)) {
      this.#putLogAside()
      return 'moved'
    }
    const content = this.#lookInside()
    if (content === 'overwritten') {
      this.#putLogAside()
    }
    if (content !== null) {
      return content
    }
    return endings.some((ending) => this.#isAnother(ending, true)) ? 'log' : null
  }

  /**
   * The log belongs to the content that is gone, or to the file that was moved away: the next start would write it into
   * the present file, and damage it. It is kept under another name, since it may hold the last changes of a moved file.
   */
  #putLogAside(): void {
    const [log, index] = endings
    const [ownLog, ownIndex] = [!this.#isAnother(log, true), !this.#isAnother(index, true)]
    if (ownLog && existsSync(`${this.#path}${log}`)) {
      renameSync(`${this.#path}${log}`, `${this.#path}${log}.replaced`)
    }
    if (ownIndex) {
      rmSync(`${this.#path}${index}`, { force: true })
    }
  }

  /** @param missing the result for a file that was deleted */
  #isAnother(ending: string, missing: boolean): boolean {
    const found = statSync(`${this.#path}${ending}`, { throwIfNoEntry: false })
    const known = this.#files.get(ending)
    if (found === undefined) {
      return known === undefined ? false : missing
    }
    const file = `${found.dev} ${found.ino}`
    if (known === undefined) {
      this.#files.set(ending, file)
    }
    return known !== undefined && known !== file
  }

  /** Looks at the content when the file was written, as SQLite does itself when it copies the log. */
  #lookInside(): Fault | null {
    const { mtimeMs, size } = statSync(this.#path, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 }
    const written = `${mtimeMs} ${size}`
    if (written === this.#written) {
      return null
    }
    const before = this.#identity
    const identity = identityOf(this.#path)
    if (before !== null && identity === null) {
      return 'unreadable'
    }
    if (before !== null && identity !== null && !isLater(identity, before)) {
      return 'overwritten'
    }
    this.#written = written
    this.#identity = identity
    return null
  }
}

/** Whether a file that was like this can have become like that. */
const isLater = (present: Identity, before: Identity): boolean =>
  present.file === before.file && present.head >= before.head && present.counter >= before.counter

/** Reads files apart from the connections that watch them. One for each thread: SQLite closes no file while others lock it. */
let reader: Database.Database | null = null

function openReader(): Database.Database {
  const db = new Database(':memory:')
  // Reads also a file that is shorter than its first page says, as it is while SQLite copies the log into it.
  db.exec('PRAGMA writable_schema = ON')
  return db
}

/**
 * What the file itself says, without its log and without the pages in memory; null: it is no catalog, or has not got its
 * tables yet.
 */
function identityOf(path: string): Identity | null {
  reader ??= openReader()
  try {
    // Immutable: SQLite reads nothing but the file, and takes no lock.
    reader.prepare('ATTACH DATABASE ? AS raw').run([`${pathToFileURL(path).href}?mode=ro&immutable=1`])
    const [row] = reader
      .prepare(
        `SELECT file, head, (SELECT hex(substr(data, 25, 4)) FROM sqlite_dbpage('raw') WHERE pgno = 1) AS counter
         FROM raw.change_log`,
      )
      .all([])
    const { file, head, counter } = Object(row)
    return typeof file === 'string' ? { file, head: Number(head), counter: Number.parseInt(counter, 16) } : null
  } catch {
    return null
  } finally {
    detach(reader)
  }
}

function detach(db: Database.Database): void {
  try {
    db.exec('DETACH raw')
  } catch {
    // Nothing to detach: attaching it has failed.
  }
}

const fileReplaced = (path: string, fault: Fault): AppError =>
  unavailable(
    'catalog_unavailable',
    'The file of the catalog was replaced or deleted while it was in use, so nothing of it is answered any more. Stop ' +
      'the service and start it again: it then uses the file that is in its place.',
    retryAfterSeconds,
    new Error(`${path} is not the file that was opened (${fault})`),
  )
