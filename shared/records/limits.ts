/**
 * The maximum length of each field. An import and the reader of other applications' documents shorten a longer text; a
 * longer content or id is rejected.
 */
export const maxCharacters = {
  /** An owner's or a repository's name. */
  segment: 100,
  /** The name of one of several skills of a repository: https://agentskills.io/specification */
  skill: 64,
  /** A folder in a repository. */
  path: 1_000,
  /** A URL. */
  address: 2_000,
  /** A skill's name. */
  name: 200,
  description: 10_000,
  topic: 100,
  license: 200,
  language: 100,
  version: 100,
  promptId: 200,
  promptTitle: 300,
  promptType: 50,
  /** A prompt's content, which is never shortened: half a prompt is a different one. */
  promptContent: 200_000,
  /** The name of a prompt's author. */
  handle: 100,
  organizationName: 300,
} as const

/** Topics of a record. */
export const maxTopics = 20

/** Former ids of a skill. */
export const maxFormerIds = 100
