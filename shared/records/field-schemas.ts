import { z } from 'zod'
import {
  isFolderPath,
  isSegment,
  maxCharacters,
  maxTopics,
  recordStates,
  segmentPattern,
  segmentRule,
  skillNamePattern,
  skillSegmentPattern,
  webAddressPattern,
} from './fields.js'

/** A time in the API: ISO-8601, UTC, milliseconds. */
export const Timestamp = z.iso.datetime({ precision: 3 }).describe('ISO-8601 UTC with milliseconds')

/** An owner's or a repository's name, also in paths of the API. */
export const PathSegment = z.string().regex(new RegExp(`^${segmentPattern}$`), segmentRule)

/** An owner's or a repository's name as it is stored. */
export const StoredSegment = PathSegment.refine(isSegment, segmentRule)

/**
 * The name by which one of several skills of a repository is known.
 *
 * @see https://agentskills.io/specification
 */
export const SkillName = z
  .string()
  .regex(
    skillNamePattern,
    `must be 1 to ${maxCharacters.skill} lower-case letters, digits and single hyphens, with a letter or digit at both ends`,
  )

/** The second segment of a skill's address. */
export const SkillSegment = z
  .string()
  .regex(
    new RegExp(`^${skillSegmentPattern}$`),
    `${segmentRule}, and may have the name of one of its skills after an @`,
  )

/** A folder in a repository. */
export const FolderPath = z
  .string()
  .refine(isFolderPath, `must be a folder of at most ${maxCharacters.path} characters, such as skills/pdf`)

/** A commit of git. */
export const Commit = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'must be the 40 or 64 digits of a commit')

/** A digest of bytes. */
export const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hexadecimal digits')

/** An http or https URL: nothing that a browser would execute. */
export const WebAddress = z
  .string()
  .max(maxCharacters.address)
  .regex(webAddressPattern, 'must be an http or https address')

/** A single line of text. Its control characters are not checked here: readers of input remove them (`cleanLine`). */
export const Line = (maxLength: number) => z.string().min(1).max(maxLength)

/** Topics of a record: lower case, distinct. */
export const Topics = z.array(z.string().min(1).max(maxCharacters.topic)).max(maxTopics)

/** The fields of every stored record besides its public ones. */
export const lifecycle = {
  /** Only `published` records are listed, found, counted and exported. */
  state: z.enum(recordStates),
  /** When the tombstone was set; null unless `state` is `removed`. */
  removedAt: Timestamp.nullable(),
}
