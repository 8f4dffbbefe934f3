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
    name: Line(longestLine),
    description: z.string().max(longestDescription).nullable(),
    topics: Topics.describe('lower case, at most 20'),
    license: Line(longestLine).nullable().describe('SPDX identifier where known'),
    language: Line(100).nullable(),
    homepage: WebAddress.nullable(),
    url: WebAddress.nullable().describe('of the repository'),
    stars: z.int().min(0).nullable().describe('null: not known'),
    forks: z.int().min(0).nullable().describe('null: not known'),
    version: Line(100).nullable(),
    archived: z.boolean(),
    createdAt: Timestamp.nullable().describe('of the source'),
    updatedAt: Timestamp.nullable().describe('of the source'),
    publishedAt: Timestamp.nullable(),
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
