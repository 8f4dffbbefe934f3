import type { Collection, Document, Filter } from 'mongodb'
import { rankNearMatches } from '../../text/near-matches.js'
import { ownMember } from './mongo-document.js'

/** At most this many skills are compared, from each place where a near match may stand. */
const candidatesEach = 300

/**
 * Ids that look like one that is not there: of the same owner, of the same repository name elsewhere, or beginning
 * alike. Best first.
 */
export async function findNearMatches(skills: Collection, id: string, limit: number): Promise<string[]> {
  const [owner = '', repo = ''] = id.split('/')
  const beginning = id.slice(0, Math.min(3, owner.length))
  const places: Filter<Document>[] = [
    // "0" follows "/": the end of this owner's ids.
    { [`${ownMember}.id`]: { $gte: `${owner}/`, $lt: `${owner}0` } },
    { [`${ownMember}.skill.repo`]: repo },
    { [`${ownMember}.id`]: { $gte: beginning, $lt: `${beginning}\u{10ffff}` } },
  ]
  const found = await Promise.all(
    places.map((place) =>
      skills
        .find(
          { [`${ownMember}.state`]: 'published', ...place },
          { projection: { [`${ownMember}.id`]: 1 }, sort: { [`${ownMember}.id`]: 1 }, limit: candidatesEach },
        )
        .toArray(),
    ),
  )
  const candidates = found.flat().map((document) => String(document[ownMember].id))
  return rankNearMatches(id, candidates, limit)
}
