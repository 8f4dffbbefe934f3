import type { Catalog } from '../../../shared/ports/catalog.js'
import type { ListPosition, SkillListQuery } from '../../../shared/ports/skill-reader.js'
import { skillOf } from '../../../shared/records/skill.js'

/** The store of the test that runs, and short ways to ask it. */
export type CatalogUnderTest = ReturnType<typeof catalogUnderTest>

/**
 * Adds short functions to query a store.
 *
 * @param catalog returns the store of the running test
 */
export function catalogUnderTest(catalog: () => Catalog) {
  const list = async (query: Partial<SkillListQuery> = {}) => {
    const page = await catalog().listSkills({ filters: {}, sort: 'updated', order: 'desc', limit: 20, ...query })
    return { ...page, skills: page.skills.map(skillOf) }
  }
  const ids = async (query: Partial<SkillListQuery> = {}) => (await list(query)).skills.map((skill) => skill.id)

  /** Every id, page by page; `between` runs after each page. */
  async function walk(query: Partial<SkillListQuery>, between: () => Promise<unknown> = async () => {}) {
    const seen: string[] = []
    let after: ListPosition | null | undefined
    while (after !== null) {
      const page = await list({ ...query, ...(after === undefined ? {} : { after }) })
      seen.push(...page.skills.map((skill) => skill.id))
      after = page.next
      await between()
    }
    return seen
  }

  return { catalog, list, ids, walk }
}
