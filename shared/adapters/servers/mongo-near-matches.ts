import type { Collection, Document, Filter, Sort } from 'mongodb'
import { rankNearMatches } from '../../text/near-matches.js'
import { ownMember } from './mongo-document.js'
import { QueryTime } from './mongo-query-time.js'

/** At most this many skills are compared, from each place where a near match may stand. */
const candidatesEach = 300

/**
 * Ids that look like one that is not there: of the same owner, of the same repository name elsewhere, or beginning
 * alike. Best first.
 */
export async function findNearMatches(skills: Collection, id: string, limit: number): Promise<string[]> {
  const [owner = '', repo = ''] = id.split('/')
  const beginning = id.slice(0, Math.min(3, owner.length))
  const byId: Sort = { [`${ownMember}.id`]: 1 }
  const places: { filter: Filter<Document>; sort?: Sort }[] = [
    // "0" follows "/": the end of this owner's ids.
    { filter: { [`${ownMember}.id`]: { $gte: `${owner}/`, $lt: `${owner}0` } }, sort: byId },
    // In the index's own order: to sort them, all skills of this name would have to be read.
    { filter: { [`${ownMember}.skill.repo`]: repo } },
    { filter: { [`${ownMember}.id`]: { $gte: beginning, $lt: `${beginning}\u{10ffff}` } }, sort: byId },
  ]
  const options = { projection: { [`${ownMember}.id`]: 1 }, limit: candidatesEach, ...new QueryTime().limit() }
  const found = await Promise.all(
    places.map(({ filter, sort }) =>
      skills
        .find(
          { [`${ownMember}.state`]: 'published', ...filter },
          { ...options, ...(sort === undefined ? {} : { sort }) },
        )
        .toArray(),
    ),
  )
  const candidates = found.flat().map((document) => String(document[ownMember].id))
  return rankNearMatches(id, candidates, limit)
}
