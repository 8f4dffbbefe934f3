import type { SearchIndex, SearchQuery } from '../../../shared/ports/search-index.js'
import type { StoredSkill } from '../../../shared/records/skill.js'
import { aDocument, aQuery } from '../../support/factories.js'

/** The index of the test that runs, and short ways to fill and to ask it. */
export type IndexUnderTest = ReturnType<typeof indexUnderTest>

/**
 * Adds short ways to fill and to ask an index.
 *
 * @param index tells the index of the test that runs
 */
export function indexUnderTest(index: () => SearchIndex) {
  const publish = (...skills: Partial<StoredSkill>[]) => index().apply({ publish: skills.map(aDocument), remove: [] })
  const search = (text: string, query: Partial<SearchQuery> = {}) => index().search(aQuery(text, query))
  const found = async (text: string, query: Partial<SearchQuery> = {}) =>
    (await search(text, query)).hits.map((hit) => hit.skill.repo)

  return { index, publish, search, found }
}
