import { setTimeout as sleep } from 'node:timers/promises'
import type { PlannedWrite } from './plan-writes.js'

const retryMs = 200

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

/** Repeats an attempt until it returns true. @param isClosed whether the soak has ended @throws Error then */
export async function untilDone(attempt: () => Promise<boolean>, isClosed: () => boolean): Promise<void> {
  while (!(await attempt().catch(() => false))) {
    await sleep(retryMs)
    if (isClosed()) {
      throw new Error('the soak has ended')
    }
  }
}
