import type { Collection, Document } from 'mongodb'
import type { FoundSkill } from '../../ports/catalog-store.js'
import type { Skill } from '../../records/skill.js'
import { ownMember } from './mongo-document.js'
import type { OwnMember } from './mongo-own-member.js'
import { QueryTime } from './mongo-query-time.js'

/**
 * What is known under each of these ids, in their order: two questions at most, however many they are.
 *
 * @param projection what is read of a document
 * @param toPublic the public skill of a published document; null when it has been spoilt since it was taken in
 */
export async function findById(
  skills: Collection,
  ids: string[],
  projection: Document,
  toPublic: (document: Document) => Skill | null,
): Promise<FoundSkill[]> {
  const time = new QueryTime()
  const documents = await skills.find({ [`${ownMember}.id`]: { $in: ids } }, { projection, ...time.limit() }).toArray()
  const owns = new Map<string, OwnMember>()
  const published = new Map<string, Skill>()
  for (const document of documents) {
    const own: OwnMember = document[ownMember]
    owns.set(own.id, own)
    const skill = own.state === 'published' ? toPublic(document) : null
    if (skill !== null) {
      published.set(own.id, skill)
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
      return { state: 'published', skill }
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

/** By former id, the published skill that had it; of several the first by id. */
async function findRenamed(skills: Collection, ids: string[], time: QueryTime): Promise<Map<string, string>> {
  if (ids.length === 0) {
    return new Map()
  }
  const documents = await skills
    .find(
      { [`${ownMember}.formerIds`]: { $in: ids }, [`${ownMember}.state`]: 'published' },
      {
        projection: { [`${ownMember}.id`]: 1, [`${ownMember}.formerIds`]: 1 },
        sort: { [`${ownMember}.id`]: -1 },
        ...time.limit(),
      },
    )
    .toArray()
  return new Map(
    documents.flatMap((document): [string, string][] => {
      const { id, formerIds }: OwnMember = document[ownMember]
      return formerIds.map((formerId) => [formerId, id])
    }),
  )
}
