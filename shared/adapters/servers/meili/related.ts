import type { RelatedSkill } from '../../../ports/search-index.js'
import { searchSettings } from '../../../search-settings.js'
import { othersThanCopies, sketchIn } from '../../../text/near-copies.js'
import { multiSearch } from './multi-search.js'
import { nearEnough, nearestTo } from './nearest.js'
import { equals } from './query.js'
import type { SearchTarget } from './search.js'
import { readVector, roundedVector } from './vectors.js'

/** The skills that are nearest to this one; see the port. Its own copies are not related, they are the same. */
export async function relatedSkills(target: SearchTarget, id: string, limit: number): Promise<RelatedSkill[]> {
  const { embedder } = target
  if (embedder === null) {
    return []
  }
  const [own] = await multiSearch(target, [
    {
      filter: equals('id', id),
      limit: 1,
      retrieveVectors: true,
      attributesToRetrieve: ['copyKey', 'sketch', '_vectors'],
    },
  ])
  const [skill] = own?.hits ?? []
  const vector = readVector(skill?._vectors, embedder)
  if (vector === null) {
    return []
  }
  const copyKey: unknown = skill?.copyKey
  const others = [
    `NOT ${equals('id', id)}`,
    ...(typeof copyKey === 'string' ? [`NOT ${equals('copyKey', copyKey)}`] : []),
  ]
  // Its neighbours are approximate: asked for a few, Meilisearch misses some of the nearest.
  const looked = Math.max(limit, searchSettings.maxNearest)
  const [nearest] = await multiSearch(target, [
    { ...nearestTo(roundedVector(vector), embedder, others, looked), distinct: 'copyKey' },
  ])
  return othersThanCopies(sketchIn(skill?.sketch), nearEnough(nearest), ({ hit }) => sketchIn(hit.sketch))
    .slice(0, limit)
    .map(({ hit, similarity }) => ({ record: hit.skill, similarity }))
}
