import { hash } from 'node:crypto'
import { canonicalJson } from './text/format-numbers.js'

/** The settings that define what an index contains. Any change changes the fingerprint: the index is then rebuilt. */
const indexSettings = {
  /** Increased when the analysis of texts, or the layout of tables, changes. */
  version: 8,
  /** What of a text is embedded: most models read no more of it than these characters, the built-in one 200 tokens. */
  embeddedCharacters: 1_200,
  /** What the vector of a text counts in that of its skill, where the vector of the fields counts 1. */
  textInMeaning: 0.3,
  /** Words of at least this number of letters may have one or two typos. */
  typos: { one: 4, two: 9 },
} as const

/** The settings that define search results, for every index adapter. */
export const searchSettings = {
  ...indexSettings,
  /** What a word found in a field counts. */
  fields: { name: 1, repo: 1, topics: 0.9, description: 0.78, owner: 0.5 },
  /** What a word counts by how it was found. */
  kinds: { exact: 1, joined: 0.95, form: 0.55, split: 0.9, prefix: 0.8, synonym: 0.45, typo: 0.7 },
  /** What the closeness of neighbouring words of the query adds, at most, to a score of 1. */
  closeness: 0.4,
  /** What the share of a name that the query fills adds, at most. */
  filledName: 0.2,
  /** The weight of a last word that is matched as a beginning; less when it has one or two letters. */
  shortPrefix: 0.3,
  /** Added when a name begins with a word of the query. */
  beginning: 0.04,
  /** What a word loses, at most, by standing far from the start of its field. */
  early: 0.2,
  /** What the function words of a query add, at most. */
  functionWords: 0.1,
  /** Steps of a score from 0 to 1: skills within one are a tie, which stars break. */
  scoreSteps: 100,
  /** Words of a query that are searched: of more, the rarest. */
  maxConcepts: 10,
  /** The same of a task. */
  maxTaskConcepts: 40,
  /** Skills that are compared for a task: so many by their fields, by their texts and by their meaning. */
  maxTaskCandidates: 30,
  /** The last word is not taken for the beginning of others when at least this number of skills contain it. */
  finishedFrom: 5_000,
  /** Inflections of a word that are searched, the most frequent first. */
  maxForms: 8,
  /** Corrections of a misspelled word that are searched. */
  maxCorrections: 3,
  /** Words of a query that are joined to one. */
  maxJoined: 3,
  /** Skills with all words, the most starred first, whose fitness is compared; so many more with all words in the name. */
  maxWeighed: 60,
  /** Skills with some of the words follow when fewer than this have all: pages of any size agree. */
  enough: 20,
  /** Number of search results that pages reach, and that are counted. */
  maxReach: 1_000,
  /**
   * What the text of a skill and the cosine with its meaning above `minSimilarity` count, where the fit of its fields counts
   * 1; less where those of the best skill fit, see `fusionWeights`.
   */
  fusion: { text: 0.8, meaning: 0.85 },
  /**
   * Different stems of a usual text, and the share of a score that is divided by how many more a text has: more for a task,
   * of whose many words a long text has some by chance.
   */
  text: { usualStems: 210, lengthCounts: 0.4, lengthCountsForTask: 0.7 },
  /** The nearest skills that are found by meaning, besides those that are found by words. */
  maxNearest: 50,
  /** A skill whose meaning has a smaller cosine with that of a text is not near. */
  minSimilarity: 0.2,
} as const

/**
 * SHA-256 (hex) of the settings: an index with another fingerprint was built with other settings.
 *
 * @param model of the vectors; null: without vectors
 */
export const settingsFingerprint = (model: string | null): string =>
  hash('sha256', canonicalJson({ ...indexSettings, model }))
