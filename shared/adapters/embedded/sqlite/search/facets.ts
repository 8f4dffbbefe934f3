import type { FacetCount, FacetName } from '../../../../ports/search-index.js'
import type { PreparedSearch } from './read-ranks.js'
import type { Match } from './search.js'

/** Values returned of a facet. */
const maxFacetValues = 20

/** The most frequent values of a facet among the matches. */
export function facetCounts({ db, slot }: PreparedSearch, matches: Match[], facet: FacetName): FacetCount[] {
  const [value, more] = facet === 'topics' ? ['t.value', `, json_each(d.skill, '$.topics') t`] : [`d.${facet}`, '']
  return db
    .all(
      // Values that differ in case only are one value, as for filters.
      `SELECT min(${value}) AS value, count(*) AS count
       FROM json_each(?) m CROSS JOIN documents_${slot} d ON d.rank = m.value${more}
       WHERE ${value} IS NOT NULL GROUP BY lower(${value}) ORDER BY count(*) DESC, min(${value}) LIMIT ?`,
      [JSON.stringify(matches.map(({ rank }) => rank)), maxFacetValues],
    )
    .map((row) => ({ value: String(row['value']), count: Number(row['count']) }))
}
