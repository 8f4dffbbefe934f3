import { createHash } from 'node:crypto'
import type { IndexTarget } from '../../shared/ports/search-index.js'
import { compareIds, type IdRange, indexedSkills } from './compare-index.js'
import type { JobContext } from './job.js'

/** Skills next to each other that were copied into an index. */
export interface CopiedStretch extends IdRange {
  /** Of the documents that were copied; null: not known, since another process did it. */
  digest: string | null
  /** How many of its skills could not be copied. */
  rejected: number
}

/** A digest of documents in the order of their ids: equal ones have equal ids and contents. */
export function digestOf(documents: Iterable<{ id: string; contentHash: string }>): string {
  const digest = createHash('sha256')
  for (const { id, contentHash } of documents) {
    digest.update(`${id}\n${contentHash}\n`)
  }
  return digest.digest('base64url')
}

/**
 * Tells of each stretch whether the index holds just what was copied. Together they must reach from the first id to the
 * last, without a gap.
 */
export async function* compareStretches(
  context: JobContext,
  target: IndexTarget,
  copied: CopiedStretch[],
): AsyncGenerator<CopiedStretch & { same: boolean }> {
  const walk = indexedSkills(context, target, { afterId: null, lastId: null })
  let next = await walk.next()
  for (const stretch of copied) {
    const documents: { id: string; contentHash: string }[] = []
    while (next.done !== true && (stretch.lastId === null || compareIds(next.value.id, stretch.lastId) <= 0)) {
      documents.push({ id: next.value.id, contentHash: next.value.indexed ?? '' })
      next = await walk.next()
    }
    yield { ...stretch, same: digestOf(documents) === stretch.digest }
  }
}
