import type { Collection, Document, Filter } from 'mongodb'
import { comparisonOf, givenFilters, type SkillFilters, sortRows, sortTable } from '../../../../ports/filter-table.js'
import type { ListPosition, ListSort, SkillListQuery } from '../../../../ports/skill-reader.js'
import { inOneAnswer, type QueryTime } from '../connection.js'
import { keyMember, keyName, type Row } from '../rows.js'

const id = '_id'
const trend = 'trend'

/**
 * An order: its key, the condition that holds for every value of its type, and the direction in which ids ascend. A
 * condition must imply the filter of the index, or MongoDB cannot use it.
 */
interface Order {
  field: string
  present: Filter<Row>
  natural: 'asc' | 'desc'
}

const sorts = Object.fromEntries<Order>([
  ...sortRows().map(({ name, field, kind, order }): [string, Order] => [
    name,
    { field: keyMember(field), present: { $gte: kind === 'number' ? 0 : '' }, natural: order },
  ]),
  ['trending', { field: trend, present: { $gt: 0 }, natural: 'desc' }],
]) as Record<ListSort, Order>

/** A range of the list that one index holds in order. */
interface Part {
  filter: Filter<Row>
  sort: Record<string, 1 | -1>
}

const operators = { '=': '$eq', '>=': '$gte', '<=': '$lte' }

/** A filter for the rows of published skills that match the list's filters. */
export function filterOf(filters: SkillFilters): Filter<Row> {
  const conditions: Record<string, Document> = {}
  for (const row of givenFilters(filters)) {
    const comparison = comparisonOf(row)
    const values = row.values.map((each) =>
      typeof each === 'string' && comparison === '=' ? each.toLowerCase() : each,
    )
    const wanted = row.maxTimes === undefined ? { [operators[comparison]]: values[0] } : { $all: values }
    const key = keyMember(row.field)
    // Two filters may compare one field: the least and the most.
    conditions[key] = { ...conditions[key], ...wanted }
  }
  return { state: 'published', ...conditions }
}

/** Reads the rows of one page of the list, in order, with these members. All its queries end within `time`. */
export async function readListed(
  skills: Collection<Row>,
  query: SkillListQuery,
  projection: Document,
  time: QueryTime,
): Promise<Row[]> {
  const found: Row[] = []
  for (const { filter, sort } of partsAfter(query)) {
    if (found.length < query.limit) {
      const options = { sort, ...inOneAnswer(query.limit - found.length), projection, ...time.limit() }
      found.push(...(await skills.find(filter, options).toArray()))
    }
  }
  return found
}

/**
 * The position of the skill that is `count` skills after another one; null: the list ends before it. Without filters
 * MongoDB finds it in the index of the order, and reads no row.
 */
export async function findPosition(
  skills: Collection<Row>,
  query: SkillListQuery,
  count: number,
  time: QueryTime,
): Promise<ListPosition | null> {
  const projection = positionFields(query.sort)
  const parts = partsAfter(query)
  let skip = count - 1
  for (const { filter, sort } of parts) {
    const row = await skills.findOne(filter, { sort, skip, projection, ...time.limit() })
    if (row !== null) {
      return positionOf(row, query.sort)
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
 * one, which the order by trend has as the list by stars. Each begins with a seek in the index, so that all pages cost
 * the same.
 */
function partsAfter({ sort, order, after, ...query }: Omit<SkillListQuery, 'limit'>): Part[] {
  const admitted = filterOf(query.filters)
  const { field, present, natural } = sorts[sort]
  // The opposite order reads the index backwards, ids included.
  const idDirection = order === natural ? 1 : -1
  const beyondId = (position: ListPosition) => ({ [id]: { [idDirection === 1 ? '$gt' : '$lt']: position.id } })
  const byId: Part['sort'] = { [id]: idDirection }
  const byValue: Part['sort'] = { [field]: order === 'asc' ? 1 : -1, [id]: idDirection }
  const part = (filter: Filter<Row>, by: Part['sort']): Part => ({
    filter: { $and: [admitted, filter] } as Filter<Row>,
    sort: by,
  })
  const without = (position?: ListPosition): Part[] =>
    sort === 'trending'
      ? partsAfter({
          ...query,
          sort: 'stars',
          order,
          ...(position && { after: { value: position.stars ?? null, id: position.id } }),
        }).map(({ filter, sort: by }) => ({ filter: { $and: [filter, { [trend]: null }] } as Filter<Row>, sort: by }))
      : [part({ [field]: null, ...(position && beyondId(position)) }, byId)]
  if (after === undefined) {
    return [part({ [field]: present }, byValue), ...without()]
  }
  if (after.value === null) {
    return without(after)
  }
  // A range has one type, so that neither direction reaches the skills without a value.
  const beyond = order === 'asc' ? { $gt: after.value } : { $lt: after.value, ...present }
  return [part({ [field]: after.value, ...beyondId(after) }, byId), part({ [field]: beyond }, byValue), ...without()]
}

/** The members of a row for its position. */
export function positionFields(sort: ListSort): Document {
  const fields = sort === 'trending' ? [trend, sorts.stars.field] : [sorts[sort].field]
  return Object.fromEntries(fields.map((field) => [field, 1]))
}

/** Whether the id of a skill decides among equal ones in ascending order. */
export const areIdsAscending = (sort: ListSort, order: 'asc' | 'desc'): boolean => order === sorts[sort].natural

/** The position in the list after this row. */
export function positionOf({ _id, keys, trend: trending }: Row, sort: ListSort): ListPosition {
  const stars = keys?.stars ?? null
  if (sort !== 'trending') {
    return { value: (keys?.[keyName(sortTable[sort].field)] ?? null) as ListPosition['value'], id: _id }
  }
  return trending === undefined ? { value: null, id: _id, stars } : { value: trending, id: _id }
}
