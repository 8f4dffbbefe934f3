import { createHash, hash } from 'node:crypto'
import type { Settings } from 'meilisearch'
import type { Embedder } from '../../../ports/embedder.js'
import { type ComparedField, comparisonOf, type FilterRow, filterRows, sortRows } from '../../../ports/filter-table.js'
import type { SearchedField } from '../../../ports/search-index.js'
import type { Synonyms } from '../../../ranking/other-words.js'
import { searchSettings, settingsFingerprint } from '../../../search-settings.js'
import { stemOf } from '../../../text/analyze.js'
import { canonicalJson } from '../../../text/format-numbers.js'

/** The attributes with the words of fields, the most important first, and the fields whose words each has. */
export const wordAttributes = {
  words_name: ['name', 'repo'],
  words_topics: ['topics'],
  words_text: ['description', 'owner'],
} as const satisfies Record<string, readonly SearchedField[]>

/** The attribute with the words of texts. Spelling is not looked up in it. */
export const textAttribute = 'stems'

/** A name for the vectors of a model: those of different models have different names, and are never compared. */
export const embedderName = (model: string): string => `e${hash('sha256', model).slice(0, 16)}`

/** The attribute that filters or orders compare in place of a field. */
export const attributeOf = ({ field, kind }: ComparedField): string =>
  kind === 'time' ? `${field}Ms` : kind === 'folded' ? `${field}Key` : field

const filtered = (comparison: boolean, ...attributePatterns: string[]) => ({
  attributePatterns,
  features: { facetSearch: false, filter: { equality: true, comparison } },
})

/** The synonyms by the stems that queries consist of. Documents have stems of single words, and phrases as written. */
function synonymSettings(synonyms: Synonyms): Record<string, string[]> {
  const found = (name: readonly string[]) => (name.length === 1 ? name.map(stemOf) : name).join(' ')
  return Object.fromEntries(
    synonyms.names.map((name) => [name.map(stemOf).join(' '), synonyms.of(name).map(found)] as const),
  )
}

const isEqual = (row: FilterRow): boolean => comparisonOf(row) === '='

const isRange = (row: FilterRow): boolean => !isEqual(row)

/** The settings that no operator changes. */
const settings = {
  searchableAttributes: [...Object.keys(wordAttributes), textAttribute],
  filterableAttributes: [
    filtered(true, 'id', ...filterRows().filter(isRange).map(attributeOf)),
    filtered(false, ...filterRows().filter(isEqual).map(attributeOf), 'idHash', 'nameHashes', 'copyKey'),
    filtered(false, 'nameWords', 'ownerWords'),
  ],
  sortableAttributes: ['id', 'rank', ...sortRows().map(attributeOf)],
  // Sorted by a column if requested; else as candidates for the published ranking. The position of a word within its
  // field does not count.
  rankingRules: ['sort', 'words', 'typo', 'proximity', 'attributeRank', 'exactness', 'rank:asc'],
  typoTolerance: {
    minWordSizeForTypos: { oneTypo: searchSettings.typos.one, twoTypos: searchSettings.typos.two },
    disableOnNumbers: true,
    disableOnAttributes: [textAttribute],
  },
  // Sorted by count, Meilisearch compares every value of the index with the matches; copies are counted for each search.
  faceting: { maxValuesPerFacet: 100, sortFacetValuesBy: { '*': 'count', copyKey: 'alpha' } },
  pagination: { maxTotalHits: searchSettings.maxReach },
  facetSearch: false,
} satisfies Settings

/**
 * The fingerprint of the settings is stored as a stop word, so that it moves with the index in a swap. No query contains
 * that word.
 */
const fingerprintPrefix = 'settings='

/** Raised when the documents of this adapter change: indexes are then rebuilt. */
const layout = 11

/** The settings of every index. */
export class IndexSettings {
  /** The fingerprint of the settings, equal to that of other adapters for equal settings. */
  readonly fingerprint: string
  readonly #all: Settings
  readonly #embedder: Pick<Embedder, 'model' | 'dimensions'> | null
  /** The fingerprint of this adapter's own settings as well. */
  readonly #ownFingerprint: string

  constructor(synonyms: Synonyms, embedder: Pick<Embedder, 'model' | 'dimensions'> | null) {
    this.#all = { ...settings, synonyms: synonymSettings(synonyms) }
    this.#embedder = embedder
    this.fingerprint = settingsFingerprint(embedder?.model ?? null)
    this.#ownFingerprint = createHash('sha256')
      .update(canonicalJson({ layout, settings: this.#all, shared: this.fingerprint }))
      .digest('hex')
  }

  /**
   * The settings of an index, with its fingerprint.
   *
   * @throws the embedder's error when it does not report its dimensions
   */
  async complete(): Promise<Settings> {
    const embedders =
      this.#embedder === null
        ? {}
        : {
            embedders: {
              [embedderName(this.#embedder.model)]: {
                source: 'userProvided' as const,
                dimensions: await this.#embedder.dimensions(),
              },
            },
          }
    return { ...this.#all, ...embedders, stopWords: [`${fingerprintPrefix}${this.#ownFingerprint}`] }
  }

  /** The settings of an index without vectors. It has no fingerprint, so that the next sync builds it again. */
  withoutVectors(): Settings {
    return this.#all
  }

  /**
   * The fingerprint of the settings that an index was built with.
   *
   * @param stopWords of the index
   * @returns null when the index has none
   */
  fingerprintIn(stopWords: string[]): string | null {
    const stored = stopWords.find((word) => word.startsWith(fingerprintPrefix))?.slice(fingerprintPrefix.length)
    return stored === this.#ownFingerprint ? this.fingerprint : (stored ?? null)
  }
}
