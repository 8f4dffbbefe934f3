import { z } from 'zod'
import { Line, lifecycle, Timestamp, Topics, WebAddress } from './fields.js'
import { maxCharacters } from './limits.js'

const contentRule = `must have at most ${maxCharacters.promptContent.toLocaleString('en-US')} characters`

/** The name of a user, which is never an e-mail address. */
export const handlePattern = new RegExp(`^[^\\s@]{1,${maxCharacters.handle}}$`)

/** A prompt in the API. This list of fields is the allow-list: no other field of a stored prompt is returned. */
export const Prompt = z
  .object({
    id: Line(maxCharacters.promptId).describe('the id, lower case'),
    title: Line(maxCharacters.promptTitle).describe('the title; not unique'),
    description: z.string().max(maxCharacters.description).nullable().describe('its purpose, plain text'),
    content: z.string().min(1).max(maxCharacters.promptContent, contentRule).describe('the prompt itself'),
    type: Line(maxCharacters.promptType).describe('`text`, `structured`, `image`, …'),
    topics: Topics.describe('lower case, at most 20'),
    author: z.string().regex(handlePattern).nullable().describe('a handle; never an e-mail address'),
    url: WebAddress.nullable().describe('URL of its source'),
    license: Line(maxCharacters.license).nullable().describe('SPDX identifier where known'),
    createdAt: Timestamp.nullable().describe('when it was created'),
    updatedAt: Timestamp.nullable().describe('when it was last changed'),
  })
  .meta({ id: 'Prompt' })
export type Prompt = z.infer<typeof Prompt>

/** A prompt in the catalog: the public fields, its state, and the other members of its input. */
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
