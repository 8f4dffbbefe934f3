import { MongoBulkWriteError } from 'mongodb'
import type { Fence } from '../../../ports/locks.js'
import { lockLost } from '../../../runtime/errors.js'
import { duplicateKey, isDuplicateKey } from './connection.js'

/** A filter that finds a document unless a later holder of the lock has written it. */
export const olderThan = (epoch: number) => ({ epoch: { $not: { $gt: epoch } } })

/**
 * Does an upsert whose filter is `olderThan`: where it finds nothing because a later holder has written the document,
 * the insert that follows is rejected as a duplicate `_id`.
 *
 * @throws AppError `lock_lost` (409) in that case
 */
export async function refusedAs<T>({ name }: Pick<Fence, 'name'>, upsert: () => Promise<T>): Promise<T> {
  try {
    return await upsert()
  } catch (error) {
    const isRefused = error instanceof MongoBulkWriteError ? error.code === duplicateKey : isDuplicateKey(error)
    throw isRefused ? lockLost(name) : error
  }
}
