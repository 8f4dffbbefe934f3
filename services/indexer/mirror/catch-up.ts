import { AppError } from '../../../shared/runtime/errors.js'
import { makeCopy } from './make-copy.js'
import type { Mirror } from './mirror.js'
import { withoutCopied, writeMirrorState } from './mirror-state.js'
import { readChanges } from './read-changes.js'

/** After this many restarts in a row the source is considered broken. */
const maxRestarts = 3

/**
 * Updates the skills of the copy to the source's current state: from the position of the last run, or from the beginning
 * when the source no longer keeps the changes since then.
 *
 * @throws AppError `changes_gone` when the source does not even keep the changes since a copy that has just started
 */
export async function catchUp(mirror: Mirror): Promise<void> {
  if (mirror.state.copied.skills !== undefined) {
    mirror.state = withoutCopied(mirror.state, 'skills')
    await writeMirrorState(mirror.catalog, mirror.state)
  }
  for (let restarts = 0; ; restarts += 1) {
    try {
      if (!mirror.state.complete) {
        await makeCopy(mirror)
      }
      await readChanges(mirror)
      return
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'changes_gone') || restarts === maxRestarts) {
        throw error
      }
    }
    mirror.display.report(
      'The source no longer keeps all changes since the last run: the skills are copied again from the start.',
    )
    mirror.counts.restarts += 1
    mirror.state = { ...mirror.state, since: 0, complete: false, stale: true }
    await writeMirrorState(mirror.catalog, mirror.state)
  }
}
