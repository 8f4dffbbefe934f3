import { z } from 'zod'
import { facetNames, type SearchHit } from '../../../shared/ports/search-index.js'
import { Skill } from '../../../shared/records/skill.js'
import { endpoint, pathWithQuery } from '../http/endpoint.js'
import { FieldList } from '../http/fields.js'
import {
  CommaList,
  filterParameters,
  Limit,
  OneOf,
  PageNumber,
  skillFilters,
  whenValid,
  YesNo,
} from '../http/parameters.js'
import { maxQueryLength, QueryText } from '../http/query-text.js'
import { highlight } from '../skills/highlight.js'

/** Hits that pages reach. For more, the list and the export cost less. */
const reach = 1_000

/** Rounding of scores: fine enough to keep apart the scores of ten words. */
const scoreSteps = 1_000_000

const Highlighted = z.string().nullable().describe('HTML: escaped, matches in <em>; null: no match in this field')

const FacetCounts = z.array(z.object({ value: z.string(), count: z.int() }))

/** GET /api/v1/skills/search: the published skills that match the words, best first. */
export const searchSkills = endpoint({
  name: 'search-skills',
  path: '/api/v1/skills/search',
  summary: 'Search for skills',
  docs: {
    tag: 'Skills',
    description:
      'Best first: an exact `owner/repo`, then an exact name, then number of words found, fewer typos, closeness, name ' +
      'before topics before description. Stars and freshness only break ties. The last word may be incomplete; `"…"` ' +
      'searches for a phrase, `-word` excludes, and there is no other syntax.',
    errors: ['search_unavailable', 'query_timeout'],
  },
  params: z.object({}),
  query: z
    .object({
      q: QueryText.describe(`1 to ${maxQueryLength} characters; quotes search for a phrase, -word excludes`),
      limit: Limit,
      page: PageNumber.default(1).describe(`number of the page, from 1; pages reach the first ${reach} hits`),
      sort: OneOf(['relevance', 'updated', 'stars', 'created', 'name'])
        .default('relevance')
        .describe('relevance: best first; in the other orders skills without a value come last'),
      order: OneOf(['asc', 'desc']).optional().describe('default: desc, and asc by name; with relevance only desc'),
      ...filterParameters,
      facets: CommaList(facetNames)
        .optional()
        .describe(`count the hits by these fields: ${facetNames.join(', ')}`),
      fields: FieldList,
      highlight: YesNo.default(false).describe('mark the matches as HTML'),
    })
    .refine(({ sort, order }) => sort !== 'relevance' || order !== 'asc', {
      path: ['order'],
      message: 'cannot be asc with sort=relevance, which is best first: choose another sort, or omit order.',
      when: whenValid('sort', 'order'),
    })
    .refine(({ page, limit }) => (page - 1) * limit < reach, {
      path: ['page'],
      message: `reaches beyond the first ${reach} hits: narrow the search, list with /api/v1/skills, or export.`,
      when: whenValid('page', 'limit'),
    }),
  response: z.object({
    data: z.array(
      Skill.extend({
        score: z.number().nullable().describe('0 to 1: how well the skill matches; null unless sorted by relevance'),
        highlights: z
          .object({
            name: Highlighted,
            repo: Highlighted,
            owner: Highlighted,
            description: Highlighted,
            topics: z.array(z.string()).describe('the topics that match, as HTML'),
          })
          .optional()
          .describe('only with highlight=true'),
      }),
    ),
    query: z.string().describe('the search text, trimmed and without control characters'),
    pagination: z.object({
      page: z.int(),
      limit: z.int(),
      total: z.int().describe(`number of hits; exact up to at least ${reach}`),
      totalPages: z.int().describe(`number of pages within the first ${reach} hits`),
    }),
    facets: z
      .object(Object.fromEntries(facetNames.map((name) => [name, FacetCounts.optional()])))
      .optional()
      .describe('only with facets: the most frequent values among all hits'),
    tookMs: z.number().describe('duration of the search, milliseconds'),
  }),
  volatile: ['tookMs'],
  limits: ['default'],
  cache: { maxAgeSeconds: 30, staleWhileRevalidateSeconds: 60 },

  async handle({ query, given, path }, { index }) {
    const { q, limit, page, sort } = query
    const offset = (page - 1) * limit
    const startedMs = performance.now()
    const { hits, total, facets } = await index.search({
      text: q,
      filters: skillFilters(query),
      sort,
      order: query.order ?? (sort === 'name' ? 'asc' : 'desc'),
      limit: Math.min(limit, reach - offset),
      offset,
      facets: [...new Set(query.facets)],
      highlight: query.highlight,
    })
    const tookMs = Math.round((performance.now() - startedMs) * 10) / 10
    const totalPages = Math.ceil(Math.min(total, reach) / limit)
    return {
      body: {
        data: hits.map((hit) => ({
          ...hit.skill,
          score: hit.score === null ? null : Math.round(hit.score * scoreSteps) / scoreSteps,
          ...(query.highlight ? { highlights: highlightsOf(hit) } : {}),
        })),
        query: q,
        pagination: { page, limit, total, totalPages },
        ...(query.facets === undefined ? {} : { facets }),
        tookMs,
      },
      fields: query.fields,
      links: page < totalPages ? [{ rel: 'next', target: pathWithQuery(path, given, { page: String(page + 1) }) }] : [],
    }
  },
})

function highlightsOf({ skill, matches }: SearchHit) {
  return {
    name: highlight(skill.name, matches?.name),
    repo: highlight(skill.repo, matches?.repo),
    owner: highlight(skill.owner, matches?.owner),
    description: highlight(skill.description, matches?.description),
    topics: skill.topics.flatMap((topic, position) => highlight(topic, matches?.topics?.[position]) ?? []),
  }
}
