import type { Collection, Document, Filter } from 'mongodb'
import type { Skill } from '../../../../records/skill.js'
import { findMetadata } from './catalog-metadata.js'
import { metadataField } from './document.js'
import { readDocuments } from './read-documents.js'

const [id, state] = [`${metadataField}.id`, `${metadataField}.state`]

/** Ids of records that are not removed, in order. @param afterId null: from the start */
export async function idsAfter(collection: Collection, afterId: string | null, limit: number): Promise<string[]> {
  const filter = { [id]: { $gt: afterId ?? '' }, [state]: { $ne: 'removed' } }
  const options = { sort: { [id]: 1 }, limit, projection: { [id]: 1 } } as const
  const ids: string[] = []
  for await (const document of readDocuments(collection, filter, options)) {
    const found = findMetadata(document)
    ids.push(...(found.id === undefined ? [] : [found.id]))
  }
  return ids
}

/**
 * Published skills in the order of their ids, at most `limit`; none: there are no more.
 *
 * @param projection the fields to read
 * @param toPublic the public skill of a published document; null when it has been damaged since it was ingested
 */
export async function scanById(
  skills: Collection,
  { afterId, limit }: { afterId: string | null; limit: number },
  projection: Document,
  toPublic: (document: Document) => Skill | null,
): Promise<Skill[]> {
  const scanned: Skill[] = []
  // A page of documents that can no longer be published is not the end.
  for (let after: string | null = afterId ?? ''; after !== null && scanned.length === 0; ) {
    const filter: Filter<Document> = { [state]: 'published', [id]: { $gt: after } }
    const options = { sort: { [id]: 1 }, limit, projection } as const
    after = null
    for await (const document of readDocuments(skills, filter, options)) {
      const [skill, found] = [toPublic(document), findMetadata(document)]
      after = found.id ?? after
      // A document that was renamed since its stamp has another place in the order; its change is logged later.
      if (skill !== null && skill.id === found.id) {
        scanned.push(skill)
      }
    }
  }
  return scanned
}
