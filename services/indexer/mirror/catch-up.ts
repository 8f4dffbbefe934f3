import { AppError } from '../../../shared/errors.js'
import { makeCopy } from './make-copy.js'
import type { Mirror } from './mirror.js'
import { writeMirrorState } from './mirror-state.js'
import { readChanges } from './read-changes.js'

/** How many times in a row a copy is begun again before the source is considered broken. */
const maxRestarts = 3

/**
 * Brings the skills of the copy to the source's present state: from the position of the last run, or, when the source
 * does not keep the changes since then, from the beginning.
 *
 * @throws AppError `changes_gone` when the source does not keep the changes since a copy that was begun just now
 */
export async function catchUp(mirror: Mirror): Promise<void> {
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
    mirror.display.tell(
      'The source does not keep all changes since the last run: the copy is made again from the start.',
    )
    mirror.counts.restarts += 1
    mirror.state = { ...mirror.state, since: 0, complete: false, stale: true }
    await writeMirrorState(mirror.catalog, mirror.state)
  }
}
