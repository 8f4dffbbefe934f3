import { Organization, StoredOrganization } from './organization.js'
import { Prompt, StoredPrompt } from './prompt.js'
import { Skill, StoredSkill } from './skill.js'

/** The kinds of record, as the API, the command line and the store name them. */
export const recordTypes = ['skills', 'prompts', 'organizations'] as const
export type RecordType = (typeof recordTypes)[number]

/** What is stored, by kind. */
export interface StoredRecords {
  skills: StoredSkill
  prompts: StoredPrompt
  organizations: StoredOrganization
}

/** What the public sees, by kind. */
export interface PublicRecords {
  skills: Skill
  prompts: Prompt
  organizations: Organization
}

/** The schemas that stored records must meet, by kind. */
export const storedSchemas = { skills: StoredSkill, prompts: StoredPrompt, organizations: StoredOrganization } as const

/** The schemas that public records meet, by kind. */
export const publicSchemas = { skills: Skill, prompts: Prompt, organizations: Organization } as const

/** The identity of a stored record: its `id`, or an organization's `login`. */
export const recordId = <T extends RecordType>(type: T, record: StoredRecords[T]): string =>
  String(type === 'organizations' ? record['login'] : record['id'])
