import { createHash } from 'node:crypto'
import { canonicalJson } from './text/canonical-json.js'

/**
 * What makes a search find what it finds, as data for every index adapter. A change of anything here changes the
 * fingerprint, and the index is rebuilt by itself.
 */
export const searchSettings = {
  /** Raised when the way texts are taken apart, or tables are laid out, changes. */
  version: 4,
  /** Where words are looked for, most telling first; fields of one group count alike. */
  fieldGroups: [['name', 'repo'], ['topics'], ['description', 'owner']],
  /** Words of at least this many letters forgive so many typos. */
  typos: { one: 5, two: 9 },
  /** How many search results can be reached. */
  maxReach: 1_000,
  /** Totals are counted up to here; a search that matches more says this many. */
  counted: 10_000,
} as const

/** SHA-256 (hex) of the settings: an index whose fingerprint differs was built with others. */
export const searchSettingsFingerprint = createHash('sha256').update(canonicalJson(searchSettings)).digest('hex')
