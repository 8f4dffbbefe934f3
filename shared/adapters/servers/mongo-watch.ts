import type { ChangeStream, ChangeStreamDocument, Collection } from 'mongodb'
import { ownMember } from './mongo-document.js'

/** After the stream has ended, or where there is none, it is opened again this much later: it may be one by then. */
const reopenMs = 30_000

/**
 * Tells of writes to a collection by its change stream, which replica sets have and servers that stand alone have not.
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
    // Only that something was written is of interest, not what: large documents need not come along.
    const opened = collection.watch([{ $project: { operationType: 1, documentKey: 1, updateDescription: 1 } }])
    stream = opened
    opened.on('change', (event) => {
      if (!isOurMark(event)) {
        onChange()
      }
    })
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

/** Whether all that was written is our own member, as it is when a document is taken in. */
function isOurMark(event: ChangeStreamDocument): boolean {
  if (event.operationType !== 'update') {
    return false
  }
  const names = Object.keys(event.updateDescription?.updatedFields ?? {})
  return names.length > 0 && names.every((name) => name === ownMember || name.startsWith(`${ownMember}.`))
}
