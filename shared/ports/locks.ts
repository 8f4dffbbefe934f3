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
