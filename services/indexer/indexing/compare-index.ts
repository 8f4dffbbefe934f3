import { setImmediate } from 'node:timers/promises'
import type { IndexTarget } from '../../../shared/ports/search-index.js'
import type { FoundSkill } from '../../../shared/ports/skill-reader.js'
import { contentHash } from '../../../shared/records/content-hash.js'
import { skillOf } from '../../../shared/records/skill.js'
import type { IndexContext } from '../runner/job.js'
import { changesPerBatch } from './apply-skills.js'

/** A record's id, with the hash of its content. */
interface HashedId {
  id: string
  contentHash: string
}

/** How an index differs from the change log in a skill. */
export interface IndexDifference {
  id: string
  /** `missing`: it is in the log only; `extra`: in the index only; `different`: in both, with other content. */
  kind: 'missing' | 'extra' | 'different'
}

/** A comparison yields to the event loop after this many ids. */
const pauseEvery = 1_000

/**
 * Compares two sides in the order of their ids.
 *
 * @yields for each id the difference of the right side; null: none
 */
async function* compare(
  left: AsyncGenerator<HashedId>,
  right: AsyncGenerator<HashedId>,
): AsyncGenerator<IndexDifference | null> {
  const next = async (side: AsyncGenerator<HashedId>) => (await side.next()).value ?? null
  let [one, other] = await Promise.all([next(left), next(right)])
  for (let compared = 1; one !== null || other !== null; compared += 1) {
    const order = one === null ? 1 : other === null ? -1 : compareIds(one.id, other.id)
    if (one !== null && order < 0) {
      yield { id: one.id, kind: 'missing' }
    } else if (other !== null && order > 0) {
      yield { id: other.id, kind: 'extra' }
    } else if (one !== null) {
      yield one.contentHash === other?.contentHash ? null : { id: one.id, kind: 'different' }
    }
    one = order <= 0 ? await next(left) : one
    other = order >= 0 ? await next(right) : other
    if (compared % pauseEvery === 0) {
      await setImmediate()
    }
  }
}

/** Stores order ids by their UTF-8 bytes. */
const compareIds = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** The pages of a paged read. @param read returns the next page after an id; empty at the end */
export async function* pagesOf<T extends { id: string }>(
  read: (afterId: string | null) => Promise<T[]>,
  signal: AbortSignal,
): AsyncGenerator<T[]> {
  for (let afterId: string | null = null; ; ) {
    signal.throwIfAborted()
    const page: T[] = await read(afterId)
    const last = page.at(-1)
    if (last === undefined) {
      return
    }
    yield page
    afterId = last.id
  }
}

/** The items of the pages of a paged read, see `pagesOf`. */
async function* allPages<T extends { id: string }>(...paged: Parameters<typeof pagesOf<T>>): AsyncGenerator<T> {
  for await (const page of pagesOf(...paged)) {
    yield* page
  }
}

/** Ids and hashes are small: a large page costs hardly more than a small one. */
const hashesPerPage = 10_000

/**
 * Compares an index with the change log, id by id, while both may be changing.
 *
 * @param position the sequence up to which the index holds the changes, read before this call: a difference without a
 * later change is a fault
 * @param onDifferences called with the faults, at most 1,000 at a time
 * @returns the number of compared ids
 */
export async function compareIndex(
  context: IndexContext,
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
  for await (const difference of pairs) {
    compared += 1
    if (compared % hashesPerPage === 0) {
      progress.add(hashesPerPage)
    }
    if (difference !== null) {
      suspects.push(difference)
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
  { changes, catalog }: IndexContext,
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
