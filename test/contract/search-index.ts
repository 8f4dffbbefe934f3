import { afterEach, beforeEach, describe } from '@jest/globals'
import type { IndexReplica } from '../../shared/ports/search-index.js'
import { applying } from './search-index/apply.js'
import { copies } from './search-index/copies.js'
import { distinctHits } from './search-index/distinct-hits.js'
import { facetsAndHighlights } from './search-index/facets-and-highlights.js'
import { fencedWrites } from './search-index/fenced-writes.js'
import { hostileText } from './search-index/hostile-text.js'
import { indexUnderTest } from './search-index/index-under-test.js'
import { matches } from './search-index/matches.js'
import { meaning } from './search-index/meaning.js'
import { nearCopies } from './search-index/near-copies.js'
import { nextIndex } from './search-index/next-index.js'
import { ranking } from './search-index/ranking.js'
import { relatedSkills } from './search-index/related-skills.js'
import { storedVectors } from './search-index/stored-vectors.js'
import { tasks } from './search-index/tasks.js'

/**
 * The contract of every SearchIndex.
 *
 * @param open opens an empty index with vectors of `testModel`
 */
export function searchIndexContract(name: string, open: () => Promise<IndexReplica>): void {
  describe(`search index: ${name}`, () => {
    let index: IndexReplica
    beforeEach(async () => {
      index = await open()
    })
    afterEach(() => index.close())

    const underTest = indexUnderTest(() => index)
    matches(underTest)
    ranking(underTest)
    facetsAndHighlights(underTest)
    meaning(underTest)
    tasks(underTest)
    copies(underTest)
    nearCopies(underTest)
    distinctHits(underTest)
    relatedSkills(underTest)
    storedVectors(underTest)
    hostileText(underTest)
    applying(underTest)
    nextIndex(underTest)
    fencedWrites(underTest)
  })
}
