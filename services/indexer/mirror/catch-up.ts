import { AppError } from '../../../shared/errors.js'
import { makeCopy } from './make-copy.js'
import type { Mirror } from './mirror.js'
import { writeMirrorState } from './mirror-state.js'
import { readChanges } from './read-changes.js'

/** Makes the copy hold what its source holds now: from where it was, or, when that is not kept any more, anew. */
export async function catchUp(mirror: Mirror): Promise<void> {
  for (;;) {
    try {
      if (!mirror.state.complete) {
        await makeCopy(mirror)
      }
      await readChanges(mirror)
      return
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'changes_gone')) {
        throw error
      }
    }
    mirror.display.tell('The source does not keep changes for as long as this copy has rested: it is made anew.')
    mirror.counts.restarts += 1
    mirror.state = { ...mirror.state, since: 0, complete: false, stale: true }
    await writeMirrorState(mirror.catalog, mirror.state)
  }
}
