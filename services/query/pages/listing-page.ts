import { OneOf, WholeNumber } from '../http/parameters.js'
import type { Ask, ListAnswer, SearchAnswer } from '../web/api/answers.js'
import { isDistinct } from '../web/components/listing.js'

/** Pages with 20 skills each, within the rows that pages by number reach. */
const maxPage = 500

/** The number of a page of a list. */
export const PageOfPages = WholeNumber(1, maxPage)

/** Its description. */
export const pageOfPages = `number of the page, 1 to ${maxPage}`

/** The parameters of a page that lists skills. */
export const listingParameters = {
  sort: OneOf(['stars', 'trending', 'updated', 'created', 'name'])
    .default('stars')
    .describe('the order of the skills; without a value they come last'),
  page: PageOfPages.default(1).describe(pageOfPages),
}

/** Values of a facet that a page shows. */
const shownValues = 12

/** The skills of a page, and the most frequent values of their facets; these are empty when the search cannot answer. */
export async function readListing(
  ask: Ask,
  filter: { owner: string } | { topic: string },
  { sort, page }: { sort: string; page: number },
): Promise<{ list: ListAnswer; valuesOf: (facet: string) => string[] }> {
  const narrowed = new URLSearchParams(filter)
  const distinct = isDistinct(sort) ? { distinct: 'repository' } : {}
  const listed = new URLSearchParams({ ...filter, sort, page: String(page), ...distinct })
  // Every skill has its owner and its topics among its words.
  const counted = new URLSearchParams({ ...filter, q: String([...narrowed.values()][0]), mode: 'keyword', limit: '1' })
  counted.set('facets', 'topics,owner,language')
  const [list, facets] = await Promise.all([
    ask<ListAnswer>(`/api/v1/skills?${listed}`),
    ask<SearchAnswer>(`/api/v1/skills/search?${counted}`).then(
      (answer) => answer.facets,
      () => undefined,
    ),
  ])
  return { list, valuesOf: (facet) => (facets?.[facet] ?? []).slice(0, shownValues).map(({ value }) => value) }
}
