import type { Meilisearch, Task } from 'meilisearch'
import { z } from 'zod'
import type { Retries } from './meili-retries.js'

/** How many tasks are asked for: about as many as there are between two looks, and at a time where there are more. */
const firstPage = 20
const furtherPages = 1_000

/** What a writer says of a task of its own: under which epoch of the lock it is done, and as which of its writes. */
export interface WriteMark {
  /** Null: not a write into the live index, or under no lock. */
  epoch: number | null
  /** Counts the writes of a process. */
  sequence: number
  /** Of the process. */
  run: string
}

/** Sent along as a task's `customMetadata`. */
export const markOf = ({ epoch, sequence, run }: WriteMark): string => `${epoch ?? ''}:${sequence}:${run}`

/** The order of writes: by epoch, and within one by their number. */
const Write = z.object({ epoch: z.number(), sequence: z.number() })
type Write = z.infer<typeof Write>

function readMark(text: string | null | undefined): Write | null {
  const [, epoch, sequence] = /^(\d+):(\d+):/.exec(text ?? '') ?? []
  return epoch === undefined ? null : { epoch: Number(epoch), sequence: Number(sequence) }
}

const isBehind = (one: Write, other: Write): boolean =>
  one.epoch < other.epoch || (one.epoch === other.epoch && one.sequence < other.sequence)

/** The last task that was looked at, and the write that those behind it should be newer than. */
const Position = Write.extend({ uid: z.number() })
type Position = z.infer<typeof Position>

/**
 * Looks for writes that reached an index behind newer ones. Meilisearch does tasks in the order in which they reach it,
 * and cannot be told to refuse one; but it keeps what each task says of itself.
 *
 * @see SearchIndex.lateWrites
 */
export async function lateWrites(
  client: Meilisearch,
  retries: Retries,
  indexUid: string,
  position: string | null,
): Promise<{ count: number; position: string | null }> {
  const { tasks, from } = await tasksBehind(client, retries, indexUid, readPosition(position))
  let { uid } = from
  let newest: Write = from
  let last: Write = from
  let count = 0
  for (const task of tasks) {
    if (task.status === 'enqueued' || task.status === 'processing') {
      // What it leaves is not there to be mended yet.
      break
    }
    uid = task.uid
    const write = readMark(task.customMetadata)
    if (write !== null) {
      const isLate = isBehind(write, newest)
      count += isLate && task.status === 'succeeded' ? 1 : 0
      newest = isLate ? newest : write
      last = write
    }
  }
  // Where a catalog was restored its epochs begin anew: what is late once is what counts from then on.
  const { epoch, sequence } = count > 0 ? last : newest
  return { count, position: JSON.stringify({ uid, epoch, sequence } satisfies Position) }
}

const beginning: Position = { uid: -1, epoch: 0, sequence: 0 }

/** One that cannot be read is the beginning. */
function readPosition(text: string | null): Position {
  try {
    return Position.parse(JSON.parse(text ?? ''))
  } catch {
    return beginning
  }
}

/**
 * The index's tasks behind a position, oldest first. Where the newest of all is older than that, a swap has put another
 * index in this one's place, or the server is another one or has forgotten some: what comes next comes behind that one.
 */
async function tasksBehind(
  client: Meilisearch,
  retries: Retries,
  indexUid: string,
  position: Position,
): Promise<{ tasks: Task[]; from: Position }> {
  const newestFirst: Task[] = []
  let from = position
  for (let next: number | null = null; ; ) {
    const page: { results: Task[]; next: number | null } = await retries.persist(() =>
      client.tasks.getTasks({
        indexUids: [indexUid],
        types: ['documentAdditionOrUpdate', 'documentDeletion'],
        ...(next === null ? { limit: firstPage } : { limit: furtherPages, from: next }),
      }),
    )
    const [newest] = page.results
    if (next === null && newest !== undefined && newest.uid < from.uid) {
      from = { ...from, uid: newest.uid }
    }
    newestFirst.push(...page.results.filter(({ uid }) => uid > from.uid))
    next = page.next
    // At the beginning there is nothing newer to compare with: the last few say enough.
    if (next === null || next <= from.uid || from === beginning) {
      return { tasks: newestFirst.reverse(), from }
    }
  }
}
