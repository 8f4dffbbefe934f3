import type { PlannedWrite, Writer } from './plan-writes.js'

/** Writes into a catalog. */
export interface SkillWriter {
  /** Resolves when all of it is certain to be written. Several must be of different skills. */
  write(writes: PlannedWrite[]): Promise<void>
  close(): void
}

/** By who they are. */
export type Writers = Partial<Record<Writer, SkillWriter>>
