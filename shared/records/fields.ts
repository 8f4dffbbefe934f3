import { z } from 'zod'

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

/** A time in the API: ISO-8601, UTC, milliseconds. */
export const Timestamp = z.iso.datetime({ precision: 3 }).describe('ISO-8601 UTC with milliseconds')

/** The pattern of an owner's or a repository's name. */
export const segmentPattern = `[A-Za-z0-9._-]{1,${maxCharacters.segment}}`

const segment = new RegExp(`^${segmentPattern}$`)

/** The same pattern in words, for messages. */
export const segmentRule = `must be 1 to ${maxCharacters.segment} letters, digits, dots, underscores or hyphens`

/** An owner's or a repository's name, also in paths of the API. */
export const PathSegment = z.string().regex(segment, segmentRule)

/** Whether this can be the name of an owner or a repository. Only dots cannot: they are relative paths. */
export const isSegment = (text: string): boolean => segment.test(text) && !/^\.+$/.test(text)

/** An owner's or a repository's name as it is stored. */
export const StoredSegment = PathSegment.refine(isSegment, segmentRule)

const skillName = new RegExp(`^(?=.{1,${maxCharacters.skill}}$)[a-z0-9]+(?:-[a-z0-9]+)*$`)

/**
 * The name by which one of several skills of a repository is known.
 *
 * @see https://agentskills.io/specification
 */
export const SkillName = z
  .string()
  .regex(
    skillName,
    `must be 1 to ${maxCharacters.skill} lower-case letters, digits and single hyphens, with a letter or digit at both ends`,
  )

/** Whether this is the name of a skill, as the specification has it. */
export const isSkillName = (text: string): boolean => skillName.test(text)

/** The pattern of the second segment of a skill's address: its repository, and which of its skills, in any case. */
export const skillSegmentPattern = `${segmentPattern}(?:@[A-Za-z0-9-]{1,${maxCharacters.skill}})?`

/** The second segment of a skill's address. */
export const SkillSegment = z
  .string()
  .regex(
    new RegExp(`^${skillSegmentPattern}$`),
    `${segmentRule}, and may have the name of one of its skills after an @`,
  )

const isName = (name: string): boolean => !/^\.{0,2}$|[\\\p{Cc}]/u.test(name)

/** Whether this can be the path of a folder in a repository, without slashes around it; empty: its root. */
export const isFolderPath = (path: string): boolean =>
  path.length <= maxCharacters.path && (path === '' || path.split('/').every(isName))

/** A folder in a repository. */
export const FolderPath = z
  .string()
  .refine(isFolderPath, `must be a folder of at most ${maxCharacters.path} characters, such as skills/pdf`)

/** A commit of git. */
export const Commit = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'must be the 40 or 64 digits of a commit')

/** A digest of bytes. */
export const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hexadecimal digits')

const webAddress = /^https?:\/\/[^\s<>"]+$/i

/** An http or https URL: nothing that a browser would execute. */
export const WebAddress = z.string().max(maxCharacters.address).regex(webAddress, 'must be an http or https address')

/** Whether the schema accepts this text. */
export const isWebAddress = (text: string): boolean => text.length <= maxCharacters.address && webAddress.test(text)

/** A single line of text. Its control characters are not checked here: readers of input remove them (`cleanLine`). */
export const Line = (maxLength: number) => z.string().min(1).max(maxLength)

/** Topics of a record: lower case, distinct. */
export const Topics = z.array(z.string().min(1).max(maxCharacters.topic)).max(maxTopics)

const states = ['published', 'hidden', 'removed'] as const

/** The state of a record: only `published` records are listed, found, counted and exported. */
export const RecordState = z.enum(states, {
  error: ({ input }) => (typeof input === 'string' ? `must be published, hidden or removed, not ${input}` : undefined),
})
export type RecordState = z.infer<typeof RecordState>

export const isRecordState = (text: string): text is RecordState => states.some((state) => state === text)

/** The fields of every stored record besides its public ones. */
export const lifecycle = {
  state: RecordState,
  /** When the tombstone was set; null unless `state` is `removed`. */
  removedAt: Timestamp.nullable(),
}

/** What a schema asks for, in words for an operator. */
const expectations: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

/**
 * What is wrong with a document, field by field, in words for the operator who is to repair it: `owner: is missing`.
 *
 * @param error of a parse that was given `faultInWords`
 */
export const faultsInWords = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${path.join('.') || 'document'}: ${message}`).join('; ')

/** Words for what a schema has none of its own for; undefined: the library's. */
export function faultInWords({ code, input, ...issue }: z.core.$ZodRawIssue): string | undefined {
  if (input === undefined) {
    return 'is missing'
  }
  if (code === 'invalid_type') {
    const expected = String(issue['expected'])
    return `must be ${expectations[expected] ?? expected}, not ${kindOf(input)}`
  }
  return undefined
}

function kindOf(value: unknown): string {
  if (value === null) {
    return 'null'
  }
  if (Array.isArray(value)) {
    return 'a list'
  }
  return typeof value === 'number' && !Number.isInteger(value)
    ? 'a fraction'
    : (expectations[typeof value] ?? typeof value)
}
