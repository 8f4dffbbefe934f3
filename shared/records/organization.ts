import { z } from 'zod'
import { Line, lifecycle, longestDescription, PathSegment, Timestamp, WebAddress } from './fields.js'

/**
 * An organization as the API shows it: every owner of a published skill, enriched by a stored organization where
 * there is one. This list of fields is the allow-list.
 */
export const Organization = z
  .object({
    login: PathSegment.describe("lower case: the identity; a skill's owner"),
    name: Line(300).nullable().describe('for people'),
    description: z.string().max(longestDescription).nullable().describe('what it says of itself; plain text'),
    url: WebAddress.nullable().describe('its page'),
    avatarUrl: WebAddress.nullable().describe('its picture'),
    skills: z.int().min(0).describe('its published skills'),
    stars: z.int().min(0).describe('the sum of their stars'),
    topTopics: z.array(z.string()).max(5).describe('the topics that most of its skills carry'),
    createdAt: Timestamp.nullable().describe('when it was founded at its source'),
    updatedAt: Timestamp.nullable().describe('when it was changed last at its source'),
  })
  .meta({ id: 'Organization' })
export type Organization = z.infer<typeof Organization>

/** What is stored of an organization: the fields its skills cannot tell. */
export const StoredOrganization = z.looseObject({
  ...Organization.omit({ skills: true, stars: true, topTopics: true }).shape,
  ...lifecycle,
})
export type StoredOrganization = z.infer<typeof StoredOrganization>

/** The public shape: what its skills add up to, and what is stored of it, if anything is. */
export const toPublicOrganization = (
  sums: Pick<Organization, 'login' | 'skills' | 'stars' | 'topTopics'>,
  stored: StoredOrganization | null,
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
