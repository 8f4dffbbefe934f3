import type { Collection, Document } from 'mongodb'
import {
  type FoundSkill,
  maxListTotal,
  maxOfRepository,
  type RepositorySkills,
} from '../../../../ports/skill-reader.js'
import { repositoryId, type Skill } from '../../../../records/skill.js'
import { inOneAnswer, QueryTime } from '../query-time.js'
import { type FoundMetadata, findMetadata } from './catalog-metadata.js'
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
  const heirs = await findHeirs(
    skills,
    ids.filter((id) => !published.has(id)),
    time,
  )
  return ids.map((id): FoundSkill => {
    const skill = published.get(id)
    if (skill !== undefined) {
      return { state: 'published', record: JSON.stringify(skill) }
    }
    const heir = heirs.get(id)
    if (heir?.state === 'published') {
      return { state: 'renamed', presentId: String(heir.id) }
    }
    const removed = [owns.get(id), heir].find((each) => each?.state === 'removed')
    return removed === undefined
      ? { state: 'unknown' }
      : { state: 'removed', removedAt: removed.removedAt ?? removed.changedAt?.toISOString() ?? '' }
  })
}

/** The skills by their former ids; of several with one former id, the first published one by id, or else the first removed. */
async function findHeirs(skills: Collection, ids: string[], time: QueryTime): Promise<Map<string, FoundMetadata>> {
  const heirs = new Map<string, FoundMetadata>()
  if (ids.length === 0) {
    return heirs
  }
  const filter = {
    [`${metadataField}.formerIds`]: { $in: ids },
    [`${metadataField}.state`]: { $in: ['published', 'removed'] },
  }
  const members = ['id', 'formerIds', 'state', 'removedAt', 'changedAt']
  const projection = Object.fromEntries(members.map((member) => [`${metadataField}.${member}`, 1]))
  const options = { projection, sort: { [`${metadataField}.id`]: -1 }, ...time.limit() } as const
  for await (const document of readDocuments(skills, filter, options)) {
    const heir = findMetadata(document)
    for (const formerId of heir.id === undefined ? [] : (heir.formerIds ?? [])) {
      if (heir.state === 'published' || heirs.get(formerId)?.state !== 'published') {
        heirs.set(formerId, heir)
      }
    }
  }
  return heirs
}

/** The ids of skills that have names of their own in a repository: "A" follows "@". */
const idsIn = (repository: string) => ({ $gt: `${repository}@`, $lt: `${repository}A` })

/** The ids of all records of a repository, see the port. */
export async function idsOfRepository(skills: Collection, repository: string): Promise<string[]> {
  const id = `${metadataField}.id`
  const filter = {
    $or: [{ [id]: repository }, { [id]: idsIn(repository) }],
    [`${metadataField}.state`]: { $ne: 'rejected' },
  }
  const ids: string[] = []
  for await (const document of readDocuments(skills, filter, { projection: { [id]: 1 } })) {
    ids.push(findMetadata(document).id ?? repository)
  }
  return ids.sort()
}

/** The repository to which the skills of this one were renamed, see the port. */
export async function presentRepository(skills: Collection, repository: string): Promise<string | null> {
  const filter = {
    [`${metadataField}.formerIds`]: { $elemMatch: idsIn(repository) },
    [`${metadataField}.state`]: 'published',
  }
  const options = { projection: { [`${metadataField}.id`]: 1 }, limit: 1, ...new QueryTime().limit() }
  for await (const document of readDocuments(skills, filter, options)) {
    return repositoryId(findMetadata(document).id ?? '') || null
  }
  return null
}

/**
 * Lists the skills of a repository that have names of their own, see the port.
 *
 * @param projection the fields to read
 * @param toPublic as above
 */
export async function listOfRepository(
  skills: Collection,
  { repository, limit = maxOfRepository }: { repository: string; limit?: number | undefined },
  projection: Document,
  toPublic: (document: Document) => Skill | null,
): Promise<RepositorySkills> {
  const time = new QueryTime()
  const filter = {
    [`${metadataField}.id`]: idsIn(repository),
    [`${metadataField}.state`]: 'published',
  }
  const byId = { [`${metadataField}.id`]: 1 } as const
  const listed: Skill[] = []
  const options = { projection, sort: byId, ...inOneAnswer(limit), ...time.limit() }
  for await (const document of readDocuments(skills, filter, options)) {
    const skill = toPublic(document)
    if (skill !== null) {
      listed.push(skill)
    }
  }
  const total =
    listed.length < limit
      ? listed.length
      : await skills.countDocuments(filter, { limit: maxListTotal, ...time.limit() })
  // The order of ids stays among equals.
  listed.sort((a, b) => (b.stars ?? -1) - (a.stars ?? -1))
  return { records: listed.map((skill) => JSON.stringify(skill)), total }
}
