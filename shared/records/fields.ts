import { z } from 'zod'
import { maxCharacters, maxTopics } from './limits.js'

/** A time in the API: ISO-8601, UTC, milliseconds. */
export const Timestamp = z.iso.datetime({ precision: 3 }).describe('ISO-8601 UTC with milliseconds')

/** The pattern of an owner's or a repository's name. */
export const segmentPattern = `[A-Za-z0-9._-]{1,${maxCharacters.segment}}`

const segment = new RegExp(`^${segmentPattern}$`)

/** The same pattern in words, for messages. */
export const segmentRule = `must be 1 to ${maxCharacters.segment} letters, digits, dots, underscores or hyphens`

/** An owner's or a repository's name: also the only valid path segment of the API. */
export const PathSegment = z.string().regex(segment, segmentRule)

/** Whether this can be the name of an owner or a repository. Only dots cannot: they are relative paths. */
export const isSegment = (text: string): boolean => segment.test(text) && !/^\.+$/.test(text)

/** An owner's or a repository's name as it is stored. */
export const StoredSegment = PathSegment.refine(isSegment, segmentRule)

const webAddress = /^https?:\/\/[^\s<>"]+$/i

/** An http or https URL: nothing that a browser would execute. */
export const WebAddress = z.string().max(maxCharacters.address).regex(webAddress, 'must be an http or https address')

/** Whether the schema accepts this text. */
export const isWebAddress = (text: string): boolean => text.length <= maxCharacters.address && webAddress.test(text)

/** A single line of text; control characters never reach the store. */
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
