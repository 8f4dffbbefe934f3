import type { Collection, Filter } from 'mongodb'
import type { ListPosition, SkillListQuery } from '../../../../ports/skill-reader.js'
import { repositoryId } from '../../../../records/skill.js'
import type { QueryTime } from '../connection.js'
import type { Row } from '../rows.js'
import { idsIn } from './find-by-id.js'
import { areIdsAscending, filterOf, positionFields, positionOf, readListed } from './skill-list.js'

/** The first skill of a repository in a list. */
export interface FirstSkill {
  position: ListPosition
  /** The other skills of the repository that match the filters. */
  others: number
}

/** The maximum of positions in a batch: where the skills of their repositories are read too, and where they are read alone. */
const maxAtOnce = { ofRepositories: 200, alone: 2_000 }

/**
 * Reads the positions of the list in batches, each a query of its own: no cursor stays open in MongoDB where the rest is
 * not read. Batches double, since all skills of a large repository may follow each other.
 *
 * @param first the size of the first batch, and `max` that of the largest
 */
async function* readPositions(
  skills: Collection<Row>,
  query: SkillListQuery,
  time: QueryTime,
  [first, max]: [first: number, max: number],
): AsyncGenerator<ListPosition[]> {
  const { after: start, ...list } = query
  const projection = positionFields(query.sort)
  let after = start
  for (let limit = Math.min(first, max); ; limit = Math.min(2 * limit, max)) {
    const rows = await readListed(skills, { ...list, ...(after && { after }), limit }, projection, time)
    const positions = rows.map((row) => positionOf(row, query.sort))
    yield positions
    if (rows.length < limit) {
      return
    }
    after = positions.at(-1)
  }
}

/**
 * Reads the list with only the first skill of each repository, after the position of the query. It reads the whole list in
 * batches, and for each batch, by one more query, the positions of all skills of its repositories.
 *
 * @param count the number of firsts that the caller needs, which is the size of the first batch
 */
export async function* readFirsts(
  skills: Collection<Row>,
  query: SkillListQuery,
  time: QueryTime,
  count = maxAtOnce.ofRepositories,
): AsyncGenerator<FirstSkill> {
  const known = new Map<string, FirstSkill>()
  for await (const listed of readPositions(skills, query, time, [count, maxAtOnce.ofRepositories])) {
    const repositories = new Set(listed.map(({ id }) => repositoryId(id)).filter((each) => !known.has(each)))
    for (const [repository, first] of await firstOfEach(skills, query, [...repositories], time)) {
      known.set(repository, first)
    }
    for (const position of listed) {
      const first = known.get(repositoryId(position.id))
      if (first?.position.id === position.id) {
        yield first
      }
    }
  }
}

/** The position of the `count`-th skill of a list with one skill of each repository; null: it has fewer. */
export async function findFirst(
  skills: Collection<Row>,
  query: SkillListQuery,
  count: number,
  time: QueryTime,
): Promise<ListPosition | null> {
  if (query.after === undefined) {
    // From the start, the first skill of a repository that is read is the first one of the list.
    const read = new Set<string>()
    for await (const positions of readPositions(skills, query, time, [count, maxAtOnce.alone])) {
      for (const position of positions) {
        read.add(repositoryId(position.id))
        if (read.size === count) {
          return position
        }
      }
    }
    return null
  }
  let left = count
  for await (const { position } of readFirsts(skills, query, time)) {
    left -= 1
    if (left === 0) {
      return position
    }
  }
  return null
}

/** The records of these firsts, by id. */
export async function recordsOf(
  skills: Collection<Row>,
  firsts: FirstSkill[],
  time: QueryTime,
): Promise<Map<string, string>> {
  const filter = { _id: { $in: firsts.map(({ position }) => position.id) } }
  const rows = await skills.find(filter, { projection: { record: 1 }, ...time.limit() }).toArray()
  return new Map(rows.flatMap(({ _id, record }) => (record === undefined ? [] : [[_id, record]])))
}

/** The first skill of each of these repositories in the list. */
async function firstOfEach(
  skills: Collection<Row>,
  query: SkillListQuery,
  repositories: string[],
  time: QueryTime,
): Promise<Map<string, FirstSkill>> {
  const firsts = new Map<string, FirstSkill>()
  if (repositories.length === 0) {
    return firsts
  }
  const filter = {
    $or: [{ $in: repositories }, ...repositories.map(idsIn)].map((condition) => ({
      ...filterOf(query.filters),
      _id: condition,
    })),
  } as Filter<Row>
  const options = { projection: positionFields(query.sort), ...time.limit() }
  for await (const row of skills.find(filter, options)) {
    const position = positionOf(row, query.sort)
    const repository = repositoryId(position.id)
    const before = firsts.get(repository)
    const isFirst = before === undefined || precedes(position, before.position, query)
    firsts.set(repository, {
      position: isFirst ? position : before.position,
      others: before === undefined ? 0 : before.others + 1,
    })
  }
  return firsts
}

/** Whether one position stands before another one in the list. */
function precedes(one: ListPosition, other: ListPosition, { sort, order }: SkillListQuery): boolean {
  const direction = order === 'asc' ? 1 : -1
  const byValue = compared(one.value, other.value, direction)
  // Without a trend, as the list by stars.
  const byStars = one.value === null ? compared(one.stars ?? null, other.stars ?? null, direction) : 0
  const byId = areIdsAscending(sort, order) ? one.id < other.id : one.id > other.id
  return byValue !== 0 ? byValue < 0 : byStars !== 0 ? byStars < 0 : byId
}

/** Compares values as MongoDB does, null last. @param direction 1: ascending, -1: descending */
function compared(one: ListPosition['value'], other: ListPosition['value'], direction: number): number {
  if (one === null || other === null) {
    return Number(one === null) - Number(other === null)
  }
  return (
    direction *
    (typeof one === 'number' && typeof other === 'number'
      ? one - other
      : Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other))))
  )
}
