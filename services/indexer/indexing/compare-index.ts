import type { IndexTarget } from '../../../shared/ports/search-index.js'
import type { FoundSkill } from '../../../shared/ports/skill-reader.js'
import { contentHash } from '../../../shared/records/content-hash.js'
import { skillOf } from '../../../shared/records/skill.js'
import type { JobContext } from '../runner/job.js'
import { allPages, compare, type DifferenceKind } from './compare.js'
import { changesPerBatch } from './replay-log.js'

/** Ids and hashes are small: a large page costs hardly more than a small one. */
const hashesPerPage = 10_000

/** A difference between the change log and an index. */
export interface IndexDifference {
  id: string
  kind: DifferenceKind
}

/**
 * Compares an index with the change log, id by id, while both may be changing.
 *
 * @param position the sequence up to which the index holds the changes, read before this call: a difference without a
 * later change is a fault
 * @param onDifferences called with the faults, at most 1,000 at a time
 * @returns the number of compared ids
 */
export async function compareIndex(
  context: JobContext,
  target: IndexTarget,
  position: number,
  onDifferences: (differences: IndexDifference[]) => Promise<void>,
): Promise<number> {
  const { changes, index, signal, progress } = context
  let compared = 0
  let suspects: IndexDifference[] = []
  const settle = async () => {
    const wrong = await withoutLaterChanges(context, suspects, position)
    suspects = []
    if (wrong.length > 0) {
      await onDifferences(wrong)
    }
  }
  const pairs = compare(
    allPages((afterId) => changes.listPublished(afterId, hashesPerPage), signal),
    allPages((afterId) => index.list(afterId, hashesPerPage, target), signal),
  )
  for await (const { id, difference } of pairs) {
    compared += 1
    if (compared % hashesPerPage === 0) {
      progress.add(hashesPerPage)
    }
    if (difference !== null) {
      suspects.push({ id, kind: difference })
    }
    if (suspects.length === changesPerBatch) {
      await settle()
    }
  }
  progress.add(compared % hashesPerPage)
  await settle()
  return compared
}

/** The differences without a change after the position and without a change that is not logged yet. */
async function withoutLaterChanges(
  { changes, catalog }: JobContext,
  suspects: IndexDifference[],
  position: number,
): Promise<IndexDifference[]> {
  if (suspects.length === 0) {
    return []
  }
  const logged = new Map((await changes.logged(suspects.map(({ id }) => id))).map((entry) => [entry.id, entry]))
  const settled = suspects.filter(({ id }) => (logged.get(id)?.sequence ?? 0) <= position)
  const found = settled.length === 0 ? [] : await catalog.findSkills(settled.map(({ id }) => id))
  return settled.filter(({ id }, place) => (logged.get(id)?.contentHash ?? null) === hashOf(found[place]))
}

/** The hash of the published content; null: not published. */
const hashOf = (found: FoundSkill | undefined): string | null =>
  found?.state === 'published' ? contentHash(skillOf(found)) : null
