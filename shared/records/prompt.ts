import { z } from 'zod'
import { Line, lifecycle, longestDescription, longestLine, Timestamp, Topics, WebAddress } from './fields.js'

/**
 * The most characters of a prompt's content. It is never cut: half a prompt is another one. A record with more is
 * rejected by an import, and not published where another application has written it.
 */
export const longestContent = 200_000

/** The most characters of a prompt's type. */
export const longestType = 50

/** A prompt as the API shows it. This list of fields is the allow-list: nothing else of a stored prompt can leave. */
export const Prompt = z
  .object({
    id: Line(longestLine).describe('lower case: the identity'),
    title: Line(300).describe('for people; not unique'),
    description: z.string().max(longestDescription).nullable().describe('what it is for; plain text'),
    content: z
      .string()
      .min(1)
      .max(longestContent, 'must have at most 200,000 characters')
      .describe('the prompt itself'),
    type: Line(longestType).describe('`text`, `structured`, `image`, …'),
    topics: Topics.describe('lower case, at most 20'),
    author: z
      .string()
      .regex(/^[^\s@]{1,100}$/)
      .nullable()
      .describe('a handle; never an e-mail address'),
    url: WebAddress.nullable().describe('where it comes from'),
    license: Line(longestLine).nullable().describe('SPDX identifier where known'),
    createdAt: Timestamp.nullable().describe('when it was written'),
    updatedAt: Timestamp.nullable().describe('when it was changed last'),
  })
  .meta({ id: 'Prompt' })
export type Prompt = z.infer<typeof Prompt>

/** A prompt as the catalog keeps it: the public fields, its lifecycle, and whatever else its source said. */
export const StoredPrompt = z.looseObject({ ...Prompt.shape, ...lifecycle })
export type StoredPrompt = z.infer<typeof StoredPrompt>

/** The public fields of a stored prompt, in their documented order. */
export const toPublicPrompt = (stored: Prompt): Prompt => ({
  id: stored.id,
  title: stored.title,
  description: stored.description,
  content: stored.content,
  type: stored.type,
  topics: stored.topics,
  author: stored.author,
  url: stored.url,
  license: stored.license,
  createdAt: stored.createdAt,
  updatedAt: stored.updatedAt,
})
