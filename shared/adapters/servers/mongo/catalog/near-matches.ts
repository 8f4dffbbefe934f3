import type { Collection, Document, Filter, Sort } from 'mongodb'
import { rankNearMatches } from '../../../../text/near-matches.js'
import { QueryTime } from '../query-time.js'
import { findMetadata } from './catalog-metadata.js'
import { metadataField } from './document.js'

/** The maximum number of skills that are compared, from each place of possible near matches. */
const candidatesEach = 300

/**
 * Ids that are similar to an unknown one: of the same owner, of the same repository name elsewhere, or with the same
 * beginning. Best first.
 */
export async function findNearMatches(skills: Collection, id: string, limit: number): Promise<string[]> {
  const [owner = '', repo = ''] = id.split('/')
  const beginning = id.slice(0, Math.min(3, owner.length))
  const byId: Sort = { [`${metadataField}.id`]: 1 }
  const byIdBackwards: Sort = { [`${metadataField}.id`]: -1 }
  const places: { filter: Filter<Document>; sort?: Sort }[] = [
    // Those before and after it: an owner may have thousands. "0" follows "/": the end of this owner's ids.
    { filter: { [`${metadataField}.id`]: { $gte: `${owner}/`, $lt: id } }, sort: byIdBackwards },
    { filter: { [`${metadataField}.id`]: { $gte: id, $lt: `${owner}0` } }, sort: byId },
    // In the order of the index: a sort would read all skills of this name.
    { filter: { [`${metadataField}.skill.repo`]: repo } },
    { filter: { [`${metadataField}.id`]: { $gte: beginning, $lt: `${beginning}\u{10ffff}` } }, sort: byId },
  ]
  const projection = { [`${metadataField}.id`]: 1 }
  // In one batch: by default, the first batch of MongoDB has 101 documents.
  const size = { limit: candidatesEach, batchSize: candidatesEach }
  const options = { projection, ...size, ...new QueryTime().limit() }
  const found = await Promise.all(
    places.map(({ filter, sort }) =>
      skills
        .find(
          { [`${metadataField}.state`]: 'published', ...filter },
          { ...options, ...(sort === undefined ? {} : { sort }) },
        )
        .toArray(),
    ),
  )
  const candidates = found.flat().flatMap((document) => findMetadata(document).id ?? [])
  return rankNearMatches(id, candidates, limit)
}
