import { setImmediate } from 'node:timers/promises'

/** A record's id, with the hash of its content. */
export interface HashedId {
  id: string
  contentHash: string
}

/** How the right side differs from the left one: `missing`: left only; `extra`: right only; `different`: other content. */
export type DifferenceKind = 'missing' | 'extra' | 'different'

/** An id of either side, and the difference of the right side; null: none. */
export interface Compared {
  id: string
  difference: DifferenceKind | null
}

/** A comparison yields to the event loop after this many ids. */
const pauseEvery = 1_000

/**
 * Compares two sides in the order of their ids.
 *
 * @yields each id once
 */
export async function* compare(
  left: AsyncGenerator<HashedId>,
  right: AsyncGenerator<HashedId>,
): AsyncGenerator<Compared> {
  let [one, other] = await Promise.all([left.next(), right.next()])
  for (let compared = 1; one.done !== true || other.done !== true; compared += 1) {
    const order = one.done === true ? 1 : other.done === true ? -1 : compareIds(one.value.id, other.value.id)
    if (order < 0 && one.done !== true) {
      yield { id: one.value.id, difference: 'missing' }
    } else if (order > 0 && other.done !== true) {
      yield { id: other.value.id, difference: 'extra' }
    } else if (one.done !== true && other.done !== true) {
      const isEqual = one.value.contentHash === other.value.contentHash
      yield { id: one.value.id, difference: isEqual ? null : 'different' }
    }
    if (order <= 0) {
      one = await left.next()
    }
    if (order >= 0) {
      other = await right.next()
    }
    if (compared % pauseEvery === 0) {
      await setImmediate()
    }
  }
}

/** Stores order ids by their UTF-8 bytes. */
const compareIds = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** All items of a paged read. @param read returns the next page after an id; empty at the end */
export async function* allPages<T extends { id: string }>(
  read: (afterId: string | null) => Promise<T[]>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  for (let afterId: string | null = null; ; ) {
    signal.throwIfAborted()
    const page: T[] = await read(afterId)
    yield* page
    const last = page.at(-1)
    if (last === undefined) {
      return
    }
    afterId = last.id
  }
}
