import { z } from 'zod'
import { skillOf } from '../../../../shared/records/skill.js'
import { AppError, invalidParameters } from '../../../../shared/runtime/errors.js'
import { documentedAs } from '../../openapi/documented-as.js'
import { endpoint } from '../../request/endpoint.js'
import { filterParameters, WholeNumber } from '../../request/parameters.js'
import { problemError } from '../../request/problems.js'
import { answerOf, askInProcess } from '../../request/routes.js'
import { listSkills } from '../list-skills.js'
import {
  ArdEntry,
  ArdFilter,
  ArdIdentifier,
  alternativesOf,
  ardDraft,
  ardErrorMembers,
  entryOf,
  errorsOf,
  publisherOf,
  registryEntry,
  skillOfIdentifier,
} from './ard-entries.js'

/**
 * GET /.well-known/ard.json: where this registry is, for clients of Agentic Resource Discovery that know the origin only;
 * those of version 0.9 ask for the second path.
 */
export const ardManifest = endpoint({
  name: 'ard-manifest',
  path: '/.well-known/ard.json',
  aliases: ['/.well-known/ai-catalog.json'],
  summary: 'The manifest of Agentic Resource Discovery',
  docs: { tag: 'Clients', description: `${ardDraft} It has this registry as its one entry.`, errors: [] },
  errorMembers: ardErrorMembers,
  response: z.object({
    specVersion: z.literal('1.0').describe('of the predecessor, which wants it'),
    host: z.object({ displayName: z.string(), documentationUrl: z.string() }),
    entries: z.array(ArdEntry),
  }),
  cache: { maxAgeSeconds: 3_600, staleWhileRevalidateSeconds: 86_400 },

  async handle({ header }, { originOf, publicUrl }) {
    const origin = originOf(header)
    return {
      body: {
        specVersion: '1.0' as const,
        host: { displayName: 'Skill Catalog', documentationUrl: `${origin}/docs` },
        entries: [registryEntry(origin, publicUrl)],
      },
    }
  },
})

/** GET /agents/:identifier: one entry of Agentic Resource Discovery, by exactly its identifier. */
export const ardAgent = endpoint({
  name: 'ard-agent',
  path: '/agents/:identifier',
  summary: 'One entry of Agentic Resource Discovery',
  docs: {
    tag: 'Clients',
    description: `${ardDraft} By exactly its identifier: a former name of a skill, and a removed one, are not found.`,
    errors: ['skill_unknown', 'catalog_unavailable'],
  },
  errorMembers: ardErrorMembers,
  params: z.object({ identifier: ArdIdentifier.describe('as in an answer, percent-encoded') }),
  response: ArdEntry,
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle({ params: { identifier }, header }, { catalog, originOf, publicUrl }) {
    const origin = originOf(header)
    const own = registryEntry(origin, publicUrl)
    if (identifier === own.identifier) {
      return { body: own }
    }
    const id = skillOfIdentifier(identifier, publisherOf(publicUrl))
    const found = id === null ? null : await catalog.findSkill(id)
    if (found?.state !== 'published') {
      throw problemError('skill_unknown', `There is no entry ${identifier}. Search for it by POST to /search.`)
    }
    return { body: entryOf(skillOf(found), { origin, publicUrl }) }
  },
})

/** The orders, by the names that clients give them in lower case. */
const sorts = new Map([
  ['name', 'name'],
  ['displayname', 'name'],
  ['updatedat', 'updated'],
  ['updated_at', 'updated'],
  ['createdat', 'created'],
  ['created_at', 'created'],
  ['metadata.stars', 'stars'],
])

const orderForm = /^\s*([\w.]+)(?:\s+(asc|desc))?\s*$/i

const OrderBy = z
  .string()
  .transform((text) => {
    const [, field = '', order = 'asc'] = orderForm.exec(text) ?? []
    return { sort: sorts.get(field.toLowerCase()), order: order.toLowerCase() }
  })
  .refine(
    ({ sort }) => sort !== undefined,
    'must be one of displayName, updatedAt, createdAt, metadata.stars, and after it ASC or DESC.',
  )
  .meta(
    documentedAs({
      type: 'string',
      pattern: '^(displayName|name|updatedAt|createdAt|metadata\\.stars)( (ASC|DESC))?$',
    }),
  )

/** One condition, and what joins it to the next. */
const conditionForm = /\s*([\w.]+)\s*(>=|[=:>])\s*('[^']*'|"[^"]*"|[^\s'",]+)\s*(?:and\s|$)/iy

const sameField = new Map([
  ['publisherId', 'publisher'],
  ['updatedAt', 'updatedAfter'],
])

/** Fields of the draft by which this catalog does not list, and what to do instead. */
const noFilter = new Map([
  ['displayName', 'displayName is no filter of this list: search for a name by POST to /search.'],
  ['createdAfter', 'createdAfter is no filter of this list: order by createdAt DESC, and stop at that time.'],
])

const UpdatedAfter = filterParameters.updatedSince.unwrap()

/** Conditions such as `type = 'a,b' AND updatedAfter > '2026-01-31'`: all must match, of a comma list any value. */
const FilterExpression = z
  .string()
  .max(2_000, 'has more than 2000 characters.')
  .transform((text, context) => {
    const refuse = (message: string) => {
      context.addIssue(message)
      return z.NEVER
    }
    const conditions = conditionsOf(text)
    if (conditions === null) {
      return refuse(`is not understood: write it as ${example}.`)
    }
    const twice = Object.entries(conditions).find(([, values]) => values.length === 0)
    if (twice !== undefined) {
      return refuse(`has ${twice[0]} twice: give each field once, several values of it as a comma list.`)
    }
    const { updatedAfter, ...fields } = conditions
    const refused = Object.keys(fields).flatMap((name) => noFilter.get(name) ?? [])
    if (refused[0] !== undefined) {
      return refuse(refused[0])
    }
    const filter = ArdFilter.safeParse(fields)
    const since = UpdatedAfter.optional().safeParse(updatedAfter?.[0])
    const errors = [
      ...errorsOf(filter.error?.issues ?? []),
      ...(since.error?.issues ?? []).map(({ message }) => ({ parameter: 'updatedAfter', message })),
    ]
    const [first] = errors
    if (first !== undefined) {
      return refuse(first.parameter === 'body' ? first.message : `${first.parameter} ${first.message}`)
    }
    return { fields: filter.data ?? {}, updatedSince: since.data }
  })
  .meta(documentedAs({ type: 'string', minLength: 1, maxLength: 2_000 }))

const example = "type = 'application/ai-skill' AND tags = 'pdf' AND updatedAfter > '2026-01-31'"

/** The values of each field; null: the text has no such form. A field that comes twice has no values. */
function conditionsOf(text: string): Record<string, string[]> | null {
  const conditions = new Map<string, string[]>()
  conditionForm.lastIndex = 0
  while (conditionForm.lastIndex < text.length) {
    const [, name = '', operator = '', quoted = ''] = conditionForm.exec(text) ?? []
    const field = sameField.get(name) ?? name
    if (name === '' || (operator.startsWith('>') && !field.endsWith('After'))) {
      return null
    }
    if (conditions.has(field)) {
      conditions.set(field, [])
      continue
    }
    const value = quoted.replace(/^(['"])(.*)\1$/s, '$2')
    conditions.set(field, field === 'updatedAfter' ? [value] : value.split(',').map((each) => each.trim()))
  }
  return conditions.size === 0 ? null : Object.fromEntries(conditions)
}

/** GET /agents: the skills as entries of Agentic Resource Discovery, page by page, over the list of the API. */
export const ardAgents = endpoint({
  name: 'ard-agents',
  path: '/agents',
  summary: 'The skills as entries of Agentic Resource Discovery',
  docs: {
    tag: 'Clients',
    description: `${ardDraft} Programs that you write ask \`/api/v1/skills\`. Unknown parameters are ignored.`,
    errors: ['catalog_unavailable', 'query_timeout'],
  },
  errorMembers: ardErrorMembers,
  query: z.object({
    filter: FilterExpression.optional().describe(
      `conditions joined by AND, such as \`${example}\`; also by publisher, metadata.owner, metadata.license and ` +
        'metadata.language',
    ),
    orderBy: OrderBy.optional().describe(
      'displayName, updatedAt, createdAt or metadata.stars, and DESC; default: updatedAt DESC',
    ),
    pageSize: WholeNumber(1, 100).default(20).describe('entries per response, 1 to 100'),
    pageToken: z.string().optional().describe('pageToken of the previous page, with the same filter and orderBy'),
  }),
  response: z.object({
    items: z.array(ArdEntry),
    total: z.int().optional().describe('number of entries that match; absent: not counted, there are many'),
    pageToken: z.string().optional().describe('for the next page; absent: this is the last one'),
  }),
  cache: { maxAgeSeconds: 30, staleWhileRevalidateSeconds: 60 },

  async handle({ query: { filter, orderBy, pageSize, pageToken }, header }, deps) {
    const [filters = null, ...others] = alternativesOf(filter?.fields, publisherOf(deps.publicUrl))
    if (others.length > 0) {
      const message =
        'has several values for a field, which this list takes of type and publisherId only: ask once for each.'
      throw invalidParameters([{ parameter: 'filter', message }])
    }
    if (filters === null) {
      return { body: { items: [], total: 0 } }
    }
    const parameters = {
      ...filters,
      limit: String(pageSize),
      ...(filter?.updatedSince === undefined ? {} : { updatedSince: filter.updatedSince }),
      ...(orderBy?.sort === undefined ? {} : { sort: orderBy.sort, order: orderBy.order }),
      ...(pageToken === undefined ? {} : { cursor: pageToken }),
    }
    const list = answerOf(askInProcess(deps), listSkills, { parameters })
    const { data, pagination } = await list.catch(asTokenError)
    const { total, totalIsLowerBound, nextCursor } = pagination
    const place = { origin: deps.originOf(header), publicUrl: deps.publicUrl }
    return {
      body: {
        items: data.map((skill) => entryOf(skill, place)),
        ...(totalIsLowerBound ? {} : { total }),
        ...(nextCursor === null ? {} : { pageToken: nextCursor }),
      },
    }
  },
})

/** A refused cursor is the token of the client. */
function asTokenError(thrown: unknown): never {
  if (thrown instanceof AppError && thrown.errors?.some(({ parameter }) => parameter === 'cursor')) {
    const message =
      'is damaged, or belongs to another list: use that of the previous page with the same filter and orderBy, or omit it.'
    throw invalidParameters([{ parameter: 'pageToken', message }])
  }
  throw thrown
}
