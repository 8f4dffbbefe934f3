import { AppError, operatorError, unavailable } from '../../../../runtime/errors.js'
import type { SqliteDatabase } from '../database.js'

/** 503: there is no index that could answer. */
export const beingPrepared = (): AppError =>
  unavailable('search_unavailable', 'The search index is being built. Try again in a moment.', 5)

/** A damaged index loses no data: it is built from the records. @throws AppError `index_damaged`, or as `work` does */
export function reportingDamage<T>(db: SqliteDatabase, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw operatorError(
      'index_damaged',
      `The search index in ${db.path} is damaged. Run npm run catalog -- rebuild, which builds it again from ` +
        'the records; if that fails too, follow its message.',
      damageOnly(error),
    )
  }
}

/** The error, if it means that the file is damaged; throws every other error. */
export function damageOnly(error: unknown): unknown {
  if (error instanceof AppError && error.code === 'database_damaged') {
    return error
  }
  throw error
}
