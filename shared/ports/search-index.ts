import type { Skill } from '../records/skill.js'
import type { Vector } from './embedder.js'
import type { FacetName, SkillFilters, SkillSort } from './filter-table.js'
import type { Lock } from './locks.js'
import type { Distinctness } from './skill-reader.js'

/** A skill and what is searched of its SKILL.md, see `searchedText`; null: none is kept. */
export interface SkillWithText {
  skill: Skill
  text: string | null
}

/** A published skill as the index stores it. */
export interface SearchDocument extends SkillWithText {
  id: string
  /** See `contentHash`: equal for equal public content, except `indexedAt`. */
  contentHash: string
  /** The vector of the skill's texts, see `embeddedTexts`; null: it is found by its words only. */
  vector: Vector | null
}

/** With `distinct` the hits are the best one of each repository. */
export interface SearchQuery extends Distinctness {
  /** The user's words, trimmed, 1–2,000 characters. Quotes mean a phrase, a leading `-` excludes; all else is plain text, as is a task. */
  text: string
  filters: SkillFilters
  sort: 'relevance' | SkillSort
  order: 'asc' | 'desc'
  /** 1–100. */
  limit: number
  /** `offset + limit` is at most 1,000. */
  offset: number
  facets: FacetName[]
  /**
   * The meaning of the text, by the model of the index: skills that are near to it are found as well, or, where
   * `alone`, only these. Null: the words decide; so they do in another order than by relevance.
   */
  meaning: { vector: Vector; alone: boolean } | null
  /**
   * Whether skills whose text repeats that of a better hit are left out, see `copyKey`; by relevance nearly equal ones,
   * too, see `foldNearCopies`.
   */
  fold: boolean
  /** Whether to report the positions of the words. */
  highlight: boolean
  /** Whether to report why each hit stands where it does. */
  explain: boolean
}

/** A span of a text, in UTF-16 code units. */
export interface Span {
  start: number
  length: number
}

/** The searched fields of a skill. */
export const searchedFields = ['name', 'repo', 'topics', 'description', 'owner'] as const
export type SearchedField = (typeof searchedFields)[number]

/** How a word of a query is found in a text, the best first. */
export const matchKinds = ['exact', 'joined', 'form', 'split', 'prefix', 'synonym', 'typo'] as const
export type MatchKind = (typeof matchKinds)[number]

/** Why a hit stands where it does: the first of the ranking's rules that applies, best first. */
export const placements = ['owner/repo', 'name', 'all words', 'some words', 'text', 'meaning'] as const
export type Placement = (typeof placements)[number]

/** How a word of the query was found in a skill. */
export interface FoundWord {
  /** The word, or the phrase, of the query, folded. */
  word: string
  /** How it was found, and in which field: where it counts most, or only in its text; null: it was not found. */
  match: { kind: MatchKind; field: SearchedField | 'text' } | null
}

export interface SearchHit {
  /** The published skill as JSON: passed on as it was stored. */
  record: string
  /**
   * 0–1: how well the skill fits, by the published ranking; equal fits are equal, stars do not count.
   * Null when the order is not by relevance.
   */
  score: number | null
  /** Positions of the words, by field; for `topics` one list per topic. Null unless requested. */
  matches: ({ [field in 'name' | 'repo' | 'owner' | 'description']?: Span[] } & { topics?: Span[][] }) | null
  /** Null unless requested. */
  explanation: {
    placement: Placement
    words: FoundWord[]
    /** The cosine between the meanings of text and skill; null: it is not one of the nearest. */
    similarity: number | null
  } | null
  /**
   * The other skills with its text, or nearly so, that the filters admit, which are left out; 0 where the search shows
   * copies.
   */
  duplicates: number
  /** The stems of the query's words that its SKILL.md has and no searched field of its record; empty: there is none. */
  textWords: string[]
  /** The other hits in its repository, of those that were counted; null where each hit is shown. */
  others: number | null
}

export interface FacetCount {
  value: string
  count: number
}

export interface SearchPage {
  /** This page's hits, best first. */
  hits: SearchHit[]
  /**
   * The matches that were counted: at most 1,000, and those of the requested page. Where the query is distinct, their
   * repositories.
   */
  total: number
  /** Whether there may be more than `total`. */
  totalIsLowerBound: boolean
  /** The most frequent values of each requested facet among all matches, at most 20. */
  facets: { [name in FacetName]?: FacetCount[] }
  /** False: the meaning did not count, since none was given or the index has no vectors of its model. */
  byMeaning: boolean
}

/** A skill that is near to another one. */
export interface RelatedSkill {
  /** The published skill as JSON, as it was stored. */
  record: string
  /** The cosine between the meanings of the two. */
  similarity: number
}

/** Documents that the index rejected, and the reasons; it holds none of them. */
export interface ApplyOutcome {
  rejected: { id: string; reason: string }[]
}

/** One of the two copies: `live` answers searches, `next` is being built next to it. */
export type IndexTarget = 'live' | 'next'

/**
 * Finds published skills. Holds only data of the catalog, and can be rebuilt from it.
 *
 * Every method throws AppError `search_unavailable` (503) when the index does not answer in time.
 */
export interface SearchIndex {
  /** Finds published skills, best match first, by the ranking of `docs/ranking.md`. */
  search(query: SearchQuery): Promise<SearchPage>

  /**
   * Completes text being typed into a search box: the published skill whose `owner/repo`, and the most popular one
   * whose name or repository, equals the text; then those whose id begins with it; then those with all of its words in
   * name or repository, and last also in the owner, the last word perhaps half typed, ordered as in a search. Where no
   * name has them, the skills that a search finds with all words.
   *
   * @param text 1–200 characters, trimmed; nothing in it is syntax
   * @param limit 1–10
   */
  suggest(text: string, limit: number): Promise<Skill[]>

  /**
   * The published skills that are nearest in meaning to this one, the nearest first, without itself; of skills with the
   * same text only the best. Empty where the index has no vector of it.
   *
   * @param limit 1–50
   */
  related(id: string, limit: number): Promise<RelatedSkill[]>

  /** The number of live documents, and the fingerprint of the settings they were indexed with (null: never built). */
  status(): Promise<{ documents: number; settings: string | null }>

  close(): Promise<void>
}

/**
 * One of the servers that hold the whole index, or the only one: jobs write to each by itself.
 *
 * Every method throws AppError `search_unavailable` (503) when the index does not answer, and `lock_lost` (409) when
 * the lock that it is called under has expired.
 */
export interface IndexReplica extends SearchIndex {
  /** The URL of one of several servers, by which its state is kept; absent: it is the only one. */
  readonly address?: string

  /** Whether one of several servers has failed within the last seconds: jobs leave it alone for the moment. */
  readonly isFailing?: boolean

  /** The fingerprint of the settings that it creates indexes with, the model of its vectors included. */
  readonly settings: string

  /** The best number of documents for one `apply`. */
  readonly documentsPerApply: number

  /** The best number of concurrent `apply` calls with different ids. */
  readonly appliesAtOnce: number

  /**
   * Replaces and deletes whole documents; resolves when the changes are searchable, except rejected documents.
   * Idempotent.
   */
  apply(
    changes: { publish: SearchDocument[]; remove: string[] },
    target: IndexTarget,
    lock: Lock,
  ): Promise<ApplyOutcome>

  /** The documents of an index, by id after `afterId`: for comparisons. */
  list(afterId: string | null, limit: number, target: IndexTarget): Promise<{ id: string; contentHash: string }[]>

  /**
   * The vectors that either index already has of these texts, by id, so that nothing is embedded twice.
   *
   * @param skills as they are to be published: a vector of an earlier text is not returned
   */
  knownVectors(skills: SkillWithText[]): Promise<Map<string, Vector>>

  /** Creates an empty `next` with the current settings, and drops an older one. */
  createNext(lock: Lock): Promise<void>

  /** Makes `next` the live index, in one step, and drops the old one. */
  swap(lock: Lock): Promise<void>
}

/** Every server that holds the index. */
export type IndexReplicas = readonly [IndexReplica, ...IndexReplica[]]
