import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'libsql'
import { sequenceStep } from '../../ports/change-log.js'
import type { Lock } from '../../ports/locks.js'
import { AppError, operatorError, systemErrorCode } from '../../runtime/errors.js'
import { stateKeys } from '../../state-keys.js'
import { flushFile, flushFolder, makeFolder } from '../files/durable-file.js'
import { catalogFile, copyInto, hasCatalog, isOfNewFile, refuseEmpty, unfinished } from './folder-format.js'
import { takeFileLock } from './sqlite/catalog/job-data.js'
import { SqliteDatabase } from './sqlite/database.js'
import { toAppError } from './sqlite/database-errors.js'
import { identifiedVersion, presentFormat } from './sqlite/migrations.js'

/** A written backup, or a catalog that was restored from one. */
export interface CatalogCopy {
  sizeBytes: number
  /** Published skills. */
  skills: number
  /** The format of the file: that of the version which wrote its records. */
  format: number
}

/**
 * Copies the records of a folder into a new file, as of one moment, also while a service runs on it. Index and published
 * files are made from the records again.
 *
 * @throws AppError `no_catalog`, `file_exists`, `backup_not_written`; `catalog_lost` and others of the folder
 */
export async function backUpCatalog(dataDir: string, file: string): Promise<CatalogCopy> {
  if (!hasCatalog(dataDir)) {
    throw operatorError(
      'no_catalog',
      `There is no catalog in the folder ${dataDir}. Set DATA_DIR to one that has a catalog.`,
    )
  }
  if (existsSync(file)) {
    throw operatorError('file_exists', `${file} exists already. Give the backup another name, or move that file away.`)
  }
  const folder = dirname(resolve(file))
  if (!(statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false)) {
    const fault = existsSync(folder) ? 'is not a folder' : 'does not exist'
    throw operatorError(
      'backup_not_written',
      `The folder ${folder} ${fault}. Give the backup a place in one that exists.`,
    )
  }
  const made = join(folder, `${unfinished}${randomUUID()}.db`)
  const db = new SqliteDatabase(catalogFile(dataDir))
  try {
    refuseEmpty(dataDir, db)
    copyInto(db, made)
    const copy = inFile(made, (reader) => copyOf(reader, made))
    // Not the identity of the file in use: a copy may be put in the place of the one that is in use.
    change(made, copy.format < identifiedVersion ? '' : `UPDATE change_log SET file = '${randomUUID()}';`)
    await flushFile(made)
    renameSync(made, file)
    await flushFolder(folder)
    return copy
  } catch (error) {
    throw systemErrorCode(error) !== null || (error instanceof AppError && error.code !== 'catalog_lost')
      ? notWritten(file, error)
      : error
  } finally {
    if (existsSync(made)) {
      rmSync(made)
    }
    db.close()
  }
}

function notWritten(file: string, error: unknown): AppError {
  // The message would name the unfinished file.
  const cause = isOfNewFile(error) ? error.cause : error
  return operatorError(
    'backup_not_written',
    `The backup could not be written to ${file} (${cause instanceof Error ? cause.message : cause}). Check that the folder ` +
      'may be written, and has as much room as the catalog takes.',
    cause,
  )
}

/**
 * Puts a backup in the place of a folder's catalog: checks it, moves the old file with its log aside, and deletes the index
 * that was made from it. Followers of the change feed start again, since the backup lacks what they may have read.
 *
 * @param locks names of the locks that every process takes which uses the folder; `service` first
 * @param at names the folder of the old catalog
 * @returns `replaced`: where the old catalog is now; null: there was none
 * @throws AppError `backup_unusable`; `service_running` or `folder_in_use` when a process uses the folder
 */
export async function restoreCatalog(
  dataDir: string,
  file: string,
  { locks, at }: { locks: string[]; at: Date },
): Promise<CatalogCopy & { replaced: string | null }> {
  checkBackup(file)
  makeFolder(dataDir)
  const held: Lock[] = []
  const made = join(dataDir, `${unfinished}${randomUUID()}.db`)
  try {
    for (const name of locks) {
      const lock = takeFileLock(join(dataDir, 'locks'), name)
      if (lock === null) {
        throw inUse(dataDir, name)
      }
      held.push(lock)
    }
    const copy = copyBackup(file, made)
    const head = `max(head + ${sequenceStep}, ${at.getTime() * sequenceStep})`
    change(
      made,
      `DELETE FROM state WHERE key IN ('${stateKeys.service}', '${stateKeys.rebuild}', '${stateKeys.syncPosition}',
         '${stateKeys.unembeddedSince}') OR key LIKE '${stateKeys.jobRunningSince('')}%';
       UPDATE change_log SET horizon = ${head}, head = ${head} WHERE head > 0;
       ${
         copy.format < identifiedVersion
           ? ''
           : `UPDATE change_log SET file = '${randomUUID()}';
       DELETE FROM search_indexes; INSERT INTO search_indexes VALUES ('live', 'search-0.db', '');
       ${logAgain}`
       }
       -- Earlier versions build no index next to a file without a log.
       PRAGMA journal_mode = WAL;`,
    )
    await flushFile(made)
    const replaced = moveAside(dataDir, at)
    renameSync(made, catalogFile(dataDir))
    await flushFolder(dataDir)
    return { ...copy, replaced }
  } finally {
    rmSync(made, { force: true })
    for (const lock of held) {
      await lock.release()
    }
  }
}

/** Logs all changes again, in their order and after the horizon: a client that reads from the start must not meet it. */
const logAgain = `
  UPDATE skills SET sequence = later.sequence FROM (
    SELECT rowid AS skill, head + ${sequenceStep} * row_number() OVER (ORDER BY sequence) AS sequence
    FROM skills, change_log WHERE sequence IS NOT NULL
  ) later WHERE skills.rowid = later.skill;
  UPDATE change_log SET head = coalesce((SELECT max(sequence) FROM skills), head);`

/** Reads a file through an own connection, without a lock and without its log. */
function inFile<T>(file: string, work: (reader: SqliteDatabase) => T): T {
  const reader = new SqliteDatabase(':memory:', { damaged: (_, cause) => unusable(file, 'it is damaged', cause) })
  try {
    reader.run('ATTACH DATABASE ? AS copy', [`${pathToFileURL(file).href}?mode=ro&immutable=1`])
    return work(reader)
  } finally {
    reader.close()
  }
}

/** @throws AppError `backup_unusable` */
function copyOf(reader: SqliteDatabase, file: string): CatalogCopy {
  const format = Number(reader.value('PRAGMA copy.user_version'))
  const tables = reader.all(`SELECT name FROM copy.sqlite_master WHERE name IN ('skills', 'state', 'change_log')`)
  if (format === 0 || tables.length < 3) {
    throw unusable(file, 'it is no catalog')
  }
  if (format > presentFormat) {
    throw unusable(file, `a newer version has written it (format ${format}, this one knows ${presentFormat})`)
  }
  const skills = Number(reader.value('SELECT count(*) FROM copy.skills WHERE state = 0'))
  return { sizeBytes: statSync(file).size, skills, format }
}

/** @throws AppError `backup_unusable` */
function checkBackup(file: string): void {
  if (!(statSync(file, { throwIfNoEntry: false })?.isFile() ?? false)) {
    throw unusable(file, 'there is no such file')
  }
  inFile(file, (reader) => copyOf(reader, file))
}

/** Copies a backup, with the log that may be next to it, and checks every page. @throws AppError `backup_unusable` */
function copyBackup(file: string, made: string): CatalogCopy {
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  if (!hasLog) {
    return inFile(file, (reader) => checkedCopy(reader, file, made))
  }
  const both = `${made}.logged`
  try {
    copyFileSync(file, both)
    copyFileSync(`${file}-wal`, `${both}-wal`)
    change(both, 'PRAGMA wal_checkpoint(TRUNCATE);')
    return inFile(both, (reader) => checkedCopy(reader, file, made))
  } catch (error) {
    throw toAppError(error, made)
  } finally {
    for (const ending of ['', '-wal', '-shm']) {
      rmSync(`${both}${ending}`, { force: true })
    }
  }
}

function checkedCopy(reader: SqliteDatabase, file: string, made: string): CatalogCopy {
  const fault = reader.value('PRAGMA copy.integrity_check(1)')
  if (fault !== 'ok') {
    throw unusable(file, `it is damaged: ${fault}`)
  }
  copyInto(reader, made, 'copy')
  return copyOf(reader, file)
}

const unusable = (file: string, reason: string, cause?: unknown): AppError =>
  operatorError(
    'backup_unusable',
    `${file} cannot be restored: ${reason}. Nothing was changed. Give a file that npm run catalog -- backup has written.`,
    cause,
  )

/** Runs statements in a file. No connection to it stays open, so that it can be renamed. */
function change(file: string, statements: string): void {
  try {
    const db = new Database(file)
    db.exec(statements)
    db.close()
  } catch (error) {
    throw toAppError(error, file)
  }
}

/** @returns the folder of the old catalog; null: there was none */
function moveAside(dataDir: string, at: Date): string | null {
  const names = readdirSync(dataDir)
  const old = names.filter((name) => /^catalog\.db(-wal|-shm|-journal)?$/.test(name))
  const aside = old.length === 0 ? null : join(dataDir, `replaced-${at.toISOString().replaceAll(/[-:.]/g, '')}`)
  if (aside !== null) {
    makeFolder(aside)
    // The log last: a file without its log would be another catalog.
    for (const name of old.toSorted()) {
      renameSync(join(dataDir, name), join(aside, name))
    }
  }
  for (const name of names.filter((each) => /^search-\d+\.db/.test(each))) {
    rmSync(join(dataDir, name), { force: true })
  }
  return aside
}

const inUse = (dataDir: string, lock: string): AppError =>
  lock === 'service'
    ? operatorError('service_running', `A service runs on the folder ${dataDir}. Stop it, then restore the backup.`)
    : operatorError(
        'folder_in_use',
        `A command is using the folder ${basename(dataDir)} (${lock}). Wait for it to end, then restore the backup.`,
      )
