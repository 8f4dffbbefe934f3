import type { Collection, Filter, Sort } from 'mongodb'
import type { Heir } from '../../../../ports/record-writer.js'
import { type FoundSkill, maxListTotal, maxOfRepository, type Repository } from '../../../../ports/skill-reader.js'
import { rankNearMatches } from '../../../../ranking/find-matches.js'
import { repositoryId } from '../../../../records/skill.js'
import { inOneAnswer, QueryTime } from '../connection.js'
import type { Row } from '../rows.js'

/** Finds the skills of these ids, in their order, with at most two queries for any number of ids. */
export async function findById(skills: Collection<Row>, ids: string[]): Promise<FoundSkill[]> {
  const time = new QueryTime()
  const options = { projection: { state: 1, record: 1, removedAt: 1 }, ...inOneAnswer(ids.length), ...time.limit() }
  const [id = ''] = ids
  // MongoDB has a way of its own for one `_id`.
  const found = await skills.find({ _id: ids.length === 1 ? id : { $in: ids } }, options).toArray()
  const own = new Map(found.map((row) => [row._id, row]))
  const heirs = await findHeirs(
    skills,
    ids.filter((each) => own.get(each)?.record === undefined),
    time,
  )
  return ids.map((each) => resultOf(own.get(each), heirs.get(each)))
}

/** @param row that of an id; `heir`: that of the skill which had the id before */
function resultOf(row: Row | undefined, heir: Row | undefined): FoundSkill {
  if (row?.record !== undefined) {
    return { state: 'published', record: row.record }
  }
  if (heir?.state === 'published') {
    return { state: 'renamed', presentId: heir._id }
  }
  const removed = [row, heir].find((each) => each?.state === 'removed')
  return removed === undefined ? { state: 'unknown' } : { state: 'removed', removedAt: removed.removedAt ?? '' }
}

/** The skills by their former ids; of several with one former id, the first published one by id, or else the first removed. */
async function findHeirs(skills: Collection<Row>, ids: string[], time: QueryTime): Promise<Map<string, Row>> {
  const heirs = new Map<string, Row>()
  if (ids.length === 0) {
    return heirs
  }
  const projection = { formerIds: 1, state: 1, removedAt: 1 }
  const options = { projection, sort: { _id: -1 }, ...time.limit() } as const
  // Nothing leads to a hidden skill: its existence is not public.
  const states = ['published' as const, 'removed' as const]
  for await (const heir of skills.find({ formerIds: { $in: ids }, state: { $in: states } }, options)) {
    for (const formerId of heir.formerIds ?? []) {
      if (heir.state === 'published' || heirs.get(formerId)?.state !== 'published') {
        heirs.set(formerId, heir)
      }
    }
  }
  return heirs
}

/** The skills that had these ids before, see the port. */
export async function heirsOf(skills: Collection<Row>, ids: string[]): Promise<Heir[]> {
  const asked = new Set(ids)
  const rows = await skills.find({ formerIds: { $in: ids } }, { projection: { formerIds: 1 } }).toArray()
  return rows.flatMap(({ _id, formerIds = [] }) =>
    formerIds.filter((each) => asked.has(each)).map((formerId) => ({ formerId, id: _id })),
  )
}

/** The ids of skills that have names of their own in a repository: "A" follows "@". */
export const idsIn = (repository: string) => ({ $gt: `${repository}@`, $lt: `${repository}A` })

/** The ids of all records of a repository, see the port. */
export async function idsOfRepository(skills: Collection<Row>, repository: string): Promise<string[]> {
  const ids = [{ _id: repository }, { _id: idsIn(repository) }]
  const filter = { $or: ids, state: { $in: ['published' as const, 'hidden' as const, 'removed' as const] } }
  return (await skills.find(filter, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id).sort()
}

/** The repository to which the skills of this one were renamed. */
async function presentRepository(skills: Collection<Row>, repository: string, time: QueryTime): Promise<string | null> {
  const filter = { formerIds: { $elemMatch: idsIn(repository) }, state: 'published' as const }
  const row = await skills.findOne(filter, { projection: { _id: 1 }, ...time.limit() })
  return row === null ? null : repositoryId(row._id)
}

/** A repository with one query, or a few where nothing is published; see the port. */
export async function readRepository(
  skills: Collection<Row>,
  repository: string,
  limit = maxOfRepository,
): Promise<Repository> {
  const time = new QueryTime()
  const named = { _id: idsIn(repository), state: 'published' as const }
  const found = await skills
    .find(
      { $or: [{ _id: repository }, named] },
      {
        projection: { state: 1, record: 1, removedAt: 1, 'keys.stars': 1 },
        sort: { _id: 1 },
        ...inOneAnswer(limit + 1),
        ...time.limit(),
      },
    )
    .toArray()
  const row = found.find(({ _id }) => _id === repository)
  const listed = found.filter((each) => each !== row).slice(0, limit)
  if (listed.length === 0) {
    const heirs = await findHeirs(skills, row?.record === undefined ? [repository] : [], time)
    const own = resultOf(row, heirs.get(repository))
    const present = own.state === 'unknown' ? await presentRepository(skills, repository, time) : null
    return { own, records: [], total: 0, present }
  }
  const total =
    listed.length < limit ? listed.length : await skills.countDocuments(named, { limit: maxListTotal, ...time.limit() })
  // The order of ids stays among equals.
  listed.sort((a, b) => (b.keys?.stars ?? -1) - (a.keys?.stars ?? -1))
  return { own: resultOf(row, undefined), records: listed.flatMap(({ record }) => record ?? []), total, present: null }
}

/** Ids of records that are not removed, in order. @param afterId null: from the start */
export async function idsAfter(rows: Collection<Row>, afterId: string | null, limit: number): Promise<string[]> {
  const filter = { _id: { $gt: afterId ?? '' }, state: { $nin: ['removed' as const, 'gone' as const] } }
  const found = await rows.find(filter, { sort: { _id: 1 }, limit, projection: { _id: 1 } }).toArray()
  return found.map(({ _id }) => _id)
}

/** The maximum number of skills that are compared, from each place of possible near matches. */
const candidatesEach = 300

/**
 * Ids that are similar to an unknown one: of the same owner, of the same repository name elsewhere, or with the same
 * beginning. Best first.
 */
export async function findNearMatches(skills: Collection<Row>, id: string, limit: number): Promise<string[]> {
  const [owner = '', repo = ''] = id.split('/')
  const beginning = id.slice(0, Math.min(3, owner.length))
  const places: { filter: Filter<Row>; sort: Sort }[] = [
    // Only the owner's skills just before and after the id, of maybe thousands. "0" follows "/": it ends their ids.
    { filter: { _id: { $gte: `${owner}/`, $lt: id } }, sort: { _id: -1 } },
    { filter: { _id: { $gte: id, $lt: `${owner}0` } }, sort: { _id: 1 } },
    // Not sorted: a sort would read all skills of this name.
    { filter: { 'keys.repo': repo }, sort: {} },
    { filter: { _id: { $gte: beginning, $lt: `${beginning}\u{10ffff}` } }, sort: { _id: 1 } },
  ]
  const options = { projection: { _id: 1 }, ...inOneAnswer(candidatesEach), ...new QueryTime().limit() }
  const found = await Promise.all(
    places.map(({ filter, sort }) => skills.find({ state: 'published', ...filter }, { ...options, sort }).toArray()),
  )
  const candidates = found.flat().map(({ _id }) => _id)
  return rankNearMatches(id, candidates, limit)
}
