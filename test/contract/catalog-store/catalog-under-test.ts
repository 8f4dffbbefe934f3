import type { CatalogStore, ListPosition, SkillListQuery } from '../../../shared/ports/catalog-store.js'

/** The store of the test that runs, and short ways to ask it. */
export type CatalogUnderTest = ReturnType<typeof catalogUnderTest>

/**
 * Adds short ways to ask a store.
 *
 * @param catalog tells the store of the test that runs
 */
export function catalogUnderTest(catalog: () => CatalogStore) {
  const list = (query: Partial<SkillListQuery> = {}) =>
    catalog().listSkills({ filters: {}, sort: 'updated', order: 'desc', limit: 20, ...query })
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
