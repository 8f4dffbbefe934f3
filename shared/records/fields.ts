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

/** The maximum nesting of objects and lists in one record, itself included. MongoDB stores 100 levels. */
export const maxNesting = 64

/** Topics of a record. */
export const maxTopics = 20

/** Former ids of a skill. */
export const maxFormerIds = 100

/** The pattern of an owner's or a repository's name. */
export const segmentPattern = `[A-Za-z0-9._-]{1,${maxCharacters.segment}}`

const segment = new RegExp(`^${segmentPattern}$`)

/** The same pattern in words, for messages. */
export const segmentRule = `must be 1 to ${maxCharacters.segment} letters, digits, dots, underscores or hyphens`

/** Whether this can be the name of an owner or a repository. Only dots cannot: they are relative paths. */
export const isSegment = (text: string): boolean => segment.test(text) && !/^\.+$/.test(text)

/** The name of a skill: https://agentskills.io/specification */
export const skillNamePattern = new RegExp(`^(?=.{1,${maxCharacters.skill}}$)[a-z0-9]+(?:-[a-z0-9]+)*$`)

/** Whether this is the name of a skill, as the specification has it. */
export const isSkillName = (text: string): boolean => skillNamePattern.test(text)

/** The pattern of the second segment of a skill's address: its repository, and which of its skills, in any case. */
export const skillSegmentPattern = `${segmentPattern}(?:@[A-Za-z0-9-]{1,${maxCharacters.skill}})?`

const isName = (name: string): boolean => !/^\.{0,2}$|[\\\p{Cc}]/u.test(name)

/** Whether this can be the path of a folder in a repository, without slashes around it; empty: its root. */
export const isFolderPath = (path: string): boolean =>
  path.length <= maxCharacters.path && (path === '' || path.split('/').every(isName))

/** The name of a user, which is never an e-mail address. */
export const handlePattern = new RegExp(`^[^\\s@]{1,${maxCharacters.handle}}$`)

/** An http or https URL. */
export const webAddressPattern = /^https?:\/\/[^\s<>"]+$/i

/** Whether this can be stored as an address. */
export const isWebAddress = (text: string): boolean =>
  text.length <= maxCharacters.address && webAddressPattern.test(text)

export const recordStates = ['published', 'hidden', 'removed'] as const

/** The state of a record: only `published` records are listed, found, counted and exported. */
export type RecordState = (typeof recordStates)[number]

export const isRecordState = (text: string): text is RecordState => recordStates.some((state) => state === text)
