import type { Db } from 'mongodb'
import { letterId, maxLettersOfType } from '../../../../ports/dead-letters.js'
import type { Ingested } from '../../../../ports/document-ingest.js'
import type { Fence } from '../../../../ports/locks.js'
import { recordTypes } from '../../../../records/records.js'
import { findMetadata } from '../catalog/catalog-metadata.js'
import type { MongoDeadLetters } from '../catalog/dead-letters.js'
import { metadataField } from '../catalog/document.js'
import { readDocuments } from '../catalog/read-documents.js'

/**
 * Keeps a dead letter for each prompt and organization that is rejected, and drops those of records that no longer are.
 * (Those of skills are kept with their changes: other records are not in the change log.)
 *
 * @param refused reasons of documents that MongoDB does not accept with catalog metadata, by the id of their letter
 * @param dropped the ids of the letters that may be dropped; null: of all letters
 * @returns all that are rejected; `isNew`: they had no letter, or one with another reason
 */
export async function updateRecordLetters(
  db: Db,
  letters: MongoDeadLetters,
  refused: ReadonlyMap<string, string>,
  dropped: readonly string[] | null,
  { at, fence }: { at: Date; fence: Fence },
): Promise<(Ingested['rejected'][number] & { isNew: boolean })[]> {
  const all: Awaited<ReturnType<typeof updateRecordLetters>> = []
  for (const type of recordTypes.filter((each) => each !== 'skills')) {
    const before = letterId(type, '')
    const kept = (await letters.listDeadLetters(before, maxLettersOfType)).filter(({ id }) => id.startsWith(before))
    const reasons = new Map([...refused].filter(([id]) => id.startsWith(before)))
    const rejected = { [`${metadataField}.state`]: 'rejected' }
    const projection = { [metadataField]: 1 }
    const options = { sort: { [`${metadataField}.id`]: 1 }, limit: maxLettersOfType, projection } as const
    for await (const document of readDocuments(db.collection(type), rejected, options)) {
      const { id, reason = 'it is not valid' } = findMetadata(document)
      if (id !== undefined) {
        reasons.set(letterId(type, id), reason)
      }
    }
    const known = new Map(kept.map(({ id, reason }) => [id, reason]))
    const found = [...reasons].map(([id, reason]) => ({ id, reason, isNew: known.get(id) !== reason }))
    const since = at.toISOString()
    await letters.keepDeadLetters(
      found.flatMap(({ id, reason, isNew }) => (isNew ? [{ id, reason, since, source: 'document' as const }] : [])),
      fence,
    )
    const over = kept.map(({ id }) => id).filter((id) => !reasons.has(id) && (dropped?.includes(id) ?? true))
    await letters.dropDeadLetters(over, 'document', fence)
    all.push(...found)
  }
  return all
}
