import { hash } from 'node:crypto'
import { z } from 'zod'
import { invalidParameters } from '../../../../shared/runtime/errors.js'
import { endpoint } from '../../request/endpoint.js'
import { maxJsonBytes } from '../../request/read-body.js'
import { answerOf, askInProcess } from '../../request/routes.js'
import { searchSkills } from '../search-skills.js'
import {
  ArdEntry,
  ArdTextQuery,
  alternativesOf,
  ardDraft,
  ardErrorMembers,
  entryOf,
  maxAlternatives,
  parseBody,
  publisherOf,
} from './ard-entries.js'

/** Hits of each of several searches. */
const reachOfEach = 100

const pageSizeError = { error: 'must be a whole number from 1 to 100.' }

const SearchBody = z
  .object({
    query: ArdTextQuery,
    federation: z
      .enum(['auto', 'referrals', 'none'], { error: 'must be one of auto, referrals, none.' })
      .nullish()
      .describe('ignored: this registry knows no others, so it answers with its own skills and no referrals'),
    pageSize: z
      .int(pageSizeError)
      .min(1, pageSizeError)
      .max(100, pageSizeError)
      .nullish()
      .describe('results per response; default: 10'),
    pageToken: z
      .string({ error: 'must be the pageToken of an answer.' })
      .nullish()
      .describe('pageToken of the previous answer, with the same query and pageSize'),
  })
  .meta({ id: 'ArdSearch' })

/** The number of the page in a token, and what binds it to its search. */
const tokenOf = (page: number, scope: string): string => `${page}.${hash('sha256', scope, 'base64url').slice(0, 12)}`

/** @throws AppError `invalid_parameters` (400) for a token of another search */
function pageOf(token: string | null, scope: string): number {
  const page = token === null ? 1 : Number(/^\d{1,4}/.exec(token)?.[0])
  if (token !== null && tokenOf(page, scope) !== token) {
    const message =
      'is damaged, or belongs to another search: use that of the previous answer with the same query and pageSize, or omit it.'
    throw invalidParameters([{ parameter: 'pageToken', message }])
  }
  return page
}

/**
 * POST /search: the search of Agentic Resource Discovery, over the search of the API. Its cutoff is that of pages: skills
 * after the last of them do not belong to the matched set.
 */
export const ardSearch = endpoint({
  name: 'ard-search',
  path: '/search',
  methods: ['POST'],
  summary: 'The search of Agentic Resource Discovery',
  docs: {
    tag: 'Clients',
    description:
      `${ardDraft} For its clients, such as \`hf-discover search --registry-url …\`: programs that you write ask ` +
      '`/api/v1/skills/search`. Members that this registry does not know are ignored, but for fields of a filter.',
    errors: ['search_unavailable', 'query_timeout'],
  },
  takes: SearchBody,
  maxBodyBytes: maxJsonBytes,
  errorMembers: ardErrorMembers,
  response: z.object({
    results: z.array(
      ArdEntry.extend({
        score: z.int().describe('0 to 100: how well it matches, best first; it says nothing of trust'),
        source: z.string().describe('the address of this registry'),
      }).meta({ id: 'ArdResult' }),
    ),
    pageToken: z.string().optional().describe('for the next page; absent: this is the last one'),
  }),
  cache: null,

  async handle({ body, header }, deps) {
    const { query, ...asked } = parseBody(body, SearchBody, '{"query": {"text": "pdf tables"}}')
    const alternatives = alternativesOf(query.filter, publisherOf(deps.publicUrl))
    if (alternatives.length > maxAlternatives) {
      const message = `has ${alternatives.length} combinations of values, of which ${maxAlternatives} are searched: give fewer.`
      throw invalidParameters([{ parameter: 'query.filter', message }])
    }
    const pageSize = asked.pageSize ?? 10
    const scope = JSON.stringify([query.text, alternatives, pageSize])
    const page = pageOf(asked.pageToken ?? null, scope)
    const ask = askInProcess(deps)
    const search = (parameters: Record<string, string>) =>
      answerOf(ask, searchSkills, { parameters: { q: query.text, ...parameters } })
    const [first = null, ...others] = alternatives
    let found: z.output<typeof searchSkills.response>['data'] = []
    let isLast = true
    if (first !== null && others.length === 0) {
      const { data, pagination } = await search({ ...first, page: String(page), limit: String(pageSize) })
      found = data
      isLast = page >= pagination.totalPages
    } else {
      const pages = await Promise.all(alternatives.map((each) => search({ ...each, limit: String(reachOfEach) })))
      const byId = new Map(pages.flatMap(({ data }) => data).map((skill) => [skill.id, skill]))
      const all = [...byId.values()].sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
      found = all.slice((page - 1) * pageSize, page * pageSize)
      isLast = page * pageSize >= all.length
    }
    const origin = deps.originOf(header)
    const results = found.map((skill) => ({
      ...entryOf(skill, { origin, publicUrl: deps.publicUrl }),
      score: Math.round((skill.score ?? 0) * 100),
      source: `${origin}/`,
    }))
    return { body: { results, ...(isLast ? {} : { pageToken: tokenOf(page + 1, scope) }) } }
  },
})
