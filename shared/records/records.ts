import { z } from 'zod'
import { Line, lifecycle, maxCharacters, PathSegment, Timestamp, Topics, WebAddress } from './fields.js'
import { Skill, SkillRow, StoredSkill } from './skill.js'

/** The licence of the data: its SPDX identifier and its URL, as in every export. */
export const dataLicense = {
  license: 'CC-BY-4.0',
  licenseUrl: 'https://creativecommons.org/licenses/by/4.0/',
} as const

/**
 * An organization in the API: an owner of published skills, with the fields of a stored organization if there is one.
 * Only these fields are public: `toPublicOrganization` chooses them.
 */
export const Organization = z
  .object({
    login: PathSegment.describe('the id, lower case; the owner of its skills'),
    name: Line(maxCharacters.organizationName).nullable().describe('the display name'),
    description: z.string().max(maxCharacters.description).nullable().describe('its own description, plain text'),
    url: WebAddress.nullable().describe('URL of its page'),
    avatarUrl: WebAddress.nullable().describe('URL of its picture'),
    skills: z.int().min(0).describe('number of its published skills'),
    stars: z.int().min(0).nullable().describe('sum of their known stars; null: none is known'),
    topTopics: z.array(z.string()).max(5).describe('the most frequent topics of its skills'),
    createdAt: Timestamp.nullable().describe('when it was created at its source'),
    updatedAt: Timestamp.nullable().describe('when it was last changed at its source'),
  })
  .meta({ id: 'Organization' })
export type Organization = z.infer<typeof Organization>

/** An organization in the catalog: without the fields that are computed from its skills. */
export const StoredOrganization = z.looseObject({
  ...Organization.omit({ skills: true, stars: true, topTopics: true }).shape,
  ...lifecycle,
})
export type StoredOrganization = z.infer<typeof StoredOrganization>

/** The public organization: the sums of its skills with the stored fields; null for none. */
export const toPublicOrganization = (
  sums: Pick<Organization, 'login' | 'skills' | 'stars' | 'topTopics'>,
  stored: Omit<Organization, 'skills' | 'stars' | 'topTopics'> | null,
): Organization => ({
  login: sums.login,
  name: stored?.name ?? null,
  description: stored?.description ?? null,
  url: stored?.url ?? null,
  avatarUrl: stored?.avatarUrl ?? null,
  skills: sums.skills,
  stars: sums.stars,
  topTopics: sums.topTopics,
  createdAt: stored?.createdAt ?? null,
  updatedAt: stored?.updatedAt ?? null,
})

const contentRule = `must have at most ${maxCharacters.promptContent.toLocaleString('en-US')} characters`

/** The name of a user, which is never an e-mail address. */
export const handlePattern = new RegExp(`^[^\\s@]{1,${maxCharacters.handle}}$`)

/** A prompt in the API. Only these fields are public: `toPublicPrompt` chooses them. */
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

/** The types of records, as in the API, the command line and the store. */
export const recordTypes = ['skills', 'prompts', 'organizations'] as const
export type RecordType = (typeof recordTypes)[number]

/** The stored records by type. */
export interface StoredRecords {
  skills: StoredSkill
  prompts: StoredPrompt
  organizations: StoredOrganization
}

/** The public records by type. */
export interface PublicRecords {
  skills: Skill
  prompts: Prompt
  organizations: Organization
}

/** The schemas of stored records, by type. */
export const storedSchemas = { skills: StoredSkill, prompts: StoredPrompt, organizations: StoredOrganization } as const

/** The schemas of public records, by type. */
export const publicSchemas = { skills: Skill, prompts: Prompt, organizations: Organization } as const

/** The records of each type in files: exports and datasets. */
export interface FileRecords extends Omit<PublicRecords, 'skills'> {
  skills: SkillRow
}

/** The schemas of records in files, by type. Their order is that of the columns. */
export const fileSchemas = { ...publicSchemas, skills: SkillRow } as const

/** The id of a stored record: its `id`, or an organization's `login`. */
export const recordId = <T extends RecordType>(type: T, record: StoredRecords[T]): string =>
  String(type === 'organizations' ? record['login'] : record['id'])
