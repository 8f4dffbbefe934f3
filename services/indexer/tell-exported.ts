import { AppError } from '../../shared/errors.js'
import { Skill } from '../../shared/records/skill.js'
import { changeHash } from './change-drafts.js'
import type { JobContext } from './job.js'
import { logChanges } from './jobs/log-changes.js'
import { waitForLock } from './wait-for-lock.js'

/** For how long a run of the log's writer under way is waited for. */
const writerPatienceMs = 5_000

/**
 * Reads skills for an export, and logs those as published that the change log has not told of yet: else one that is
 * removed before it is logged would never be told as removed, and stay with whoever began a copy with the export.
 *
 * The log's writer is kept away meanwhile, so that whatever happens to them after they were read is told behind this.
 *
 * @returns what was read, and where the changes go on from it; null for the latter while not everything has been logged
 * yet, or when the writer is at it for so long that the export does without
 */
export async function readAndTell<Read extends { rows: Skill[] }>(
  context: JobContext,
  read: () => Promise<Read>,
): Promise<{ skills: Read; changesSince: number | null }> {
  const { catalog, changes, clock, signal } = context
  const lock = await waitForLock(catalog, logChanges.name, writerPatienceMs, signal).catch(passRunning)
  try {
    const { head, watermark, complete } = await changes.position()
    const skills = await read()
    if (lock === null || !complete) {
      return { skills, changesSince: null }
    }
    const untold = await untoldOf(context, skills.rows)
    if (untold.length > 0) {
      const drafts = untold.map((skill) => ({ id: skill.id, contentHash: changeHash(skill) }))
      await changes.append({ onto: head, changes: drafts, watermark, complete, at: clock() })
    }
    return { skills, changesSince: head }
  } finally {
    await lock?.release()
  }
}

/** Those that the log does not have as published. What cannot be published is not exported either. */
async function untoldOf({ changes }: JobContext, rows: Skill[]): Promise<Skill[]> {
  const told = new Set(
    (await changes.logged(rows.map(({ id }) => id))).flatMap(({ id, contentHash }) => (contentHash === null ? [] : id)),
  )
  return rows.filter((row) => !told.has(row.id) && Skill.safeParse(row).success)
}

function passRunning(error: unknown): null {
  if (error instanceof AppError && error.code === 'job_running') {
    return null
  }
  throw error
}
