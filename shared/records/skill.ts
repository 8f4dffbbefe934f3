import { z } from 'zod'
import {
  Commit,
  Digest,
  FolderPath,
  Line,
  lifecycle,
  maxCharacters,
  PathSegment,
  SkillName,
  StoredSegment,
  Timestamp,
  Topics,
  WebAddress,
} from './fields.js'

/** A skill in the API. Only these fields are public: `toPublicSkill` chooses them when a skill is stored. */
export const Skill = z
  .object({
    id: z
      .string()
      .describe('the id, in lower case: `owner/repo`, or `owner/repo@skill` for one of several skills of a repository'),
    owner: PathSegment.describe('as written by its owner'),
    repo: PathSegment.describe('as written by its owner'),
    name: Line(maxCharacters.name).describe('the display name; not unique'),
    description: z.string().max(maxCharacters.description).nullable().describe('its purpose, plain text'),
    topics: Topics.describe('lower case, at most 20'),
    license: Line(maxCharacters.license).nullable().describe('SPDX identifier where known'),
    language: Line(maxCharacters.language).nullable().describe('the main programming language'),
    homepage: WebAddress.nullable().describe('URL of a page about it, other than the repository'),
    url: WebAddress.nullable().describe('URL of the repository'),
    stars: z.int().min(0).nullable().describe('null: unknown'),
    forks: z.int().min(0).nullable().describe('null: unknown'),
    version: Line(maxCharacters.version).nullable().describe('the latest version, as given by its owner'),
    archived: z.boolean().describe('true: no longer maintained'),
    createdAt: Timestamp.nullable().describe('when its repository was created'),
    updatedAt: Timestamp.nullable().describe('when its repository was last changed'),
    publishedAt: Timestamp.nullable().describe('when it was first published as a skill'),
    indexedAt: Timestamp.nullable().describe('when this catalog last ingested it'),
    skill: SkillName.nullable().describe(
      'its name among the skills of its repository; null: the repository is the skill',
    ),
    path: FolderPath.nullable().describe(
      'the folder of its SKILL.md in the repository, empty: its root; null: unknown',
    ),
    commit: Commit.nullable().describe('the commit of its repository from which it was read; null: unknown'),
    digest: Digest.nullable().describe('SHA-256 of its SKILL.md; null: unknown'),
  })
  .meta({ id: 'Skill' })
export type Skill = z.infer<typeof Skill>

/** A skill in the catalog: the public fields, its state, and the other members of its input. */
export const StoredSkill = z.looseObject({
  ...Skill.shape,
  owner: StoredSegment,
  repo: StoredSegment,
  ...lifecycle,
  /** Ids before it was renamed; a request for one of them is redirected. */
  formerIds: z.array(z.string()),
})
export type StoredSkill = z.infer<typeof StoredSkill>

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

/** A skill in the files of exports and datasets: its row joins that of its organization by equal columns. */
export const SkillRow = Skill.extend({
  path: z.string().nullable().describe('as in a skill, but `.` for the root: in CSV an empty cell is an unknown value'),
  organization: PathSegment.describe('the `login` of its organization: the owner in lower case'),
}).meta({ id: 'SkillRow' })
export type SkillRow = z.infer<typeof SkillRow>

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
