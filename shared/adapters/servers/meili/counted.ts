import type { SearchPage } from '../../../ports/search-index.js'
import { searchSettings } from '../../../search-settings.js'

/** The total of a page: matches are counted up to the reach of pages. */
export const counted = (total: number): Pick<SearchPage, 'total' | 'totalIsLowerBound'> => ({
  total: Math.min(total, searchSettings.maxReach),
  totalIsLowerBound: total >= searchSettings.maxReach,
})
