import type { ChangeStream, Collection, Document } from 'mongodb'
import { metadataField } from '../catalog/document.js'

/** The interval after which a stream is opened again that has ended, or that the server did not support. */
const reopenMs = 30_000

/** How long the server waits for a change before it returns an empty batch. */
const awaitMs = 20_000

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
 * It reports writes from its opening on, and does not resume across processes: the ingest finds missed writes.
 *
 * @see https://www.mongodb.com/docs/manual/changeStreams/
 */
export function watchCollection(collection: Collection, onChange: () => void): () => Promise<void> {
  let stream: ChangeStream | null = null
  let timer: NodeJS.Timeout | undefined
  let ended = false
  const open = () => {
    const opened = collection.watch(changesByOthers, { maxAwaitTimeMS: awaitMs })
    stream = opened
    opened.on('change', onChange)
    // An error ends the stream; the driver has tried to resume it before.
    opened.on('error', () => undefined)
    opened.on('close', () => {
      if (!ended && timer === undefined) {
        timer = setTimeout(() => {
          timer = undefined
          open()
        }, reopenMs)
        timer.unref()
      }
    })
  }
  open()
  return async () => {
    ended = true
    clearTimeout(timer)
    await stream?.close()
  }
}
