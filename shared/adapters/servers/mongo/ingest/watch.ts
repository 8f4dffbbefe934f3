import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangeStream, Collection, Document } from 'mongodb'
import { metadataField } from '../catalog/document.js'

/** The interval after which a stream is opened again that has ended, or that the server did not support. */
const reopenMs = 30_000

/** How long the server waits for a change before it returns an empty batch. */
const awaitMs = 20_000

/** The pauses between reads while there are changes, and the time between two pauses, in which a batch is read. */
const pauseMs = 100
const readMs = 20

/** Fields of the catalog's metadata that an update has set. */
const ownFields = {
  $filter: {
    input: { $objectToArray: { $ifNull: ['$updateDescription.updatedFields', {}] } },
    as: 'field',
    cond: { $eq: [{ $substrCP: ['$$field.k', 0, metadataField.length] }, metadataField] },
  },
}

/**
 * The events that the server sends: only writes of other applications, without their content. The catalog's own writes
 * set its metadata, or contain it in the document.
 */
export const changesByOthers: Document[] = [
  { $match: { [`fullDocument.${metadataField}`]: { $exists: false }, $expr: { $eq: [{ $size: ownFields }, 0] } } },
  // The driver resumes the stream from its `_id` after an interruption.
  { $project: { _id: 1 } },
]

/**
 * Reports writes of other applications to a collection by its change stream, which replica sets have and standalone
 * servers have not.
 *
 * @param onState called with the error when the stream fails, and with null when it is open
 *
 * It reports writes from its opening on, and does not resume across processes: the ingest finds missed writes.
 *
 * @see https://www.mongodb.com/docs/manual/changeStreams/
 */
export function watchCollection(
  collection: Collection,
  onChange: () => void,
  onState: (error: unknown) => void = () => undefined,
): () => Promise<void> {
  const end = new AbortController()
  let stream: ChangeStream | null = null
  const watching = (async () => {
    while (!end.signal.aborted) {
      stream = collection.watch(changesByOthers, { maxAwaitTimeMS: awaitMs })
      // An error ends the stream; the driver has tried to resume it before.
      await readChanges(stream, onChange, () => onState(null)).catch((error: unknown) => {
        if (!end.signal.aborted) {
          onState(error)
        }
      })
      await stream.close().catch(() => undefined)
      await sleep(reopenMs, undefined, { ref: false, signal: end.signal }).catch(() => undefined)
    }
  })()
  return async () => {
    end.abort()
    await stream?.close()
    await watching
  }
}

/** Reads with pauses, so that each request returns all changes of some time, however many there are. */
async function readChanges(stream: ChangeStream, onChange: () => void, onOpen: () => void): Promise<void> {
  let pauseAtMs = 0
  stream.once('resumeTokenChanged', onOpen)
  for await (const _change of stream) {
    onChange()
    if (performance.now() > pauseAtMs) {
      await sleep(pauseMs, undefined, { ref: false })
      pauseAtMs = performance.now() + readMs
    }
  }
}
