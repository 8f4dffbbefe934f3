import type { Collection, Db, Document } from 'mongodb'
import {
  countedFields,
  type DatasetReader,
  type ExportRows,
  maxCountedValues,
  topListLength,
  topTopicsPerOrganization,
} from '../../../../ports/dataset-reader.js'
import type { FacetName } from '../../../../ports/filter-table.js'
import { type Organization, type Prompt, type RecordType, toPublicOrganization } from '../../../../records/records.js'
import { type Skill, skillOf } from '../../../../records/skill.js'
import { jobLimit, jobTime } from '../connection.js'
import { keyMember, type Row, repositoryOfRow, rowsOf } from '../rows.js'
import { readListed } from './skill-list.js'

/** The number of owners whose topics are counted at a time: limits the memory of one aggregation. */
const ownersAtOnce = 500

const published = { state: 'published' as const }

/** Sums over an owner's published skills. */
interface OwnerSums {
  _id: string
  skills: number
  stars: number
  /** The most stars of one of them; null: no stars are known. */
  maxStars: number | null
}

const sums = {
  skills: { $sum: 1 },
  stars: { $sum: `$${keyMember('stars')}` },
  maxStars: { $max: `$${keyMember('stars')}` },
}
const aggregate = <T extends Document>(collection: Collection<Row>, stages: Document[]) =>
  collection.aggregate<T>([{ $match: published }, ...stages], { allowDiskUse: true, ...jobLimit })

const unwound = { $unwind: `$${keyMember('topics')}` }

/** The values of a field of published skills: most skills first, then most stars, then by name. */
const largest = (skills: Collection<Row>, field: FacetName, limit: number): Promise<OwnerSums[]> =>
  aggregate<OwnerSums>(skills, [
    ...(field === 'topics' ? [unwound] : []),
    { $group: { _id: `$${keyMember(field)}`, ...sums } },
    // Of the skills without a value.
    { $match: { _id: { $ne: null } } },
    { $sort: { skills: -1, stars: -1, _id: 1 } },
    { $limit: limit },
  ]).toArray()

/** The number of different values of an expression. */
async function countDistinct(skills: Collection<Row>, of: unknown, stages: Document[] = []): Promise<number> {
  const grouped = [...stages, { $group: { _id: of } }, { $group: { _id: null, n: { $sum: 1 } } }]
  const [counted] = await aggregate<{ n: number }>(skills, grouped).toArray()
  return counted?.n ?? 0
}

/** Reads the rows of the whole catalog; see the port. */
export function datasetReader(db: Db): DatasetReader {
  const skills = rowsOf(db, 'skills')
  const scanSkills: DatasetReader['scanSkills'] = async (afterId, limit) => {
    const filter = { ...published, _id: { $gt: afterId ?? '' } }
    const options = { sort: { _id: 1 }, limit, projection: { record: 1 }, ...jobLimit } as const
    const rows = await skills.find(filter, options).toArray()
    return rows.flatMap(({ record }) => (record === undefined ? [] : [skillOf({ record })]))
  }
  return {
    scanSkills,
    scanForIndex: (after, limit) => scanSkills(after?.id ?? null, limit),
    computeStats: () => computeStats(db),
    largestValues: async (of) => {
      const found = await largest(skills, countedFields[of], maxCountedValues)
      return found.map(({ _id: value, skills: count }) => ({ value, skills: count }))
    },
    exportRows: (type, limit, maxCharacters = Number.POSITIVE_INFINITY) => exportRows(db, type, limit, maxCharacters),
  }
}

async function computeStats(db: Db): ReturnType<DatasetReader['computeStats']> {
  const skills = rowsOf(db, 'skills')
  const [all] = await aggregate<OwnerSums>(skills, [{ $group: { _id: null, ...sums } }]).toArray()
  const topTopics = await largest(skills, 'topics', topListLength)
  const owners = await largest(skills, 'owner', topListLength)
  const stored = await storedOrganizations(db, owners)
  const edge = async (direction: 1 | -1): Promise<string | null> => {
    const updated = keyMember('updatedAt')
    const filter = { ...published, [updated]: { $gte: '' } }
    const options = { sort: { [updated]: direction }, projection: { [updated]: 1 }, ...jobLimit }
    const found = await skills.findOne(filter, options)
    return found?.keys?.updated ?? null
  }
  return {
    totals: {
      skills: all?.skills ?? 0,
      repositories: await countDistinct(skills, repositoryOfRow),
      prompts: await rowsOf(db, 'prompts').countDocuments(published, jobLimit),
      organizations: await countDistinct(skills, `$${keyMember('owner')}`),
      topics: await countDistinct(skills, `$${keyMember('topics')}`, [unwound]),
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

async function exportRows<T extends RecordType>(
  db: Db,
  type: T,
  limit: number,
  maxCharacters: number,
): Promise<ExportRows<T>> {
  const skills = rowsOf(db, 'skills')
  const read: { [K in RecordType]: () => Promise<ExportRows<K>> } = {
    skills: async () => {
      const list = { filters: {}, sort: 'stars', order: 'desc', limit } as const
      const rows = await readListed(skills, list, { record: 1 }, jobTime())
      return { total: await skills.countDocuments(published, jobLimit), rows: recordsOf<Skill>(rows) }
    },
    prompts: async () => {
      const prompts = rowsOf(db, 'prompts')
      const rows: Prompt[] = []
      let characters = 0
      const options = { sort: { _id: 1 }, limit, projection: { record: 1 }, ...jobLimit } as const
      for await (const row of prompts.find(published, options)) {
        const [prompt] = recordsOf<Prompt>([row])
        rows.push(...(prompt === undefined ? [] : [prompt]))
        characters += prompt?.content.length ?? 0
        if (characters >= maxCharacters) {
          break
        }
      }
      return { total: await prompts.countDocuments(published, jobLimit), rows }
    },
    organizations: async () => {
      const owners = await largest(skills, 'owner', limit)
      const [stored, topics] = [await storedOrganizations(db, owners), await topTopicsOf(skills, owners)]
      return {
        total: await countDistinct(skills, `$${keyMember('owner')}`),
        rows: owners.map(({ _id: login, skills: count, stars, maxStars }) =>
          toPublicOrganization(
            { login, skills: count, stars: maxStars === null ? null : stars, topTopics: topics.get(login) ?? [] },
            stored.get(login) ?? null,
          ),
        ),
      }
    },
  }
  return read[type]()
}

const recordsOf = <R>(rows: Row[]): R[] =>
  rows.flatMap(({ record }) => (record === undefined ? [] : [JSON.parse(record) as R]))

async function storedOrganizations(db: Db, owners: OwnerSums[]): Promise<Map<string, Organization>> {
  const filter = { ...published, _id: { $in: owners.map((owner) => owner._id) } }
  const rows = await rowsOf(db, 'organizations')
    .find(filter, { projection: { record: 1 }, ...jobLimit })
    .toArray()
  return new Map(recordsOf<Organization>(rows).map((organization) => [organization.login.toLowerCase(), organization]))
}

/** The most frequent topics of each owner's skills, ties by name. Reads one document per owner. */
async function topTopicsOf(skills: Collection<Row>, owners: OwnerSums[]): Promise<Map<string, string[]>> {
  const topics = new Map<string, string[]>()
  for (let start = 0; start < owners.length; start += ownersAtOnce) {
    const logins = owners.slice(start, start + ownersAtOnce).map((owner) => owner._id)
    const counted = aggregate<{ _id: string; topics: string[] }>(skills, [
      { $match: { [keyMember('owner')]: { $in: logins } } },
      { $unwind: `$${keyMember('topics')}` },
      { $group: { _id: { owner: `$${keyMember('owner')}`, topic: `$${keyMember('topics')}` }, skills: { $sum: 1 } } },
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
