import type { SearchDocument, SearchIndex, SearchQuery } from '../../../shared/ports/search-index.js'
import { type StoredSkill, toPublicSkill } from '../../../shared/records/skill.js'
import { aSkill } from '../../support/factories.js'

/** The document of a skill, its hash made of all of it. */
export const documentOf = (skill: StoredSkill): SearchDocument => ({
  id: skill.id,
  contentHash: `hash of ${JSON.stringify(skill)}`,
  skill: toPublicSkill(skill),
})

/** The index of the test that runs, and short ways to fill and to ask it. */
export type IndexUnderTest = ReturnType<typeof indexUnderTest>

/**
 * Adds short ways to fill and to ask an index.
 *
 * @param index tells the index of the test that runs
 */
export function indexUnderTest(index: () => SearchIndex) {
  const publish = (...skills: Partial<StoredSkill>[]) =>
    index().apply({ publish: skills.map((skill) => documentOf(aSkill(skill))), remove: [] })
  const search = (text: string, query: Partial<SearchQuery> = {}) =>
    index().search({
      text,
      filters: {},
      sort: 'relevance',
      order: 'desc',
      limit: 20,
      offset: 0,
      facets: [],
      highlight: false,
      ...query,
    })
  const found = async (text: string, query: Partial<SearchQuery> = {}) =>
    (await search(text, query)).hits.map((hit) => hit.skill.repo)

  return { index, publish, search, found }
}
