import type { Skill } from '../records/skill.js'
import type { Lock, SkillFilters, SkillSort } from './catalog-store.js'

/** A published skill as the index takes it. */
export interface SearchDocument {
  id: string
  /** SHA-256 (hex) of the public fields: equal hashes mean equal content. */
  contentHash: string
  skill: Skill
}

/** The fields that facets count. */
export const facetNames = ['topics', 'owner', 'license', 'language'] as const
export type FacetName = (typeof facetNames)[number]

export interface SearchQuery {
  /** The user's words, trimmed, 1–200 characters. Quotes mean a phrase, a leading `-` excludes; all else is plain text. */
  text: string
  filters: SkillFilters
  sort: 'relevance' | SkillSort
  order: 'asc' | 'desc'
  /** 1–100. */
  limit: number
  /** `offset + limit` is at most 1,000. */
  offset: number
  facets: FacetName[]
  /** Whether to report where the words were found. */
  highlight: boolean
}

/** A stretch of a text, in UTF-16 code units. */
export interface Match {
  start: number
  length: number
}

export interface SearchHit {
  skill: Skill
  /**
   * 0–1: how well the words fit, by the published ranking; equal fits are equal, stars do not count.
   * Null when the order is not by relevance.
   */
  score: number | null
  /** Where the words were found, by field; for `topics` one list per topic. Null unless asked for. */
  matches: ({ [field in 'name' | 'repo' | 'owner' | 'description']?: Match[] } & { topics?: Match[][] }) | null
}

export interface FacetCount {
  value: string
  count: number
}

export interface SearchPage {
  /** This page's hits, best first. */
  hits: SearchHit[]
  /** All matches: exact up to 1,000, at least 1,000 beyond. */
  total: number
  /** For each facet asked for, its most frequent values among all matches, at most 20. */
  facets: { [name in FacetName]?: FacetCount[] }
}

/** What could not be written, and why: the index refuses these documents as they are, and holds none of them. */
export interface ApplyOutcome {
  rejected: { id: string; reason: string }[]
}

/** One of the two copies: `live` answers searches, `next` is being built beside it. */
export type IndexTarget = 'live' | 'next'

/** Of the lock that a writer must hold: asked just before each single request that writes. */
export type Fence = Pick<Lock, 'epoch' | 'check'>

/**
 * The published skills, made searchable. Holds nothing that the catalog does not hold, and can be rebuilt from it.
 *
 * Every method throws AppError `search_unavailable` (503) when the index does not answer in time.
 */
export interface SearchIndex {
  /** Finds published skills, best match first, by the ranking that the README publishes. */
  search(query: SearchQuery): Promise<SearchPage>

  /**
   * Completes what is being typed into a search box: the published skill whose `owner/repo`, and the most popular one
   * whose name or repository, is just the text; then those whose id begins with it; then those with all of its words in
   * name or repository, and at last also in the owner, the last word perhaps half typed. The most popular first. Where
   * there is none, skills in whose name or repository all words are found when one typo is forgiven.
   *
   * @param text 1–200 characters, trimmed; nothing in it is syntax
   * @param limit 1–10
   */
  suggest(text: string, limit: number): Promise<Skill[]>

  /** How many documents one `apply` takes to its advantage. */
  readonly documentsPerApply: number

  /** How many `apply` of different ids may be under way at a time to its advantage. */
  readonly appliesAtOnce: number

  /**
   * Replaces and deletes documents whole; resolves when all of it, but for what was rejected, can be found. Running it
   * twice is harmless.
   *
   * @throws AppError `lock_lost` (409) when the fence is another's by now; so do `createNext` and `swap`
   */
  apply(
    changes: { publish: SearchDocument[]; remove: string[] },
    target?: IndexTarget,
    fence?: Fence,
  ): Promise<ApplyOutcome>

  /**
   * Looks for writes into the live index that arrived behind newer ones: let through by their fence, and delayed on
   * their way for so long that another holder has written since. What they left may be out of date.
   *
   * @param position what was returned the last time; null: begin
   * @returns how many there were since, all of which have come into effect; and where to go on
   */
  lateWrites(position: string | null): Promise<{ count: number; position: string | null }>

  /** What the index holds, by id after `afterId`: for comparing it with the catalog. */
  list(afterId: string | null, limit: number, target?: IndexTarget): Promise<{ id: string; contentHash: string }[]>

  /** Makes an empty `next`, with the present settings, dropping one that was left behind. */
  createNext(fence?: Fence): Promise<void>

  /** Makes `next` the live index, in one step, and drops the old one. */
  swap(fence?: Fence): Promise<void>

  /** How many documents are live, and the fingerprint of the settings they were indexed with (null: never built). */
  status(): Promise<{ documents: number; settings: string | null }>

  close(): Promise<void>
}
