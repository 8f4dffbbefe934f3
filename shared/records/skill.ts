import type { z } from 'zod'
import type { fileSchemas, publicSchemas, storedSchemas } from './schemas.js'

/** A skill in the API. */
export type Skill = z.infer<typeof publicSchemas.skills>

/** A skill in the catalog: the public fields, its state, and the other members of its input. */
export type StoredSkill = z.infer<typeof storedSchemas.skills>

/** The skill of a record: the public skill as JSON, as stores keep and services answer it. */
export const skillOf = ({ record }: { record: string }): Skill => JSON.parse(record) as Skill

/** The second segment of a skill's address. @param skill null: the repository is the skill */
export const skillSegment = (repo: string, skill: string | null): string => (skill === null ? repo : `${repo}@${skill}`)

/**
 * The id of a skill: owner and repository in lower case, and its name where it is one of several of the repository. No name
 * of an owner or repository has an `@`.
 *
 * @param skill null: the repository is the skill
 */
export const skillId = (owner: string, repo: string, skill: string | null = null): string =>
  `${owner}/${skillSegment(repo, skill)}`.toLowerCase()

/** The id of a skill with the letters in which its owner writes it. */
export const writtenId = ({ owner, repo, skill }: Pick<Skill, 'owner' | 'repo' | 'skill'>): string =>
  `${owner}/${skillSegment(repo, skill)}`

/** An id in any case, and as the field's tools write it, too: `owner/repo/skill`. */
export const givenSkillId = (text: string): string => text.toLowerCase().replace(/^([^/]*\/[^/@]*)\//, '$1@')

/** The id of the repository of a skill. */
export const repositoryId = (id: string): string => id.replace(/@.*$/, '')

/** The login of the organization of a skill, from the skill's owner as written. */
export const organizationOf = (owner: string): string => owner.toLowerCase()

/** A skill in the files of exports and datasets. */
export type SkillRow = z.infer<typeof fileSchemas.skills>

export const toSkillRow = (skill: Skill): SkillRow => ({
  ...skill,
  path: skill.path === '' ? '.' : skill.path,
  organization: organizationOf(skill.owner),
})

/** Where a skill lies in its repository. */
type PlaceField = 'skill' | 'path' | 'commit' | 'digest'

/** The public fields of a stored skill, in their documented order. One of an earlier version has not all of them. */
export const toPublicSkill = (stored: Omit<Skill, PlaceField> & Partial<Pick<Skill, PlaceField>>): Skill => ({
  id: stored.id,
  owner: stored.owner,
  repo: stored.repo,
  name: stored.name,
  description: stored.description,
  topics: stored.topics,
  license: stored.license,
  language: stored.language,
  homepage: stored.homepage,
  url: stored.url,
  stars: stored.stars,
  forks: stored.forks,
  version: stored.version,
  archived: stored.archived,
  createdAt: stored.createdAt,
  updatedAt: stored.updatedAt,
  publishedAt: stored.publishedAt,
  indexedAt: stored.indexedAt,
  skill: stored.skill ?? null,
  path: stored.path ?? null,
  commit: stored.commit ?? null,
  digest: stored.digest ?? null,
})
