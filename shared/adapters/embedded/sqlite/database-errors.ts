import { AppError, operatorError, systemErrorCode, unavailable } from '../../../runtime/errors.js'

/** SQLite's result codes with a remedy for the operator. */
const codes = {
  unwritable: [3, 8, 14, 23],
  busy: [5, 6, 9],
  damaged: [11, 26],
  full: 13,
  /** Of a file, and of what connections share of its log. */
  failedWrites: [10 | (3 << 8), 10 | (19 << 8)],
}

/** The error for a damaged file. */
export type DamageError = (path: string, cause: unknown) => AppError

/** `database_damaged` for the records, which a backup restores. */
export const recordsDamaged: DamageError = (path, cause) =>
  operatorError(
    'database_damaged',
    `${path} is damaged. Restore a backup (npm run catalog -- restore <file>), or move the whole folder away and import again.`,
    cause,
  )

const diskFull = (path: string, cause: unknown): AppError =>
  operatorError(
    'disk_full',
    `There is no room left for ${path}. What was written before stays; free some space and run it again.`,
    cause,
  )

/** Translates an error of SQLite, and that of a full disk, to an operator error; returns any other error unchanged. */
export function toAppError(error: unknown, path: string, damaged: DamageError = recordsDamaged): unknown {
  if (systemErrorCode(error) === 'ENOSPC') {
    return diskFull(path, error)
  }
  if (error instanceof AppError || !(error instanceof Error) || !('code' in error)) {
    return error
  }
  // By number: libsql names only some of the extended codes, such as "read-only folder" (8 and 6 << 8).
  const raw = 'rawCode' in error && typeof error.rawCode === 'number' ? error.rawCode : null
  const code = raw === null ? null : raw & 0xff
  if (code === codes.full || (raw !== null && codes.failedWrites.includes(raw))) {
    return diskFull(path, error)
  }
  if (code !== null && codes.damaged.includes(code)) {
    return damaged(path, error)
  }
  // A file that cannot even be opened has no code here.
  if (code === null ? error.code === '' : codes.unwritable.includes(code)) {
    return operatorError(
      'data_folder_unusable',
      `${path} cannot be opened for writing. Check the folder's permissions, or set DATA_DIR to another one.`,
      error,
    )
  }
  if (code !== null && codes.busy.includes(code)) {
    return unavailable('catalog_unavailable', 'The catalog is busy. Try again in a moment.', 2, error)
  }
  return error
}
