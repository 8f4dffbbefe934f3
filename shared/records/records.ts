import { Organization, StoredOrganization } from './organization.js'
import { Prompt, StoredPrompt } from './prompt.js'
import { Skill, SkillRow, StoredSkill } from './skill.js'

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
