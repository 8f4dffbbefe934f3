import { createHash } from 'node:crypto'
import { canonicalJson } from './text/canonical-json.js'

/**
 * The settings that define search results, for every index adapter. Any change changes the fingerprint, and the index is
 * rebuilt automatically.
 */
export const searchSettings = {
  /** Increased when the analysis of texts, or the layout of tables, changes. */
  version: 4,
  /** The searched fields, most important first; fields of one group are equal. */
  fieldGroups: [['name', 'repo'], ['topics'], ['description', 'owner']],
  /** Words of at least this number of letters tolerate one or two typos. */
  typos: { one: 5, two: 9 },
  /** Number of search results that pages reach. */
  maxReach: 1_000,
  /** Totals are counted up to this number; a search with more matches returns this number. */
  counted: 10_000,
} as const

/** SHA-256 (hex) of the settings: an index with another fingerprint was built with other settings. */
export const searchSettingsFingerprint = createHash('sha256').update(canonicalJson(searchSettings)).digest('hex')
