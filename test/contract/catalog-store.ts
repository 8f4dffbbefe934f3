import { afterEach, beforeEach, describe } from '@jest/globals'
import type { CatalogStore } from '../../shared/ports/catalog-store.js'
import { catalogUnderTest } from './catalog-store/catalog-under-test.js'
import { figures } from './catalog-store/figures.js'
import { findSkillAndNearMatches } from './catalog-store/find-skill-and-near-matches.js'
import { followingChanges } from './catalog-store/following-changes.js'
import { listSkills } from './catalog-store/list-skills.js'
import { putAndRemove } from './catalog-store/put-and-remove.js'
import { whatJobsKeep } from './catalog-store/what-jobs-keep.js'

/**
 * What every CatalogStore keeps, whatever is underneath.
 *
 * @param open opens an empty store
 */
export function catalogStoreContract(name: string, open: () => Promise<CatalogStore>): void {
  describe(`catalog store: ${name}`, () => {
    let catalog: CatalogStore
    beforeEach(async () => {
      catalog = await open()
    })
    afterEach(() => catalog.close())

    const underTest = catalogUnderTest(() => catalog)
    putAndRemove(underTest)
    listSkills(underTest)
    findSkillAndNearMatches(underTest)
    followingChanges(underTest)
    figures(underTest)
    whatJobsKeep(underTest)
  })
}
