import type { z } from 'zod'
import type { fileSchemas, publicSchemas, storedSchemas } from './schemas.js'

/** The licence of the data: its SPDX identifier and its URL, as in every export. */
export const dataLicense = {
  license: 'CC-BY-4.0',
  licenseUrl: 'https://creativecommons.org/licenses/by/4.0/',
} as const

/** An organization in the API: an owner of published skills. */
export type Organization = z.infer<typeof publicSchemas.organizations>

/** An organization in the catalog: without the fields that are computed from its skills. */
export type StoredOrganization = z.infer<typeof storedSchemas.organizations>

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

/** A prompt in the API. */
export type Prompt = z.infer<typeof publicSchemas.prompts>

/** A prompt in the catalog: the public fields, its state, and the other members of its input. */
export type StoredPrompt = z.infer<typeof storedSchemas.prompts>

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

/** A value for each type. */
export const byType = <Value>(make: (type: RecordType) => Value): Record<RecordType, Value> => ({
  skills: make('skills'),
  prompts: make('prompts'),
  organizations: make('organizations'),
})

/** The stored records by type. */
export type StoredRecords = { [T in RecordType]: z.infer<(typeof storedSchemas)[T]> }

/** The public records by type. */
export type PublicRecords = { [T in RecordType]: z.infer<(typeof publicSchemas)[T]> }

/** The records of each type in files: exports and datasets. */
export type FileRecords = { [T in RecordType]: z.infer<(typeof fileSchemas)[T]> }

/** The id of a stored record: its `id`, or an organization's `login`. */
export const recordId = <T extends RecordType>(type: T, record: StoredRecords[T]): string =>
  String(type === 'organizations' ? record['login'] : record['id'])

/** The id of a record's dead letter: a skill's own id, and of others with their type, since types may share an id. */
export const letterId = (type: RecordType, id: string): string => (type === 'skills' ? id : `${type}:${id}`)

/** The type and the id of the record that a dead letter is about. No id of a skill has a colon. */
export function readLetterId(letter: string): { type: RecordType; id: string } {
  const [, type = 'skills', id = letter] = /^(prompts|organizations):(.*)$/s.exec(letter) ?? []
  return { type: type as RecordType, id }
}
