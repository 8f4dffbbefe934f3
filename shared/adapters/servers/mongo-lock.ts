import { randomUUID } from 'node:crypto'
import type { Collection, Db } from 'mongodb'
import { lockLost } from '../../errors.js'
import type { Lock } from '../../ports/catalog-store.js'
import { isDuplicateKey, serverTime, translated } from './mongo-connection.js'

/** How long a lock outlives the last sign of its holder. */
const leaseMs = 30_000

const renewEveryMs = 10_000

/** A lock as it is kept, under its name. */
interface Lease {
  _id: string
  holder: string | null
  /** Counts the holders: whoever comes later has the higher one. */
  epoch: number
  /** By the database's clock. */
  expiresAt: Date
}

/** How a lease is timed; tests shorten it. */
export interface LeaseTiming {
  leaseMs: number
  renewEveryMs: number
}

/**
 * Takes a lock by a lease on the database's clock, and renews it until it is released. It counts as lost when it is
 * another's, or when that cannot be told in time.
 *
 * @returns null when someone else's lease has not expired
 */
export async function takeLease(
  db: Db,
  name: string,
  timing: LeaseTiming = { leaseMs, renewEveryMs },
): Promise<Lock | null> {
  const leases = db.collection<Lease>('locks')
  const holder = randomUUID()
  const asked = Date.now()
  const epoch = await claim(leases, name, holder, await serverTime(db), timing.leaseMs)
  if (epoch === null) {
    return null
  }
  const lost = new AbortController()
  // By our own clock, from before the question: it says that time is up no later than the database does.
  let heldUntil = asked + timing.leaseMs
  const mine = { _id: name, holder, epoch }
  const renew = async () => {
    const began = Date.now()
    try {
      const expiresAt = new Date((await serverTime(db)).getTime() + timing.leaseMs)
      const { matchedCount } = await leases.updateOne(mine, { $set: { expiresAt } })
      if (matchedCount === 0) {
        lose()
        return
      }
      heldUntil = began + timing.leaseMs
    } catch {
      // The next try may succeed while the lease lasts.
      if (Date.now() + timing.renewEveryMs > heldUntil) {
        lose()
      }
    }
  }
  const timer = setInterval(() => void renew(), timing.renewEveryMs)
  timer.unref()
  const lose = () => {
    clearInterval(timer)
    lost.abort(lockLost(name))
  }
  return {
    epoch,
    lost: lost.signal,
    check: () =>
      translated(async () => {
        const held = { ...mine, expiresAt: { $gt: await serverTime(db) } }
        if (lost.signal.aborted || (await leases.findOne(held)) === null) {
          lose()
          throw lockLost(name)
        }
      }),
    release: async () => {
      clearInterval(timer)
      // The lease stays, expired: its epoch must never begin anew.
      await leases.updateOne(mine, { $set: { holder: null, expiresAt: new Date(0) } })
    },
  }
}

/**
 * Takes the lease when there is none or it has expired; also when it would last for longer than any lease is given: then
 * the database's clock has been set back since. Returns its epoch, or null when it is another's.
 */
async function claim(
  leases: Collection<Lease>,
  name: string,
  holder: string,
  now: Date,
  durationMs: number,
): Promise<number | null> {
  const longest = 2 * Math.max(durationMs, leaseMs)
  try {
    const lease = await leases.findOneAndUpdate(
      { _id: name, $or: [{ expiresAt: { $lte: now } }, { expiresAt: { $gt: new Date(now.getTime() + longest) } }] },
      { $set: { holder, expiresAt: new Date(now.getTime() + durationMs) }, $inc: { epoch: 1 } },
      // A lease that has not expired is not found, and to insert another one is refused: its `_id` is there.
      { upsert: true, returnDocument: 'after' },
    )
    return lease?.epoch ?? null
  } catch (error) {
    if (isDuplicateKey(error)) {
      return null
    }
    throw error
  }
}
