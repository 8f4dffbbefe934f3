import { createHash } from 'node:crypto'
import type { Settings } from 'meilisearch'
import { searchSettings, searchSettingsFingerprint } from '../../../search-settings.js'
import { canonicalJson } from '../../../text/canonical-json.js'

/** The attribute with the words of a group of fields. */
export const wordsAttribute = (group: readonly string[]): string => `words_${group.join('_')}`

/** The attribute with the words of names and repositories. */
export const nameAttribute = wordsAttribute(searchSettings.fieldGroups[0])

const filtered = (comparison: boolean, ...attributePatterns: string[]) => ({
  attributePatterns,
  features: { facetSearch: false, filter: { equality: true, comparison } },
})

/** The settings of every index, without the fingerprint. */
const settings = {
  searchableAttributes: searchSettings.fieldGroups.map(wordsAttribute),
  filterableAttributes: [
    filtered(true, 'id', 'stars', 'updatedAtMs'),
    filtered(false, 'owner', 'topics', 'license', 'language', 'archived', 'idHash', 'nameHashes'),
    filtered(false, 'nameWords', 'ownerWords'),
  ],
  sortableAttributes: ['id', 'rank', 'stars', 'nameKey', 'createdAtMs', 'updatedAtMs'],
  // Sorted by a column if requested; else the published ranking: words, typos, proximity, field, exactness. The position
  // of a word within its field does not count.
  rankingRules: ['sort', 'words', 'typo', 'proximity', 'attributeRank', 'exactness', 'rank:asc'],
  typoTolerance: {
    minWordSizeForTypos: { oneTypo: searchSettings.typos.one, twoTypos: searchSettings.typos.two },
    disableOnNumbers: true,
  },
  faceting: { maxValuesPerFacet: 100, sortFacetValuesBy: { '*': 'count' } },
  pagination: { maxTotalHits: searchSettings.maxReach },
  facetSearch: false,
} satisfies Settings

/**
 * The fingerprint of the settings is stored as a stop word, so that it moves with the index in a swap. No query contains
 * that word.
 */
const fingerprintPrefix = 'settings='

/** Raised when the documents of this adapter change: indexes are then rebuilt. 5: without e-mail addresses. */
const layout = 5

const fingerprint = createHash('sha256')
  .update(canonicalJson({ layout, settings, shared: searchSettingsFingerprint }))
  .digest('hex')

/** The settings of every index, with the fingerprint. */
export const indexSettings: Settings = { ...settings, stopWords: [`${fingerprintPrefix}${fingerprint}`] }

/**
 * The fingerprint of the settings that an index was built with; equal to that of other adapters for equal settings.
 *
 * @param stopWords of the index
 * @returns null when the index has none
 */
export function fingerprintIn(stopWords: string[]): string | null {
  const stored = stopWords.find((word) => word.startsWith(fingerprintPrefix))?.slice(fingerprintPrefix.length)
  return stored === fingerprint ? searchSettingsFingerprint : (stored ?? null)
}
