import { setImmediate } from 'node:timers/promises'
import type { DeadLetter } from '../../shared/ports/catalog-store.js'
import type { IndexTarget } from '../../shared/ports/search-index.js'
import { batchSize, pauseEvery } from './apply-changes.js'
import type { Finding, JobContext } from './job.js'
import { toSearchDocument } from './to-search-document.js'

/** How many differences are gathered before they are held against the changes that are still on their way. */
const settleAt = 10_000

/** Ids and hashes are small, and to be asked for many costs an index hardly more than to be asked for some. */
const listedAtOnce = 10_000

/** Ids after one and up to another; null: from the first, to the last. */
export interface IdRange {
  afterId: string | null
  lastId: string | null
}

export interface CompareOptions {
  /** Default: all of them. */
  range?: IdRange
  /** Is given the ids of what is wrong, some thousand at a time, and of what the index refused. */
  mend?: (ids: string[]) => Promise<void>
}

/** What a comparison came to. */
export interface ComparisonCounts {
  /** Ids looked at: in the catalog, the index, or both. */
  compared: number
  missing: number
  extra: number
  different: number
  /** Published skills that cannot be indexed as they are stored, or that the index refused: right to be absent. */
  rejected: number
  /** Differences of skills that changed behind `watermark`, or while they were compared: the next sync's work. */
  pending: number
}

/**
 * Compares the index with the catalog, id by id, while both may be changing, and reports every difference.
 *
 * @param watermark up to where the index is known to hold the catalog's changes, read before this call: what differs
 * without having changed behind it is wrong
 */
export async function compareIndex(
  context: JobContext,
  target: IndexTarget,
  watermark: string | null,
  { range = { afterId: null, lastId: null }, mend = async () => undefined }: CompareOptions = {},
): Promise<ComparisonCounts> {
  const counts: ComparisonCounts = { compared: 0, missing: 0, extra: 0, different: 0, rejected: 0, pending: 0 }
  let suspects = new Map<string, Suspect>()
  const settle = async () => {
    const changed = await changedAmong(context, suspects, watermark)
    const refused = await refusedAmong(context, suspects)
    const untold = [...suspects.values()].filter(({ id }) => !changed.has(id))
    const { standing, moved } = await lookAgain(context, untold)
    counts.pending += changed.size + moved
    const wrong: string[] = []
    for (const { id, kind } of standing) {
      const finding = refused.get(id) ?? { kind, id, reason: null }
      counts[finding.kind] += 1
      context.report(finding)
      wrong.push(finding.id)
    }
    suspects = new Map()
    if (wrong.length > 0) {
      await mend(wrong)
    }
  }

  for await (const { id, stored, indexed } of inStep(
    storedSkills(context, range),
    indexedSkills(context, target, range),
  )) {
    counts.compared += 1
    if (counts.compared % pauseEvery === 0) {
      await setImmediate()
    }
    const { expected, rejected } = expectedOf(id, stored)
    if (rejected !== null) {
      counts.rejected += 1
      context.report({ kind: 'rejected', id, reason: rejected })
    }
    if (indexed !== expected) {
      const kind = expected === undefined ? 'extra' : indexed === undefined ? 'missing' : 'different'
      suspects.set(id, { id, kind, expected })
    }
    if (suspects.size >= settleAt) {
      await settle()
    }
  }
  await settle()
  return counts
}

/** An id with what two walks in the order of ids have of it. */
export interface Pair {
  id: string
  /** What the catalog has published under the id, unchecked; undefined: nothing. */
  stored: unknown
  /** The hash of what the index holds; undefined: nothing. */
  indexed: string | undefined
}

/** A difference that may be the next sync's work, with the hash of what the index should have held by the catalog. */
interface Suspect {
  id: string
  kind: 'missing' | 'extra' | 'different'
  expected: string | undefined
}

/** The hash of what an index should hold of what is stored; undefined: nothing, where `rejected` may say why. */
function expectedOf(id: string, stored: unknown): { expected: string | undefined; rejected: string | null } {
  const document = toSearchDocument(id, stored)
  if (document === null || 'reason' in document) {
    return { expected: undefined, rejected: document === null ? null : document.reason }
  }
  return { expected: document.contentHash, rejected: null }
}

/** Which of the suspects changed behind the watermark. */
async function changedAmong(
  { catalog, signal }: JobContext,
  suspects: ReadonlyMap<string, Suspect>,
  watermark: string | null,
): Promise<Set<string>> {
  const changed = new Set<string>()
  let position = watermark
  let more = suspects.size > 0
  while (more) {
    signal.throwIfAborted()
    const stretch = await catalog.changesAfter(position, batchSize)
    for (const { id } of stretch.changes) {
      if (suspects.has(id)) {
        changed.add(id)
      }
    }
    position = stretch.watermark
    more = stretch.more
  }
  return changed
}

/**
 * Which of the suspects no change tells of stand, and how many have moved since they were read: the time of a change is
 * not known yet of what is being written in that moment. What was deleted without a trace is not missing; it may be
 * extra.
 */
async function lookAgain(
  { catalog, signal }: JobContext,
  suspects: Suspect[],
): Promise<{ standing: Suspect[]; moved: number }> {
  const standing: Suspect[] = []
  let moved = 0
  for (let from = 0; from < suspects.length; from += batchSize) {
    signal.throwIfAborted()
    const batch = suspects.slice(from, from + batchSize)
    const ids = batch.map(({ id }) => id)
    const found = new Map((await catalog.findStored('skills', ids)).map(({ id, stored }) => [id, stored]))
    for (const suspect of batch) {
      if (!found.has(suspect.id)) {
        standing.push(...(suspect.kind === 'missing' ? [] : [{ ...suspect, kind: 'extra' as const }]))
      } else if (expectedOf(suspect.id, found.get(suspect.id)).expected === suspect.expected) {
        standing.push(suspect)
      } else {
        moved += 1
      }
    }
  }
  return { standing, moved }
}

/** Which of the skills that are missing the index has refused, as findings that say why. */
async function refusedAmong(
  { catalog, signal }: JobContext,
  suspects: ReadonlyMap<string, Suspect>,
): Promise<Map<string, Finding>> {
  const refused = new Map<string, Finding>()
  let more = [...suspects.values()].some(({ kind }) => kind === 'missing')
  for (let afterId: string | null = null; more; ) {
    signal.throwIfAborted()
    const letters: DeadLetter[] = await catalog.listDeadLetters(afterId, batchSize)
    for (const { id, reason } of letters) {
      if (suspects.get(id)?.kind === 'missing') {
        refused.set(id, { kind: 'rejected', id, reason })
      }
    }
    afterId = letters.at(-1)?.id ?? null
    more = letters.length === batchSize
  }
  return refused
}

/** What the catalog has published of these ids, in their order. */
export async function* storedSkills({ catalog, signal, progress }: JobContext, range: IdRange): AsyncGenerator<Pair> {
  let { afterId } = range
  for (;;) {
    signal.throwIfAborted()
    const page: { id: string; stored: unknown }[] = await catalog.scanSkills(afterId, batchSize)
    for (const { id, stored } of page) {
      if (isBehind(id, range)) {
        return
      }
      yield { id, stored, indexed: undefined }
    }
    progress.add(page.length)
    afterId = page.at(-1)?.id ?? null
    if (afterId === null || page.length < batchSize) {
      return
    }
  }
}

/** What an index holds of these ids, in their order. */
export async function* indexedSkills(
  { index, signal }: JobContext,
  target: IndexTarget,
  range: IdRange,
): AsyncGenerator<Pair> {
  let { afterId } = range
  for (;;) {
    signal.throwIfAborted()
    const page = await index.list(afterId, listedAtOnce, target)
    for (const { id, contentHash } of page) {
      if (isBehind(id, range)) {
        return
      }
      yield { id, stored: undefined, indexed: contentHash }
    }
    afterId = page.at(-1)?.id ?? null
    if (afterId === null || page.length < listedAtOnce) {
      return
    }
  }
}

/** Joins two walks in the order of ids: each id once, with what either side has of it. */
export async function* inStep(left: AsyncGenerator<Pair>, right: AsyncGenerator<Pair>): AsyncGenerator<Pair> {
  let [stored, indexed] = await Promise.all([left.next(), right.next()])
  while (stored.done !== true || indexed.done !== true) {
    const order = compareHeads(stored, indexed)
    if (order === 0 && stored.done !== true && indexed.done !== true) {
      yield { ...stored.value, indexed: indexed.value.indexed }
    } else if (order <= 0 && stored.done !== true) {
      yield stored.value
    } else if (indexed.done !== true) {
      yield indexed.value
    }
    if (order <= 0) {
      stored = await left.next()
    }
    if (order >= 0) {
      indexed = await right.next()
    }
  }
}

const isBehind = (id: string, { lastId }: IdRange): boolean => lastId !== null && compareIds(id, lastId) > 0

/** Stores order ids by their UTF-8 bytes. */
export const compareIds = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** Which of the two comes first; a walk that has ended comes last. */
function compareHeads(stored: IteratorResult<Pair>, indexed: IteratorResult<Pair>): number {
  if (stored.done === true || indexed.done === true) {
    return stored.done === true ? 1 : -1
  }
  return compareIds(stored.value.id, indexed.value.id)
}
