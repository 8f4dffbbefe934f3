import type { FacetCount, FacetName } from '../../../../ports/search-index.js'
import { documentsWithSkills } from './index-tables.js'
import type { PreparedSearch } from './read-ranks.js'
import type { Match } from './search.js'

/** Values returned of a facet. */
const maxFacetValues = 20

/** The value of a facet of a skill `s`, and what is joined for it. */
const values: Record<FacetName, [value: string, more: string]> = {
  topics: ['t.value', ` CROSS JOIN json_each(s.record, '$.topics') t`],
  owner: [`substr(s.id, 1, instr(s.id, '/') - 1)`, ''],
  license: [`s.record ->> 'license'`, ''],
  language: [`s.record ->> 'language'`, ''],
}

/** The most frequent values of a facet among the matches. */
export function facetCounts({ db }: PreparedSearch, matches: Match[], facet: FacetName): FacetCount[] {
  const [value, more] = values[facet]
  return db
    .all(
      // Values that differ in case only are one value, as for filters.
      `SELECT min(${value}) AS value, count(*) AS count
       FROM json_each(?) m CROSS JOIN ${documentsWithSkills}${more}
       WHERE d.rank = m.value AND ${value} IS NOT NULL GROUP BY lower(${value}) ORDER BY count(*) DESC, min(${value}) LIMIT ?`,
      [JSON.stringify(matches.map(({ rank }) => rank)), maxFacetValues],
    )
    .map((row) => ({ value: String(row['value']), count: Number(row['count']) }))
}
