import { afterEach, beforeEach, describe } from '@jest/globals'
import type { Catalog } from '../../shared/ports/catalog.js'
import { catalogUnderTest } from './catalog/catalog-under-test.js'
import { datasetReader } from './catalog/dataset-reader.js'
import { deadLetters } from './catalog/dead-letters.js'
import { distinctLists } from './catalog/distinct-lists.js'
import { findSkillAndNearMatches } from './catalog/find-skills.js'
import { listSkills } from './catalog/list-skills.js'
import { locks } from './catalog/locks.js'
import { recordWriter } from './catalog/record-writer.js'
import { skillTexts } from './catalog/skill-texts.js'
import { starHistories } from './catalog/star-histories.js'
import { stateStore } from './catalog/state-store.js'

/**
 * The contract of every Catalog, port by port.
 *
 * @param open opens an empty catalog
 */
export function catalogContract(name: string, open: () => Promise<Catalog>): void {
  describe(`catalog: ${name}`, () => {
    let catalog: Catalog
    beforeEach(async () => {
      catalog = await open()
    })
    afterEach(() => catalog.close())

    const underTest = catalogUnderTest(() => catalog)
    recordWriter(underTest)
    listSkills(underTest)
    distinctLists(underTest)
    findSkillAndNearMatches(underTest)
    datasetReader(underTest)
    skillTexts(underTest)
    starHistories(underTest)
    stateStore(underTest)
    deadLetters(underTest)
    locks(underTest)
  })
}
