import type { Collection, Document, Filter } from 'mongodb'
import type { ListPosition, SkillListQuery } from '../../../../ports/skill-reader.js'
import { repositoryId } from '../../../../records/skill.js'
import type { QueryTime } from '../query-time.js'
import { metadataField } from './document.js'
import { readBatches, readDocuments } from './read-documents.js'
import { areIdsAscending, filterOf, partsAfter, positionFields, positionOf } from './skill-list.js'

const id = `${metadataField}.id`

/** The id of the repository of a skill, see `repositoryId`, in an aggregation. */
export const repositoryOfDocument = { $arrayElemAt: [{ $split: [`$${id}`, '@'] }, 0] }

/** The first skill of a repository in a list. */
export interface FirstSkill {
  position: ListPosition
  /** The other skills of the repository that match the filters. */
  others: number
}

/** Positions that are read at a time, at most. */
const readAtOnce = 200

/**
 * Reads the list of which each repository has only its first skill, after the position of the query: as the whole list,
 * with one more query for the skills of the repositories that a batch of it names. What is read for both are positions.
 *
 * @param count how many are needed: of more repositories at once the other skills are not looked for
 */
export async function* readFirsts(
  skills: Collection,
  query: SkillListQuery,
  time: QueryTime,
  count = readAtOnce,
): AsyncGenerator<FirstSkill> {
  const atOnce = Math.min(count, readAtOnce)
  const known = new Map<string, FirstSkill>()
  const projection = positionFields(query.sort)
  for (const { filter, sort } of partsAfter(query)) {
    const options = { sort, projection, batchSize: readAtOnce, ...time.limit() }
    for await (const documents of readBatches(skills, filter, atOnce, options)) {
      const listed = documents.flatMap((document) => positionOf(document, query.sort) ?? [])
      const repositories = new Set(
        listed.map((position) => repositoryId(position.id)).filter((each) => !known.has(each)),
      )
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
}

/** As `findPosition` in the whole list. */
export async function findFirst(
  skills: Collection,
  query: SkillListQuery,
  count: number,
  time: QueryTime,
): Promise<ListPosition | null> {
  let left = count
  for await (const { position } of readFirsts(skills, query, time)) {
    left -= 1
    if (left === 0) {
      return position
    }
  }
  return null
}

/** The documents of these firsts, by id. @param projection the fields to read */
export async function documentsOf(
  skills: Collection,
  firsts: FirstSkill[],
  projection: Document,
  time: QueryTime,
): Promise<Map<string, Document>> {
  const filter = { [id]: { $in: firsts.map(({ position }) => position.id) } }
  const found = new Map<string, Document>()
  for await (const document of readDocuments(skills, filter, { projection, ...time.limit() })) {
    found.set(String(document[metadataField]?.id), document)
  }
  return found
}

/** The first skill of each of these repositories in the list. */
async function firstOfEach(
  skills: Collection,
  query: SkillListQuery,
  repositories: string[],
  time: QueryTime,
): Promise<Map<string, FirstSkill>> {
  const firsts = new Map<string, FirstSkill>()
  if (repositories.length === 0) {
    return firsts
  }
  // "A" follows "@": the end of these ids.
  const ranges = repositories.map((each) => ({ $gt: `${each}@`, $lt: `${each}A` }))
  const filter: Filter<Document> = {
    $or: [{ $in: repositories }, ...ranges].map((condition) => ({ ...filterOf(query.filters), [id]: condition })),
  }
  const options = { projection: positionFields(query.sort), ...time.limit() }
  for await (const document of readDocuments(skills, filter, options)) {
    const position = positionOf(document, query.sort)
    if (position !== null) {
      const repository = repositoryId(position.id)
      const before = firsts.get(repository)
      const isFirst = before === undefined || precedes(position, before.position, query)
      firsts.set(repository, {
        position: isFirst ? position : before.position,
        others: before === undefined ? 0 : before.others + 1,
      })
    }
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
