import type { Collection, Document, Filter } from 'mongodb'
import type { ListPosition, SkillFilters, SkillListQuery, SkillSort } from '../../../../ports/skill-reader.js'
import type { QueryTime } from '../query-time.js'
import type { SkillKeys } from './catalog-metadata.js'
import { metadataField } from './document.js'

const id = `${metadataField}.id`
const key = (name: keyof SkillKeys): string => `${metadataField}.skill.${name}`

/** The orders: their key, the lowest value of its type, and the direction in which ids ascend. */
const sorts: Record<SkillSort, { field: string; least: string | number; natural: 'asc' | 'desc' }> = {
  updated: { field: key('updated'), least: '', natural: 'desc' },
  stars: { field: key('stars'), least: 0, natural: 'desc' },
  created: { field: key('created'), least: '', natural: 'desc' },
  name: { field: key('name'), least: '', natural: 'asc' },
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
  const admitted = filterOf(query.filters)
  const found: Document[] = []
  let skip = query.offset ?? 0
  for (const part of partsAfter(query.sort, query.order, query.after)) {
    const filter = { $and: [admitted, part.filter] }
    const wanted = query.limit - found.length
    const documents = await skills
      .find(filter, { sort: part.sort, skip, limit: wanted, projection, ...time.limit() })
      .toArray()
    found.push(...documents)
    if (found.length === query.limit) {
      break
    }
    // A page that begins after this part skips all of it, and skips the rest of its offset in the next part.
    skip =
      skip === 0 || documents.length > 0
        ? 0
        : skip - (await skills.countDocuments(filter, { limit: skip, ...time.limit() }))
  }
  return found
}

/**
 * The ranges after a position: the rest of the skills with the same value, then those beyond it, then those without
 * one. Each begins with a seek in the index, so that all pages cost the same.
 */
function partsAfter(sort: SkillSort, order: 'asc' | 'desc', after: ListPosition | undefined): Part[] {
  const { field, least, natural } = sorts[sort]
  // The opposite order reads the index backwards, ids included.
  const idDirection = order === natural ? 1 : -1
  const beyondId = (position: ListPosition) => ({ [id]: { [idDirection === 1 ? '$gt' : '$lt']: position.id } })
  const byId: Part['sort'] = { [id]: idDirection }
  const byValue: Part['sort'] = { [field]: order === 'asc' ? 1 : -1, [id]: idDirection }
  const without: Part = { filter: { [field]: null }, sort: byId }
  if (after === undefined) {
    return [{ filter: { [field]: { $gte: least } }, sort: byValue }, without]
  }
  if (after.value === null) {
    return [{ filter: { $and: [without.filter, beyondId(after)] }, sort: byId }]
  }
  // A range has one type, so that neither direction reaches the skills without a value.
  const beyond = order === 'asc' ? { $gt: after.value } : { $lt: after.value, $gte: least }
  return [
    { filter: { [field]: after.value, ...beyondId(after) }, sort: byId },
    { filter: { [field]: beyond }, sort: byValue },
    without,
  ]
}

/** The position in the list after this document. */
export const positionOf = (document: Document, sort: SkillSort): ListPosition => {
  const own = document[metadataField]
  return { value: own.skill[sort] ?? null, id: own.id }
}
