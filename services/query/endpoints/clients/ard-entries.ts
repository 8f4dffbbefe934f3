import { z } from 'zod'
import { folderPage, installLine } from '../../../../shared/fields/repository-pages.js'
import { type Skill, skillId } from '../../../../shared/records/skill.js'
import { invalidParameters } from '../../../../shared/runtime/errors.js'
import { parseJson } from '../../../../shared/runtime/http-answers.js'
import { filterParameters, maxQueryLength, QueryText, Topic } from '../../request/parameters.js'
import type { Problem } from '../../request/problems.js'

/**
 * Agentic Resource Discovery, a draft: version 0.91 of 2026-08-26, and what clients of version 0.9 ask.
 *
 * Source: https://github.com/ards-project/ard-spec/blob/main/spec/ard.md
 */
export const ardDraft = 'Draft: Agentic Resource Discovery 0.91 may still change, and this with it.'

/** The media type of a skill by which its clients ask for skills and show them. */
export const skillType = 'application/ai-skill'

/** Other media types by which the draft and its conformance program name the same. */
const skillTypes = [skillType, `${skillType}+md`, 'text/markdown; profile="urn:air:agent-skills"']

/** Where no domain is known that identifies this catalog: a reserved name, which is nobody's (RFC 2606). */
const reservedDomain = 'skill-catalog.invalid'

const domainForm = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{2,59})$/

/** The domain that identifiers begin with: that of PUBLIC_URL. An address, or a name of one label, identifies nothing elsewhere. */
export function publisherOf(publicUrl: string | null): string {
  const host = publicUrl === null ? '' : new URL(publicUrl).hostname.replace(/\.$/, '')
  return domainForm.test(host) ? host : reservedDomain
}

/** The form of any identifier. */
export const ArdIdentifier = z
  .string()
  .max(500, 'has more than 500 characters')
  .regex(
    /^urn:air:[a-zA-Z0-9.-]+(?::[a-zA-Z0-9._-]+)+$/,
    'must be an identifier such as urn:air:catalog.example:skills:owner:repo',
  )

/** The identifier of a skill: `urn:air:<domain>:skills:<owner>:<repo>`, and after it the name of one of several. */
const identifierOf = (id: string, publisher: string): string =>
  `urn:air:${publisher}:skills:${id.replace(/[/@]/g, ':')}`

/** The id of the skill that an identifier names; null: none of this catalog. Case matters in identifiers. */
export function skillOfIdentifier(identifier: string, publisher: string): string | null {
  const [, owner = '', repo = '', skill = null] = /:skills:([^:]+):([^:]+)(?::([^:]+))?$/.exec(identifier) ?? []
  const id = skillId(owner, repo, skill)
  return identifierOf(id, publisher) === identifier ? id : null
}

const Metadata = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

/** A skill, or this registry, as an entry. Absent values are left out, as the draft has it. */
export const ArdEntry = z
  .object({
    identifier: z.string().describe('`urn:air:`, the domain of PUBLIC_URL, and the name'),
    displayName: z.string().describe('the name, for people'),
    type: z.string().describe('the media type of the resource'),
    url: z
      .string()
      .describe('where it is: the folder of the skill in its repository, else the repository, else its page here'),
    description: z.string().optional().describe('its purpose, plain text'),
    tags: z.array(z.string()).optional().describe('its topics'),
    representativeQueries: z.array(z.string()).optional().describe('questions that it answers'),
    version: z.string().optional().describe('its latest version, as given by its owner'),
    updatedAt: z.string().optional().describe('when its repository was last changed'),
    metadata: Metadata.optional().describe(
      'more of a skill: its id, its page in this catalog, the command that installs it, owner, licence and others',
    ),
  })
  .meta({ id: 'ArdEntry', description: 'An entry of Agentic Resource Discovery (draft).' })
export type ArdEntry = z.infer<typeof ArdEntry>

/** @param origin under which the client reaches this service */
export function entryOf(skill: Skill, { origin, publicUrl }: { origin: string; publicUrl: string | null }): ArdEntry {
  const { id, name, description, topics, version, updatedAt, owner, license, language, stars, commit, digest } = skill
  const page = `${origin}/skills/${id}`
  return {
    identifier: identifierOf(id, publisherOf(publicUrl)),
    displayName: name,
    type: skillType,
    url: folderPage(skill) ?? skill.url ?? page,
    ...withValues({ description, tags: topics.length === 0 ? null : topics, version, updatedAt }),
    metadata: {
      id,
      page,
      ...withValues({ install: installLine(skill), owner, license, language, stars, commit, digest }),
    },
  }
}

/** The members whose value is known. */
const withValues = <Value>(members: Record<string, Value | null>): Record<string, Value> =>
  Object.fromEntries(Object.entries(members).filter((member): member is [string, Value] => member[1] !== null))

/** This registry as an entry. */
export const registryEntry = (origin: string, publicUrl: string | null): ArdEntry => ({
  identifier: `urn:air:${publisherOf(publicUrl)}:registry:skill-catalog`,
  displayName: 'Skill Catalog',
  type: 'application/ai-registry+json',
  url: `${origin}/`,
  description: 'Skills for AI agents, searched by words and meaning.',
  tags: ['skills', 'registry', 'search'],
  representativeQueries: ['find a skill that reads tables from PDF files', 'which skill reviews a pull request'],
})

/** The code that the draft has for a status, or else for the class of the status. */
const errorCodes: Record<number, string> = { 404: 'NOT_FOUND', 429: 'RATE_LIMIT_EXCEEDED' }

/** The members of an error that the draft wants, next to those of the problem. */
export const ardErrorMembers = ({ status, detail }: Problem): Record<string, string> => ({
  errorCode: errorCodes[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL_ERROR'),
  message: detail,
})

/** Searches of one request: one for each combination of a filter's values. */
export const maxAlternatives = 5

const oneOrMore = <Value extends z.ZodType>(value: Value, max: number) =>
  z.union([
    value,
    z.array(value).min(1, 'is empty: give it a value or omit it.').max(max, `has more than ${max} values: give fewer.`),
  ])

const anyOf = <Value extends z.ZodType>(value: Value) => oneOrMore(value, 50)
const someOf = <Value extends z.ZodType>(value: Value) => oneOrMore(value, maxAlternatives)

const AnyText = z.string().max(500, 'has more than 500 characters.')

const filterShape = {
  type: anyOf(AnyText).describe(`the media type; skills are ${skillTypes.join(' or ')}`),
  publisher: anyOf(AnyText).describe('the domain of the identifier'),
  tags: someOf(Topic).describe('skills with this topic, any case'),
  'metadata.owner': someOf(filterParameters.owner.unwrap()).describe('skills of this owner, any case'),
  'metadata.license': someOf(filterParameters.license.unwrap()).describe('skills under this licence, any case'),
  'metadata.language': someOf(filterParameters.language.unwrap()).describe('skills in this language, any case'),
}

const fieldNames = Object.keys(filterShape).join(', ')

/** The fields by which entries are filtered, each absent or null where it does not count. */
export const ArdFilter = z
  .strictObject(
    Object.fromEntries(Object.entries(filterShape).map(([name, value]) => [name, value.nullish()])) as {
      [name in keyof typeof filterShape]: z.ZodOptional<z.ZodNullable<(typeof filterShape)[name]>>
    },
    {
      error: ({ code, keys = [] }) =>
        code === 'unrecognized_keys'
          ? `has ${(keys as string[]).slice(0, 5).join(', ')}, by which this registry does not filter: use ${fieldNames}.`
          : `must be an object with some of ${fieldNames}.`,
    },
  )
  .describe('every field that is given must match, by any of its values')
export type ArdFilter = z.output<typeof ArdFilter>

/**
 * The parameters of lists and searches that a filter stands for: a skill must match one of these, since a parameter has one
 * value. None: no skill can match, which is of another type, or of another publisher.
 */
export function alternativesOf(filter: ArdFilter | null | undefined, publisher: string): Record<string, string>[] {
  const valuesOf = (field: keyof ArdFilter): string[] | null => {
    const given = filter?.[field] ?? null
    return given === null ? null : [...new Set([given].flat())]
  }
  const admits = (field: keyof ArdFilter, own: readonly string[]) =>
    valuesOf(field)?.some((value) => own.includes(value)) ?? true
  if (!admits('type', skillTypes) || !admits('publisher', [publisher])) {
    return []
  }
  return parameterOf.reduce<Record<string, string>[]>(
    (alternatives, [field, parameter]) => {
      const values = valuesOf(field)
      return values === null
        ? alternatives
        : alternatives.flatMap((each) => values.map((value) => ({ ...each, [parameter]: value })))
    },
    [{}],
  )
}

const parameterOf: [field: keyof ArdFilter, parameter: string][] = [
  ['tags', 'topic'],
  ['metadata.owner', 'owner'],
  ['metadata.license', 'license'],
  ['metadata.language', 'language'],
]

const notAnObject = { error: 'must be an object such as {"text": "pdf tables"}.' }

/** Names for terms of other namespaces: no entry has such, so they are ignored, as are all other members. */
const Context = z.unknown().optional().describe('ignored: no entry has terms of other namespaces')

const Text = QueryText.describe(`what is needed, 1 to ${maxQueryLength} characters`)

/** `query` where its text may be absent. */
export const ArdQuery = z.object(
  { '@context': Context, text: Text.nullish(), filter: ArdFilter.nullish() },
  notAnObject,
)

/** `query` of a search. */
export const ArdTextQuery = ArdQuery.extend({ text: Text }).describe('what to search for')

/**
 * Parses a body.
 *
 * @param example of a body, for messages
 * @throws AppError `invalid_parameters` (400), whose parameters are the paths of members
 */
export function parseBody<Schema extends z.ZodType>(body: string, schema: Schema, example: string): z.output<Schema> {
  const value = parseJson(body)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const fault = body.trim() === '' ? 'is empty' : value === undefined ? 'is not valid JSON' : 'is no object'
    throw invalidParameters([{ parameter: 'body', message: `${fault}: send an object such as ${example}.` }])
  }
  const parsed = schema.safeParse(value)
  if (!parsed.success) {
    throw invalidParameters(errorsOf(parsed.error.issues))
  }
  return parsed.data
}

/** The most specific message of each issue: for a value that may be text or a list, of the form that was given. */
export const errorsOf = (issues: z.core.$ZodIssue[]): { parameter: string; message: string }[] =>
  issues.flatMap((issue) => {
    const parameter = issue.path.join('.') || 'body'
    if (issue.code !== 'invalid_union') {
      return [{ parameter, message: issue.message }]
    }
    const best = issue.errors.flat().find(({ code }) => code !== 'invalid_type')
    return [{ parameter, message: best?.message ?? 'must be text, or a list of texts.' }]
  })
