import { z } from 'zod'

/** A point in time as the API shows it: ISO-8601, UTC, milliseconds. */
export const Timestamp = z.iso.datetime({ precision: 3 }).describe('ISO-8601 UTC with milliseconds')

/** The form of an owner's or a repository's name, for regular expressions and in words. */
export const segmentPattern = '[A-Za-z0-9._-]{1,100}'

export const segmentRule = 'must be 1 to 100 letters, digits, dots, underscores or hyphens'

/** An owner's or a repository's name: also the only form a path segment of the API may have. */
export const PathSegment = z.string().regex(new RegExp(`^${segmentPattern}$`), segmentRule)

/** A web address; nothing that a browser would run. */
export const WebAddress = z
  .string()
  .max(2_000)
  .regex(/^https?:\/\/[^\s<>"]+$/i, 'must be an http or https address')

/** A single line of text; control characters never reach the store. */
export const Line = (maxLength: number) => z.string().min(1).max(maxLength)

/** The most characters of a short text, and of a description. */
export const longestLine = 200
export const longestDescription = 10_000

/** The most topics that a record keeps, and the longest that one may be. */
export const mostTopics = 20
export const longestTopic = 100

/** Topics of a record: lower case, each once. */
export const Topics = z.array(z.string().min(1).max(longestTopic)).max(mostTopics)

/** Where a record stands: only `published` ones are listed, found, counted and exported. */
export const RecordState = z.enum(['published', 'hidden', 'removed'])
export type RecordState = z.infer<typeof RecordState>

/** What every stored record carries beside its public fields. */
export const lifecycle = {
  state: RecordState,
  /** When the tombstone was set; null unless `state` is `removed`. */
  removedAt: Timestamp.nullable(),
}
