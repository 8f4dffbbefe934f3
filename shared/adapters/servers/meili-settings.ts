import { createHash } from 'node:crypto'
import type { Settings } from 'meilisearch'
import { searchSettings, searchSettingsFingerprint } from '../../search-settings.js'
import { canonicalJson } from '../../text/canonical-json.js'

/** The attribute that holds the words of a group of fields. */
export const wordsAttribute = (group: readonly string[]): string => `words_${group.join('_')}`

/** The attribute that holds the words of names and repositories. */
export const nameAttribute = wordsAttribute(searchSettings.fieldGroups[0])

const filtered = (comparison: boolean, ...attributePatterns: string[]) => ({
  attributePatterns,
  features: { facetSearch: false, filter: { equality: true, comparison } },
})

/** What every index of ours is set to. */
const settings = {
  searchableAttributes: searchSettings.fieldGroups.map(wordsAttribute),
  filterableAttributes: [
    filtered(true, 'id', 'stars', 'updatedAtMs'),
    filtered(false, 'owner', 'topics', 'license', 'language', 'archived', 'idHash', 'nameHashes'),
    filtered(false, 'nameWords', 'ownerWords'),
  ],
  sortableAttributes: ['id', 'rank', 'stars', 'nameKey', 'createdAtMs', 'updatedAtMs'],
  // By a column where one is asked for; else as published: which words, typos, closeness, field, exactness. In which
  // field, but not where in it: a name is not better for saying a word early.
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
 * Says within an index's own settings which ones they are, so that it moves with them in a swap: a stop word, which
 * holds no user's word and so stops none.
 */
const fingerprintMark = 'settings='

/**
 * Raised when the documents of this adapter change: its indexes are then rebuilt. 5: without e-mail addresses, also those
 * of skills that were indexed before.
 */
const layout = 5

const fingerprint = createHash('sha256')
  .update(canonicalJson({ layout, settings, shared: searchSettingsFingerprint }))
  .digest('hex')

/** The settings as they are sent, fingerprint included. */
export const indexSettings: Settings = { ...settings, stopWords: [`${fingerprintMark}${fingerprint}`] }

/**
 * The fingerprint, as every adapter gives it, of the settings that an index was built with.
 *
 * @param stopWords of that index
 * @returns null when it was never given ours
 */
export function fingerprintIn(stopWords: string[]): string | null {
  const kept = stopWords.find((word) => word.startsWith(fingerprintMark))?.slice(fingerprintMark.length)
  return kept === fingerprint ? searchSettingsFingerprint : (kept ?? null)
}
