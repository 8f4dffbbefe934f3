import { randomUUID } from 'node:crypto'
import { type Collection, type Db, MongoBulkWriteError } from 'mongodb'
import type { Lock } from '../../../../ports/locks.js'
import { lockLost } from '../../../../runtime/errors.js'
import { duplicateKey, isDuplicateKey, serverTime, translated } from '../connection.js'

/** The duration of a lock after the last renewal by its holder. */
const leaseMs = 30_000

const renewEveryMs = 10_000

/** A stored lock, under its name. */
interface Lease {
  _id: string
  /** Null: it was released. */
  holder: string | null
  /** The fencing token: each later holder has a higher one. */
  epoch: number
  /** By the database's clock. */
  expiresAt: Date
}

/** Durations of a lease; tests shorten them. */
export interface LeaseTiming {
  leaseMs: number
  renewEveryMs: number
}

/**
 * Takes a lock by a lease on the database's clock, and renews it until it is released. It is lost when another holder
 * has it, or when it could not be renewed in time.
 *
 * @returns null when another holder's lease has not expired
 */
export async function takeLease(
  db: Db,
  name: string,
  timing: LeaseTiming = { leaseMs, renewEveryMs },
): Promise<Lock | null> {
  const leases = db.collection<Lease>('locks')
  const holder = randomUUID()
  // Counted from before each request, so that it ends here no later than by the database's clock.
  let heldUntilMs = performance.now() + timing.leaseMs
  const claimed = await claim(db, leases, name, holder, timing.leaseMs)
  if (claimed === null) {
    return null
  }
  const { epoch, takenOver } = claimed
  const lost = new AbortController()
  const mine = { _id: name, holder, epoch }
  const lose = () => {
    clearInterval(timer)
    lost.abort(lockLost(name))
  }
  const renew = async () => {
    const beganMs = performance.now()
    try {
      const { matchedCount } = await leases.updateOne(mine, [{ $set: { expiresAt: inFuture(timing.leaseMs) } }])
      if (matchedCount === 0) {
        lose()
      } else {
        heldUntilMs = beganMs + timing.leaseMs
      }
    } catch {
      // The next attempt may succeed while the lease lasts.
      if (performance.now() + timing.renewEveryMs > heldUntilMs) {
        lose()
      }
    }
  }
  const timer = setInterval(() => void renew(), timing.renewEveryMs)
  timer.unref()
  return {
    name,
    epoch,
    takenOver,
    lost: lost.signal,
    check: () => {
      if (performance.now() > heldUntilMs) {
        lose()
      }
      lost.signal.throwIfAborted()
    },
    release: async () => {
      clearInterval(timer)
      // The expired lease stays, so that epochs never begin again.
      await translated(() => leases.updateOne(mine, { $set: { holder: null, expiresAt: new Date(0) } }))
    },
  }
}

/**
 * Takes the lease when none exists or it has expired; also when it would last longer than any lease: then the
 * database's clock has been set back since.
 *
 * @returns null when another holder has it
 */
async function claim(
  db: Db,
  leases: Collection<Lease>,
  name: string,
  holder: string,
  durationMs: number,
): Promise<Pick<Lock, 'epoch' | 'takenOver'> | null> {
  const maxLeaseMs = 2 * Math.max(durationMs, leaseMs)
  const isFree = { $or: [{ $lte: ['$expiresAt', '$$NOW'] }, { $gt: ['$expiresAt', inFuture(maxLeaseMs)] }] }
  const before = await leases.findOneAndUpdate(
    { _id: name, $expr: isFree },
    [{ $set: { holder, expiresAt: inFuture(durationMs), epoch: { $add: ['$epoch', 1] } } }],
    { returnDocument: 'before' },
  )
  if (before !== null) {
    return { epoch: before.epoch + 1, takenOver: before.holder !== null }
  }
  try {
    // If only the leases were lost, and not the data written under them, epochs must continue above the old ones.
    const epoch = (await serverTime(db)).getTime()
    await leases.insertOne({ _id: name, holder, epoch, expiresAt: new Date(epoch + durationMs) })
    return { epoch, takenOver: false }
  } catch (error) {
    if (isDuplicateKey(error)) {
      return null
    }
    throw error
  }
}

/** A time by the database's clock, as it writes or compares. */
const inFuture = (ms: number) => ({ $add: ['$$NOW', ms] })

/** A filter that finds a document unless a later holder of the lock has written it. */
export const olderThan = (epoch: number) => ({ epoch: { $not: { $gt: epoch } } })

/** `olderThan` for documents that are written under several locks, whose epochs cannot be compared. */
export const notLaterThan = ({ name, epoch }: Pick<Lock, 'name' | 'epoch'>) => ({
  $or: [{ lock: { $ne: name } }, olderThan(epoch)],
})

/**
 * Does an upsert whose filter is `olderThan` or `notLaterThan`. Where a later holder has written the document, the filter finds
 * nothing, and the insert that follows is rejected as a duplicate `_id`.
 *
 * @throws AppError `lock_lost` (409) in that case
 */
export async function refusedAs<T>({ name }: Pick<Lock, 'name'>, upsert: () => Promise<T>): Promise<T> {
  try {
    return await upsert()
  } catch (error) {
    const isRefused = error instanceof MongoBulkWriteError ? error.code === duplicateKey : isDuplicateKey(error)
    throw isRefused ? lockLost(name) : error
  }
}
