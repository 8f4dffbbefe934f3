import { z } from 'zod'
import {
  handlePattern,
  isFolderPath,
  isSegment,
  maxCharacters,
  maxTopics,
  recordStates,
  segmentPattern,
  segmentRule,
  skillNamePattern,
  skillSegmentPattern,
  webAddressPattern,
} from './fields.js'

/** A time in the API: ISO-8601, UTC, milliseconds. */
export const Timestamp = z.iso.datetime({ precision: 3 }).describe('ISO-8601 UTC with milliseconds')

/** An owner's or a repository's name, also in paths of the API. */
export const PathSegment = z.string().regex(new RegExp(`^${segmentPattern}$`), segmentRule)

const StoredSegment = PathSegment.refine(isSegment, segmentRule)

const SkillName = z
  .string()
  .regex(
    skillNamePattern,
    `must be 1 to ${maxCharacters.skill} lower-case letters, digits and single hyphens, with a letter or digit at both ends`,
  )

/** The second segment of a skill's address. */
export const SkillSegment = z
  .string()
  .regex(
    new RegExp(`^${skillSegmentPattern}$`),
    `${segmentRule}, and may have the name of one of its skills after an @`,
  )

const FolderPath = z
  .string()
  .refine(isFolderPath, `must be a folder of at most ${maxCharacters.path} characters, such as skills/pdf`)

const Commit = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'must be the 40 or 64 digits of a commit')

/** A digest of bytes. */
export const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hexadecimal digits')

/** An http or https URL: nothing that a browser would execute. */
const WebAddress = z.string().max(maxCharacters.address).regex(webAddressPattern, 'must be an http or https address')

/** A single line of text. Its control characters are not checked here: readers of input remove them (`cleanLine`). */
const Line = (maxLength: number) => z.string().min(1).max(maxLength)

/** Topics of a record: lower case, distinct. */
const Topics = z.array(z.string().min(1).max(maxCharacters.topic)).max(maxTopics)

/** The fields of every stored record besides its public ones. */
const lifecycle = {
  /** Only `published` records are listed, found, counted and exported. */
  state: z.enum(recordStates),
  /** When the tombstone was set; null unless `state` is `removed`. */
  removedAt: Timestamp.nullable(),
}

/** A skill in the API. Only these fields are public: `toPublicSkill` chooses them when a skill is stored. */
export const SkillSchema = z
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

/** A skill in the catalog: the public fields, its state, and the other members of its input. */
const StoredSkillSchema = z.looseObject({
  ...SkillSchema.shape,
  owner: StoredSegment,
  repo: StoredSegment,
  ...lifecycle,
  /** Ids before it was renamed; a request for one of them is redirected. */
  formerIds: z.array(z.string()),
})

/** A skill in the files of exports and datasets: its row joins that of its organization by equal columns. */
const SkillRowSchema = SkillSchema.extend({
  path: z.string().nullable().describe('as in a skill, but `.` for the root: in CSV an empty cell is an unknown value'),
  organization: PathSegment.describe('the `login` of its organization: the owner in lower case'),
}).meta({ id: 'SkillRow' })

/**
 * An organization in the API: an owner of published skills, with the fields of a stored organization if there is one.
 * Only these fields are public: `toPublicOrganization` chooses them.
 */
const OrganizationSchema = z
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

/** An organization in the catalog: without the fields that are computed from its skills. */
const StoredOrganizationSchema = z.looseObject({
  ...OrganizationSchema.omit({ skills: true, stars: true, topTopics: true }).shape,
  ...lifecycle,
})

const contentRule = `must have at most ${maxCharacters.promptContent.toLocaleString('en-US')} characters`

/** A prompt in the API. Only these fields are public: `toPublicPrompt` chooses them. */
const PromptSchema = z
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

/** A prompt in the catalog: the public fields, its state, and the other members of its input. */
const StoredPromptSchema = z.looseObject({ ...PromptSchema.shape, ...lifecycle })

/** The schemas of stored records, by type. */
export const storedSchemas = {
  skills: StoredSkillSchema,
  prompts: StoredPromptSchema,
  organizations: StoredOrganizationSchema,
} as const

/** The schemas of public records, by type. */
export const publicSchemas = { skills: SkillSchema, prompts: PromptSchema, organizations: OrganizationSchema } as const

/** The schemas of records in files, by type. Their order is that of the columns. */
export const fileSchemas = { ...publicSchemas, skills: SkillRowSchema } as const
