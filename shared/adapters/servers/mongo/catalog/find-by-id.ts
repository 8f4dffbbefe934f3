import type { Collection, Document } from 'mongodb'
import type { FoundSkill } from '../../../../ports/skill-reader.js'
import type { Skill } from '../../../../records/skill.js'
import { inOneAnswer, QueryTime } from '../query-time.js'
import { findMetadata } from './catalog-metadata.js'
import { metadataField } from './document.js'
import { readDocuments } from './read-documents.js'

/**
 * Finds the skills of these ids, in their order, with at most two queries for any number of ids.
 *
 * @param projection the fields to read
 * @param toPublic the public skill of a published document; null when it has been damaged since it was ingested
 */
export async function findById(
  skills: Collection,
  ids: string[],
  projection: Document,
  toPublic: (document: Document) => Skill | null,
): Promise<FoundSkill[]> {
  const time = new QueryTime()
  const owns = new Map<string, ReturnType<typeof findMetadata>>()
  const published = new Map<string, Skill>()
  const filter = { [`${metadataField}.id`]: { $in: ids } }
  const options = { projection, ...inOneAnswer(ids.length), ...time.limit() }
  for await (const document of readDocuments(skills, filter, options)) {
    const own = findMetadata(document)
    const skill = own.state === 'published' ? toPublic(document) : null
    if (own.id !== undefined) {
      owns.set(own.id, own)
      if (skill !== null) {
        published.set(own.id, skill)
      }
    }
  }
  const presentIds = await findRenamed(
    skills,
    ids.filter((id) => !published.has(id)),
    time,
  )
  return ids.map((id): FoundSkill => {
    const skill = published.get(id)
    if (skill !== undefined) {
      return { state: 'published', record: JSON.stringify(skill) }
    }
    const presentId = presentIds.get(id)
    if (presentId !== undefined) {
      return { state: 'renamed', presentId }
    }
    const own = owns.get(id)
    return own?.state === 'removed'
      ? { state: 'removed', removedAt: own.removedAt ?? own.changedAt?.toISOString() ?? '' }
      : { state: 'unknown' }
  })
}

/** The published skills by their former ids; of several with one former id, the first by id. */
async function findRenamed(skills: Collection, ids: string[], time: QueryTime): Promise<Map<string, string>> {
  if (ids.length === 0) {
    return new Map()
  }
  const renamed = new Map<string, string>()
  const filter = { [`${metadataField}.formerIds`]: { $in: ids }, [`${metadataField}.state`]: 'published' }
  const projection = { [`${metadataField}.id`]: 1, [`${metadataField}.formerIds`]: 1 }
  const options = { projection, sort: { [`${metadataField}.id`]: -1 }, ...time.limit() } as const
  for await (const document of readDocuments(skills, filter, options)) {
    const { id, formerIds = [] } = findMetadata(document)
    for (const formerId of id === undefined ? [] : formerIds) {
      renamed.set(formerId, String(id))
    }
  }
  return renamed
}
