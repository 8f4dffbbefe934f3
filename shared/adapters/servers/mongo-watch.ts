import type { ChangeStream, Collection, Document } from 'mongodb'
import { ownMember } from './mongo-document.js'

/** After the stream has ended, or where there is none, it is opened again this much later: it may be one by then. */
const reopenMs = 30_000

/** Fields of the catalog's metadata that an update has set. */
const ownFields = {
  $filter: {
    input: { $objectToArray: { $ifNull: ['$updateDescription.updatedFields', {}] } },
    as: 'field',
    cond: { $eq: [{ $substrCP: ['$$field.k', 0, ownMember.length] }, ownMember] },
  },
}

/**
 * What the server sends of the writes to a collection: those of other applications, and of these no more than that there
 * was one. The catalog's own writes set its metadata, or carry it in the document; of an update by others the document
 * is not sent along.
 */
export const changesByOthers: Document[] = [
  { $match: { [`fullDocument.${ownMember}`]: { $exists: false }, $expr: { $eq: [{ $size: ownFields }, 0] } } },
  // The stream goes on from its `_id` after an interruption.
  { $project: { _id: 1 } },
]

/**
 * Reports writes of other applications to a collection by its change stream, which replica sets have and standalone
 * servers have not.
 *
 * From the moment it is opened on, and without a memory of where it stood: what it misses is found by asking.
 *
 * @see https://www.mongodb.com/docs/manual/changeStreams/
 */
export function watchCollection(collection: Collection, onChange: () => void): () => Promise<void> {
  let stream: ChangeStream | null = null
  let timer: NodeJS.Timeout | undefined
  let ended = false
  const open = () => {
    const opened = collection.watch(changesByOthers)
    stream = opened
    opened.on('change', onChange)
    // An error ends it; the driver has tried by itself to go on before it says so.
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
