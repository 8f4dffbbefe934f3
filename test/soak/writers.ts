import type { PlannedWrite } from './plan-writes.js'

/** Writes into a catalog. */
export interface SkillWriter {
  /** Resolves when all writes are confirmed. Each must be of another skill. */
  write(writes: PlannedWrite[]): Promise<void>
  close(): void
}

/** A writer with a separate process. */
export interface KillableWriter extends SkillWriter {
  /** Kills the process with SIGKILL. */
  kill(): void
}

/** The writers by kind. */
export interface Writers {
  store?: KillableWriter
  crawler?: SkillWriter
}
