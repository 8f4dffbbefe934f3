import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, operatorError } from '../runtime/errors.js'

/**
 * Held by one process at a time. When that has ended, the lock is free: at once, or on servers in half a minute. Writes
 * are made under a lock: a store refuses a write if a later holder of that lock has written since.
 *
 * @see https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html
 */
export interface Lock {
  readonly name: string
  /** The fencing token: each later holder has a higher one. 0 where a running process never loses a lock. */
  readonly epoch: number
  /**
   * True when the previous holder did not release it: its process was killed or suspended, and its requests may still
   * arrive.
   */
  readonly takenOver: boolean
  /** Aborted when it was lost before its release, for instance because the process was suspended: stop writing. */
  readonly lost: AbortSignal
  /**
   * Callers check just before each write to a store that cannot compare epochs itself.
   *
   * @throws AppError `lock_lost` (409) when the lock has expired
   */
  check(): void
  release(): Promise<void>
}

export interface Locks {
  /** Takes the lock of this name, or null when another process (or another holder in this one) has it. Never waits. */
  lock(name: string): Promise<Lock | null>
}

/** The interval between attempts to take a lock. */
const retryMs = 50

/**
 * Takes a lock, waiting for another holder to release it.
 *
 * @param waitMs maximum wait
 * @throws AppError `job_running` when the other holder keeps it
 */
export async function waitForLock(locks: Locks, name: string, waitMs: number, signal?: AbortSignal): Promise<Lock> {
  const deadline = performance.now() + waitMs
  for (;;) {
    const lock = await locks.lock(name)
    if (lock !== null) {
      return lock
    }
    if (performance.now() > deadline) {
      throw jobRunning(name)
    }
    await sleep(retryMs, undefined, signal && { signal })
  }
}

/** What takes a lock for some work: the context of a run, or less. */
interface LockContext {
  catalog: Locks
  signal?: AbortSignal
  /** Called when the previous holder did not release the lock: its last requests may still arrive. */
  onTakeover?: (lockName: string) => void
}

/**
 * Does work under a lock, waiting for another holder to release it. Work that cannot get it has failed.
 *
 * @throws AppError as `waitForLock`
 */
export async function withLock<T>(
  { catalog, signal, onTakeover }: LockContext,
  name: string,
  waitMs: number,
  work: (lock: Lock) => Promise<T>,
): Promise<T> {
  const lock = await waitForLock(catalog, name, waitMs, signal)
  try {
    if (lock.takenOver) {
      onTakeover?.(name)
    }
    return await work(lock)
  } finally {
    // One that cannot be released expires; it does not hide why the work failed.
    await lock.release().catch(() => undefined)
  }
}

/** The lock of a killed process expires; nothing else releases it. */
const whenKilled = 'If its process was killed, this takes 30 seconds at most.'

/** 409: a job of this name is running, here or in another process on the same catalog. */
const jobRunning = (name: string): AppError =>
  new AppError(
    409,
    'job_running',
    `${name} is running already on this catalog. Wait for it to end, then try again. ${whenKilled}`,
  )

/**
 * Runs `work` under the lock of imports and of an operator's changes: two imports of one type would undo each other's
 * --replace.
 *
 * @throws AppError `import_running`
 */
export async function withWriteLock<T>(catalog: Locks, work: () => Promise<T>): Promise<T> {
  const lock = await catalog.lock('import')
  if (lock === null) {
    throw operatorError(
      'import_running',
      'Another process changes records of this catalog, by an import or by hide, unhide, remove or rename. ' +
        `Wait for it to end, then try again. ${whenKilled}`,
    )
  }
  try {
    return await work()
  } finally {
    // One that cannot be released expires.
    await lock.release().catch(() => undefined)
  }
}
