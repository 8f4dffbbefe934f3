import { afterEach, beforeEach, describe } from '@jest/globals'
import type { SearchIndex } from '../../shared/ports/search-index.js'
import { apply } from './search-index/apply.js'
import { buildingBeside } from './search-index/building-beside.js'
import { fencedWrites } from './search-index/fenced-writes.js'
import { filtersFacetsAndHighlights } from './search-index/filters-facets-and-highlights.js'
import { hostileText } from './search-index/hostile-text.js'
import { inWhichOrder } from './search-index/in-which-order.js'
import { indexUnderTest } from './search-index/index-under-test.js'
import { whatIsFound } from './search-index/what-is-found.js'

/**
 * What every SearchIndex keeps, whatever is underneath.
 *
 * @param open opens an empty index
 */
export function searchIndexContract(name: string, open: () => Promise<SearchIndex>): void {
  describe(`search index: ${name}`, () => {
    let index: SearchIndex
    beforeEach(async () => {
      index = await open()
    })
    afterEach(() => index.close())

    const underTest = indexUnderTest(() => index)
    whatIsFound(underTest)
    inWhichOrder(underTest)
    filtersFacetsAndHighlights(underTest)
    hostileText(underTest)
    apply(underTest)
    buildingBeside(underTest)
    fencedWrites(underTest)
  })
}
