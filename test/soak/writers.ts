import type { PlannedWrite } from './plan-writes.js'

/** Writes into a catalog. */
export interface SkillWriter {
  /** Resolves when all of it is certain to be written. Several must be of different skills. */
  write(writes: PlannedWrite[]): Promise<void>
  close(): void
}

/** One that writes in a process of its own. */
export interface KillableWriter extends SkillWriter {
  /** As `kill -9` does, in the middle of whatever it writes. */
  kill(): void
}

/** By who they are. */
export interface Writers {
  store?: KillableWriter
  crawler?: SkillWriter
}
