import { z } from 'zod'
import { Line, lifecycle, PathSegment, Timestamp, WebAddress } from './fields.js'
import { maxCharacters } from './limits.js'

/**
 * An organization in the API: an owner of published skills, with the fields of a stored organization if there is one.
 * This list of fields is the allow-list.
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
