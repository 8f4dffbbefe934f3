import { z } from 'zod'
import {
  Line,
  lifecycle,
  longestDescription,
  longestLine,
  PathSegment,
  Timestamp,
  Topics,
  WebAddress,
} from './fields.js'

/** A skill as the API shows it. This list of fields is the allow-list: nothing else of a stored skill can leave. */
export const Skill = z
  .object({
    id: z.string().describe('`owner/repo` in lower case: the identity'),
    owner: PathSegment.describe('as written by its owner'),
    repo: PathSegment.describe('as written by its owner'),
    name: Line(longestLine).describe('for people; not unique'),
    description: z.string().max(longestDescription).nullable().describe('what it does, as its owner says; plain text'),
    topics: Topics.describe('lower case, at most 20'),
    license: Line(longestLine).nullable().describe('SPDX identifier where known'),
    language: Line(100).nullable().describe('the programming language that most of it is in'),
    homepage: WebAddress.nullable().describe('a page about it, beside the repository'),
    url: WebAddress.nullable().describe('of the repository'),
    stars: z.int().min(0).nullable().describe('null: not known'),
    forks: z.int().min(0).nullable().describe('null: not known'),
    version: Line(100).nullable().describe('the latest, as its owner counts them'),
    archived: z.boolean().describe('true: its owner does not work on it any more'),
    createdAt: Timestamp.nullable().describe('when its source was begun'),
    updatedAt: Timestamp.nullable().describe('when its source was changed last'),
    publishedAt: Timestamp.nullable().describe('when it was first published as a skill'),
    indexedAt: Timestamp.nullable().describe('when this catalog last took it in'),
  })
  .meta({ id: 'Skill' })
export type Skill = z.infer<typeof Skill>

/** A skill as the catalog keeps it: the public fields, its lifecycle, and whatever else its source said. */
export const StoredSkill = z.looseObject({
  ...Skill.shape,
  ...lifecycle,
  /** Ids it had before it was renamed; a request for one of them is sent on. */
  formerIds: z.array(z.string()),
})
export type StoredSkill = z.infer<typeof StoredSkill>

/** The identity of a skill: owner and repository in lower case. */
export const skillId = (owner: string, repo: string): string => `${owner}/${repo}`.toLowerCase()

/** The public fields of a stored skill, in their documented order. */
export const toPublicSkill = (stored: Skill): Skill => ({
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
})
