import type { Collection, Db, Document } from 'mongodb'
import type { Catalog } from '../../../../ports/catalog.js'
import {
  type ExportRows,
  type IndexKind,
  type IndexValue,
  maxIndexValues,
  topListLength,
  topTopicsPerOrganization,
} from '../../../../ports/dataset-reader.js'
import { StoredOrganization, toPublicOrganization } from '../../../../records/organization.js'
import { Prompt, toPublicPrompt } from '../../../../records/prompt.js'
import type { RecordType } from '../../../../records/records.js'
import { Skill, toPublicSkill } from '../../../../records/skill.js'
import { jobLimit, jobTime } from '../query-time.js'
import { findMetadata, type SkillKeys } from './catalog-metadata.js'
import { repositoryOfDocument } from './distinct-list.js'
import { documentToPublished, fieldsOf, metadataField, type Reading } from './document.js'
import { readDocuments } from './read-documents.js'
import { readListed } from './skill-list.js'

/** The number of owners whose topics are counted at a time: limits the memory of one aggregation. */
const ownersAtOnce = 500

const published = { [`${metadataField}.state`]: 'published' }
const key = (name: keyof SkillKeys): string => `${metadataField}.skill.${name}`

/** A filter for documents with text there: another application may have put another value in its place. */
const isText = (name: keyof SkillKeys) => ({ $match: { [key(name)]: { $type: 'string' } } })

/** Sums over an owner's published skills. */
interface OwnerSums {
  _id: string
  skills: number
  stars: number
  /** The most stars of one of them; null: of none of them they are known. */
  most: number | null
}

const sums = { skills: { $sum: 1 }, stars: { $sum: `$${key('stars')}` }, most: { $max: `$${key('stars')}` } }
const aggregate = <T extends Document>(collection: Collection, stages: Document[]) =>
  collection.aggregate<T>([{ $match: published }, ...stages], { allowDiskUse: true, ...jobLimit })

/** Owners of published skills, or their topics: most skills first, then most stars, then by name. */
const largest = (skills: Collection, stages: Document[], name: keyof SkillKeys, limit: number): Promise<OwnerSums[]> =>
  aggregate<OwnerSums>(skills, [
    ...stages,
    isText(name),
    { $group: { _id: `$${key(name)}`, ...sums } },
    { $match: { _id: { $not: { $type: 'array' } } } },
    { $sort: { skills: -1, stars: -1, _id: 1 } },
    { $limit: limit },
  ]).toArray()

async function countDistinct(skills: Collection, stages: Document[], name: keyof SkillKeys): Promise<number> {
  const [counted] = await aggregate<{ n: number }>(skills, [
    ...stages,
    isText(name),
    { $group: { _id: `$${key(name)}` } },
    { $group: { _id: null, n: { $sum: 1 } } },
  ]).toArray()
  return counted?.n ?? 0
}

async function countRepositories(skills: Collection): Promise<number> {
  const [counted] = await aggregate<{ n: number }>(skills, [
    { $group: { _id: repositoryOfDocument } },
    { $group: { _id: null, n: { $sum: 1 } } },
  ]).toArray()
  return counted?.n ?? 0
}

/** The statistics of the catalog; see the port. */
export async function computeStats(db: Db, reading: Reading): ReturnType<Catalog['computeStats']> {
  const skills = db.collection('skills')
  const unwound = { $unwind: `$${key('topics')}` }
  const [all] = await aggregate<OwnerSums>(skills, [{ $group: { _id: null, ...sums } }]).toArray()
  const topTopics = await largest(skills, [unwound], 'topics', topListLength)
  const owners = await largest(skills, [], 'owner', topListLength)
  const stored = await storedOrganizations(db, owners, reading)
  const edge = async (direction: 1 | -1): Promise<string | null> => {
    const filter = { ...published, [key('updated')]: { $gte: '' } }
    const found = await skills.findOne(filter, {
      sort: { [key('updated')]: direction },
      projection: { [key('updated')]: 1 },
      ...jobLimit,
    })
    const updated: unknown = found?.[metadataField]?.skill?.updated
    return typeof updated === 'string' ? updated : null
  }
  return {
    totals: {
      skills: all?.skills ?? 0,
      repositories: await countRepositories(skills),
      prompts: await db.collection('prompts').countDocuments(published, jobLimit),
      organizations: await countDistinct(skills, [], 'owner'),
      topics: await countDistinct(skills, [unwound], 'topics'),
      stars: all?.stars ?? 0,
    },
    topOrganizations: owners.map((owner) => ({
      login: owner._id,
      name: stored.get(owner._id)?.name ?? null,
      skills: owner.skills,
      stars: owner.stars,
    })),
    topTopics: topTopics.map((topic) => ({ topic: topic._id, skills: topic.skills })),
    freshness: { newestSkillUpdatedAt: await edge(-1), oldestSkillUpdatedAt: await edge(1) },
  }
}

/** The owners or topics with the most skills; see the port. */
export async function largestValues(db: Db, of: IndexKind): Promise<IndexValue[]> {
  const skills = db.collection('skills')
  const found =
    of === 'topics'
      ? await largest(skills, [{ $unwind: `$${key('topics')}` }], 'topics', maxIndexValues)
      : await largest(skills, [], 'owner', maxIndexValues)
  return found.map((each) => ({ value: each._id, skills: each.skills }))
}

/** The rows of an export in their fixed order; see the port. */
export async function exportRows<T extends RecordType>(
  db: Db,
  type: T,
  { limit, maxCharacters }: { limit: number; maxCharacters: number },
  reading: Reading,
): Promise<ExportRows<T>> {
  const read: { [K in RecordType]: () => Promise<ExportRows<K>> } = {
    skills: async () => {
      const skills = db.collection('skills')
      const list = { filters: {}, sort: 'stars', order: 'desc', limit } as const
      const rows: Skill[] = []
      for await (const document of readListed(skills, list, fieldsOf('skills', reading.fields), jobTime())) {
        // A document may have been hidden or damaged since it was ingested: an invalid record is left out.
        const parsed = Skill.safeParse(documentToPublished('skills', document, reading))
        rows.push(...(parsed.success ? [toPublicSkill(parsed.data)] : []))
      }
      return { total: await skills.countDocuments(published, jobLimit), rows }
    },
    prompts: async () => {
      const prompts = db.collection('prompts')
      const projection = fieldsOf('prompts', reading.fields)
      const options = { sort: { [`${metadataField}.id`]: 1 }, limit, projection, ...jobLimit } as const
      const rows: Prompt[] = []
      let characters = 0
      for await (const document of readDocuments(prompts, published, options)) {
        const parsed = Prompt.safeParse(documentToPublished('prompts', document, reading))
        rows.push(...(parsed.success ? [toPublicPrompt(parsed.data)] : []))
        characters += parsed.data?.content.length ?? 0
        if (characters >= maxCharacters) {
          break
        }
      }
      return { total: await prompts.countDocuments(published, jobLimit), rows }
    },
    organizations: async () => {
      const skills = db.collection('skills')
      const owners = await largest(skills, [], 'owner', limit)
      const [stored, topics] = [await storedOrganizations(db, owners, reading), await topTopicsOf(skills, owners)]
      return {
        total: await countDistinct(skills, [], 'owner'),
        rows: owners.map(({ _id: login, skills: count, stars, most }) =>
          toPublicOrganization(
            { login, skills: count, stars: most === null ? null : stars, topTopics: topics.get(login) ?? [] },
            stored.get(login) ?? null,
          ),
        ),
      }
    },
  }
  return read[type]()
}

async function storedOrganizations(db: Db, owners: OwnerSums[], reading: Reading) {
  const filter = { ...published, [`${metadataField}.id`]: { $in: owners.map((owner) => owner._id) } }
  const stored = new Map<string, StoredOrganization>()
  const options = { projection: fieldsOf('organizations', reading.fields), ...jobLimit }
  for await (const document of readDocuments(db.collection('organizations'), filter, options)) {
    const organization = StoredOrganization.safeParse(documentToPublished('organizations', document, reading))
    const { id } = findMetadata(document)
    if (organization.success && id !== undefined) {
      stored.set(id, organization.data)
    }
  }
  return stored
}

/** The most frequent topics of each owner's skills, ties by name. Reads one document per owner. */
async function topTopicsOf(skills: Collection, owners: OwnerSums[]): Promise<Map<string, string[]>> {
  const topics = new Map<string, string[]>()
  for (let start = 0; start < owners.length; start += ownersAtOnce) {
    const logins = owners.slice(start, start + ownersAtOnce).map((owner) => owner._id)
    const counted = aggregate<{ _id: string; topics: string[] }>(skills, [
      { $match: { [key('owner')]: { $in: logins } } },
      { $unwind: `$${key('topics')}` },
      isText('topics'),
      { $group: { _id: { owner: `$${key('owner')}`, topic: `$${key('topics')}` }, skills: { $sum: 1 } } },
      { $sort: { skills: -1, '_id.topic': 1 } },
      { $group: { _id: '$_id.owner', topics: { $push: '$_id.topic' } } },
      { $project: { topics: { $slice: ['$topics', topTopicsPerOrganization] } } },
    ])
    for await (const { _id, topics: top } of counted) {
      topics.set(_id, top)
    }
  }
  return topics
}
