import { id, type KnownQuery, key, query, state } from './known-query.js'
import type { Condition } from './mongo-sent-queries.js'

const trend = '_catalog.trend'

const filterPaths = ['owner', 'topics', 'license', 'language', 'archived', 'stars', 'updated'].map(key)

/** The pages of the list in one order: they begin at a value, after an id with this value, or have no value. */
const pagesBy = (name: string): KnownQuery[] => {
  const [path, index] = [key(name), `catalog_by_${name}`]
  // Skills without a trend follow by their stars.
  const rest = name === 'stars' ? [trend, ...filterPaths] : filterPaths
  const page = (value: Condition, idCondition: Record<string, Condition>, sort: Record<string, number>) =>
    query('skills', 'find', { [state]: '=', [path]: value, ...idCondition }, index, 'a page', ['request', 'job'], {
      rest,
      sort,
      isLimited: true,
    })
  const direction = name === 'name' ? 1 : -1
  return [
    page('<', {}, { [path]: direction, [id]: 1 }),
    page('0', {}, { [id]: 1 }),
    // Every skill has a name.
    ...(name === 'name' ? [] : [page('0', { [id]: '<' }, { [id]: 1 })]),
    page('=', { [id]: '<' }, { [id]: 1 }),
    ...[{ [path]: '<' } as const, { [path]: '=', [id]: '<' } as const].map((values) =>
      query('skills', 'count', { [state]: '=', ...values }, index, 'as many as the page skips', ['request'], {
        rest,
        isLimited: true,
      }),
    ),
  ]
}

/** The same by trend: its index leaves out the skills without one, which are listed by stars. */
const pagesByTrend: KnownQuery[] = [
  ...[{ [trend]: '<' } as const, { [trend]: '=', [id]: '<' } as const].map((values) =>
    query('skills', 'find', { [state]: '=', ...values }, 'catalog_by_trend', 'a page', ['request'], {
      rest: filterPaths,
      sort: trend in values && id in values ? { [id]: 1 } : { [trend]: -1, [id]: 1 },
      isLimited: true,
    }),
  ),
  ...[{ [trend]: '<' } as const, { [trend]: '=', [id]: '<' } as const].map((values) =>
    query(
      'skills',
      'count',
      { [state]: '=', ...values },
      'catalog_by_trend',
      'as many as the page skips',
      ['request'],
      {
        isLimited: true,
      },
    ),
  ),
]

/** At most 10,001 documents are counted for the total of a list. */
const totalBy = (name: string, condition: Condition, index = `catalog_of_${name}`): KnownQuery =>
  query('skills', 'count', { [state]: '=', [key(name)]: condition }, index, 'until 10,001 are found', ['request'], {
    rest: filterPaths,
    isLimited: true,
  })

/** A list of one skill of each repository: its pages read on until they are full, in batches. */
const distinctPagesBy = (name: string): KnownQuery[] =>
  (name === 'trend' ? pagesByTrend : pagesBy(name))
    .filter(({ commands }) => commands.includes('find'))
    .map((known) => ({ ...known, reads: 'batches until a page is full', purposes: ['request'], isLimited: false }))

const ofRepositories: KnownQuery[] = [
  ...['updated', 'stars', 'created', 'name', 'trend'].flatMap(distinctPagesBy),
  ...(['=', '<'] as const).map((condition) =>
    query(
      'skills',
      'find',
      { [state]: '=', [id]: condition },
      'catalog_states',
      'skills of 200 repositories',
      ['request'],
      {
        rest: filterPaths,
      },
    ),
  ),
  query('skills', 'aggregate', { [state]: '=' }, 'catalog_states', '100,001 skills', ['request'], {
    rest: filterPaths,
    isLimited: true,
  }),
]

/** The queries of the list of skills. */
export const lists: KnownQuery[] = [
  ...ofRepositories,
  ...['updated', 'stars', 'created', 'name'].flatMap(pagesBy),
  ...pagesByTrend,
  ...['owner', 'topics', 'license', 'language', 'archived'].map((name) => totalBy(name, '=')),
  totalBy('stars', '<', 'catalog_by_stars'),
  totalBy('updated', '<', 'catalog_by_updated'),
  query('skills', 'count', {}, 'none', 'no document: MongoDB notes the size of a collection', ['request']),
  query('skills', 'count', { [state]: '=' }, 'catalog_states', 'until 10,001 are found', ['request'], {
    // Most skills are not archived.
    rest: [key('archived')],
    isLimited: true,
  }),
]
