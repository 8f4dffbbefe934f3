import type { Collection, Document, Filter } from 'mongodb'
import type { ListPosition, ListSort, SkillFilters, SkillListQuery } from '../../../../ports/skill-reader.js'
import type { QueryTime } from '../query-time.js'
import type { SkillKeys } from './catalog-metadata.js'
import { metadataField } from './document.js'

const id = `${metadataField}.id`
const key = (name: keyof SkillKeys): string => `${metadataField}.skill.${name}`

/** The orders: their key, the lowest value of its type, and the direction in which ids ascend. */
const sorts: Record<ListSort, { field: string; least: string | number; natural: 'asc' | 'desc' }> = {
  updated: { field: key('updated'), least: '', natural: 'desc' },
  stars: { field: key('stars'), least: 0, natural: 'desc' },
  created: { field: key('created'), least: '', natural: 'desc' },
  name: { field: key('name'), least: '', natural: 'asc' },
  trending: { field: `${metadataField}.trend`, least: 0, natural: 'desc' },
}

/** A range of the list that one index holds in order. */
interface Part {
  filter: Filter<Document>
  sort: Record<string, 1 | -1>
}

/** A filter for documents of published skills that match the list's filters. */
export function filterOf(filters: SkillFilters): Filter<Document> {
  const equal: [keyof SkillKeys, unknown][] = [
    ['owner', filters.owner?.toLowerCase()],
    ['license', filters.license?.toLowerCase()],
    ['language', filters.language?.toLowerCase()],
    ['archived', filters.archived],
  ]
  return {
    [`${metadataField}.state`]: 'published',
    ...Object.fromEntries(equal.filter(([, value]) => value !== undefined).map(([name, value]) => [key(name), value])),
    ...(filters.topics === undefined || filters.topics.length === 0
      ? {}
      : { [key('topics')]: { $all: filters.topics.map((topic) => topic.toLowerCase()) } }),
    ...(filters.minStars === undefined ? {} : { [key('stars')]: { $gte: filters.minStars } }),
    ...(filters.updatedSince === undefined ? {} : { [key('updated')]: { $gte: filters.updatedSince } }),
  }
}

/** Finds the documents of one page of the list, in order. All its queries end within `time`. */
export async function findListed(
  skills: Collection,
  query: SkillListQuery,
  projection: Document,
  time: QueryTime,
): Promise<Document[]> {
  const found: Document[] = []
  for (const { filter, sort } of partsAfter(query)) {
    if (found.length < query.limit) {
      const options = { sort, limit: query.limit - found.length, projection, ...time.limit() }
      found.push(...(await skills.find(filter, options).toArray()))
    }
  }
  return found
}

/**
 * The position of the skill that is `count` skills after another one; null: the list ends before it. Without filters
 * MongoDB finds it in the index of the order, and reads no document.
 */
export async function findPosition(
  skills: Collection,
  query: SkillListQuery,
  count: number,
  time: QueryTime,
): Promise<ListPosition | null> {
  const projection = { _id: 0, [id]: 1, [sorts[query.sort].field]: 1 }
  const parts = partsAfter(query)
  let skip = count - 1
  for (const { filter, sort } of parts) {
    const [document] = await skills.find(filter, { sort, skip, limit: 1, projection, ...time.limit() }).toArray()
    if (document !== undefined) {
      return positionOf(document, query.sort)
    }
    // A skill after this part skips all of it.
    if (skip > 0 && filter !== parts.at(-1)?.filter) {
      skip -= await skills.countDocuments(filter, { limit: skip, ...time.limit() })
    }
  }
  return null
}

/**
 * The ranges after a position: the rest of the skills with the same value, then those beyond it, then those without
 * one. Each begins with a seek in the index, so that all pages cost the same.
 */
function partsAfter({ filters, sort, order, after }: SkillListQuery): Part[] {
  const admitted = filterOf(filters)
  const { field, least, natural } = sorts[sort]
  // The opposite order reads the index backwards, ids included.
  const idDirection = order === natural ? 1 : -1
  const beyondId = (position: ListPosition) => ({ [id]: { [idDirection === 1 ? '$gt' : '$lt']: position.id } })
  const byId: Part['sort'] = { [id]: idDirection }
  const byValue: Part['sort'] = { [field]: order === 'asc' ? 1 : -1, [id]: idDirection }
  const part = (filter: Filter<Document>, by: Part['sort']): Part => ({
    filter: { $and: [admitted, filter] },
    sort: by,
  })
  if (after === undefined) {
    return [part({ [field]: { $gte: least } }, byValue), part({ [field]: null }, byId)]
  }
  if (after.value === null) {
    return [part({ [field]: null, ...beyondId(after) }, byId)]
  }
  // A range has one type, so that neither direction reaches the skills without a value.
  const beyond = order === 'asc' ? { $gt: after.value } : { $lt: after.value, $gte: least }
  return [
    part({ [field]: after.value, ...beyondId(after) }, byId),
    part({ [field]: beyond }, byValue),
    part({ [field]: null }, byId),
  ]
}

/** The position in the list after this document. */
export const positionOf = (document: Document, sort: ListSort): ListPosition => {
  const own = document[metadataField]
  return { value: (sort === 'trending' ? own.trend : own.skill[sort]) ?? null, id: own.id }
}
