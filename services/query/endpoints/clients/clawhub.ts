import { z } from 'zod'
import { installLine } from '../../../../shared/fields/repository-pages.js'
import { type Skill, skillId, skillOf, skillSegment } from '../../../../shared/records/skill.js'
import { documentedAs } from '../../openapi/documented-as.js'
import { endpoint } from '../../request/endpoint.js'
import { OneOf, OwnerParameter, SkillPath, WholeNumber } from '../../request/parameters.js'
import { answerOf, askInProcess } from '../../request/routes.js'
import { publishedSkill } from '../get-skill.js'
import { searchSkills } from '../search-skills.js'

/** Hits among which one of exactly this name is looked for. */
const hitsForExact = 100

/** Whether the text is the name of the skill, alone or with its repository. */
const isNamed = ({ id, repo, skill }: Skill, text: string): boolean =>
  [skill ?? repo, skillSegment(repo, skill), id].some((name) => name.toLowerCase() === text.trim().toLowerCase())

/** GET /clawhub/api/v1/search: the search of ClawHub, as its client asks it where its registry is this service. */
export const clawhubSearch = endpoint({
  name: 'clawhub-search',
  path: '/clawhub/api/v1/search',
  summary: 'The search of the command clawhub search',
  docs: {
    tag: 'Clients',
    description:
      'For `CLAWHUB_SITE=… clawhub search` alone, in the shape of ClawHub: programs that you write ask ' +
      '`/api/v1/skills/search`. Parameters that this one does not know are ignored.',
    errors: ['search_unavailable', 'query_timeout'],
  },
  query: z.object({
    q: searchSkills.query.shape.q,
    limit: WholeNumber(1, 100).default(25).describe('rows per response, 1 to 100'),
    mode: OneOf(['exact']).optional().describe('exact: only skills of exactly this name'),
  }),
  response: z.object({
    results: z.array(
      z.object({
        slug: z.string().describe('`repo`, or `repo@skill` for one of several'),
        ownerHandle: z.string(),
        displayName: z.string(),
        summary: z.string().nullable(),
        version: z.string().nullable(),
        score: z.number().describe('0 to 1'),
        updatedAt: z.number().optional().describe('epoch milliseconds'),
        owner: z.object({ handle: z.string(), displayName: z.string() }),
        canonicalUrl: z.string().describe('its page'),
      }),
    ),
  }),
  cache: { maxAgeSeconds: 30, staleWhileRevalidateSeconds: 60 },

  async handle({ query: { q, limit, mode }, header }, deps) {
    const parameters = { q, limit: String(mode === undefined ? limit : hitsForExact) }
    const { data } = await answerOf(askInProcess(deps), searchSkills, { parameters })
    const found = mode === undefined ? data : data.filter((skill) => isNamed(skill, q)).slice(0, limit)
    const origin = deps.originOf(header)
    const results = found.map(({ id, owner, repo, skill, name, description, version, score, updatedAt }) => ({
      slug: skillSegment(repo, skill),
      ownerHandle: owner,
      displayName: name,
      summary: description,
      version,
      score: score ?? 0,
      ...(updatedAt === null ? {} : { updatedAt: Date.parse(updatedAt) }),
      owner: { handle: owner, displayName: owner },
      canonicalUrl: `${origin}/skills/${id}`,
    }))
    return { body: { results } }
  },
})

/** GET /.well-known/clawhub.json: where the client of ClawHub, which knows the origin only, finds what it asks. */
export const clawhubSettings = endpoint({
  name: 'clawhub-settings',
  path: '/.well-known/clawhub.json',
  summary: 'Where the command clawhub finds its registry',
  docs: { tag: 'Clients', errors: [] },
  response: z.object({ apiBase: z.string().describe('what the client puts before its own paths') }),
  cache: { maxAgeSeconds: 3_600, staleWhileRevalidateSeconds: 86_400 },

  async handle({ header }, { originOf }) {
    return { body: { apiBase: `${originOf(header)}/clawhub` } }
  },
})

function pathOf(id: string): string {
  const [ownerHandle = '', slug = ''] = id.split('/')
  return `/clawhub/api/v1/skills/${encodeURIComponent(slug)}?${new URLSearchParams({ ownerHandle })}`
}

/**
 * What the client shows of a skill, with what it cannot know: it prints the licence of ClawHub's own skills with any, and
 * installs from ClawHub only.
 */
function summaryOf(skill: Skill): string {
  const install = installLine(skill)
  return [
    ...(skill.description === null ? [] : [skill.description]),
    `Licence: ${skill.license ?? 'not known'}; the one that clawhub prints is that of the skills of ClawHub.`,
    ...(install === null ? [] : [`Install: ${install}`]),
  ].join(' ')
}

/** The first time that is known, in epoch milliseconds; 0: none is. */
const firstTime = (...times: (string | null)[]): number =>
  Date.parse(times.find((time) => time !== null) ?? '1970-01-01')

/** GET /clawhub/api/v1/skills/:slug: one skill, as the client of ClawHub asks for it where its registry is this service. */
export const clawhubSkill = endpoint({
  name: 'clawhub-skill',
  path: '/clawhub/api/v1/skills/:slug',
  summary: 'One skill for the command clawhub inspect',
  docs: {
    tag: 'Clients',
    description:
      'For `CLAWHUB_SITE=… clawhub inspect owner/slug` alone, in the shape of ClawHub: programs that you write ask ' +
      '`/api/v1/skills/:owner/:repo`. Parameters that this one does not know are ignored.',
    errors: ['moved', 'skill_unknown', 'skill_removed', 'catalog_unavailable'],
  },
  params: z.object({ slug: SkillPath.shape.repo }),
  query: z.object({
    ownerHandle: z
      .string({ error: 'is required, since two owners may use one name: ask as in clawhub inspect owner/name.' })
      .pipe(OwnerParameter)
      .meta(documentedAs({ type: 'string', pattern: '^[A-Za-z0-9._-]{1,100}$' }))
      .describe("the skill's owner, any case"),
  }),
  response: z.object({
    skill: z.object({
      slug: z.string().describe('`repo`, or `repo@skill` for one of several'),
      displayName: z.string(),
      summary: z.string().describe('its purpose, its licence, and how to install it'),
      description: z.string().nullable(),
      topics: z.array(z.string()),
      tags: z.record(z.string(), z.string()).describe('`latest`: its version, where it is known'),
      stats: z.object({ stars: z.int().nullable() }),
      createdAt: z.number().describe('epoch milliseconds'),
      updatedAt: z.number().describe('epoch milliseconds'),
    }),
    latestVersion: z
      .object({ version: z.string(), createdAt: z.number(), changelog: z.literal(''), license: z.null() })
      .nullable()
      .describe('null: the version is not known'),
    metadata: z.null(),
    owner: z.object({ handle: z.string(), displayName: z.string(), image: z.null() }),
    moderation: z.null(),
  }),
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle({ params: { slug }, query: { ownerHandle } }, { catalog }) {
    const found = skillOf(await publishedSkill(catalog, skillId(ownerHandle, slug), pathOf))
    const { owner, repo, skill, name, description, topics, stars, version } = found
    const { createdAt, publishedAt, updatedAt, indexedAt } = found
    const updated = firstTime(updatedAt, publishedAt, createdAt, indexedAt)
    return {
      body: {
        skill: {
          slug: skillSegment(repo, skill),
          displayName: name,
          summary: summaryOf(found),
          description,
          topics,
          tags: version === null ? {} : { latest: version },
          stats: { stars },
          createdAt: firstTime(createdAt, publishedAt, updatedAt, indexedAt),
          updatedAt: updated,
        },
        latestVersion: version === null ? null : { version, createdAt: updated, changelog: '' as const, license: null },
        metadata: null,
        owner: { handle: owner, displayName: owner, image: null },
        moderation: null,
      },
    }
  },
})
