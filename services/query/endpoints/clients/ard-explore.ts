import { z } from 'zod'
import type { CountedValue } from '../../../../shared/ports/dataset-reader.js'
import type { FacetName } from '../../../../shared/ports/filter-table.js'
import { maxListTotal } from '../../../../shared/ports/skill-reader.js'
import { invalidParameters } from '../../../../shared/runtime/errors.js'
import { stateKeys } from '../../../../shared/state-keys.js'
import { type EndpointDeps, endpoint } from '../../request/endpoint.js'
import { maxJsonBytes } from '../../request/read-body.js'
import { type AskEndpoint, answerOf, askInProcess } from '../../request/routes.js'
import { listSkills } from '../list-skills.js'
import { searchSkills } from '../search-skills.js'
import {
  ArdQuery,
  alternativesOf,
  ardDraft,
  ardErrorMembers,
  parseBody,
  publisherOf,
  skillType,
} from './ard-entries.js'

/** The facet of each field of an entry that has many values; type and publisher have one. */
const facetOf = {
  tags: 'topics',
  'metadata.owner': 'owner',
  'metadata.license': 'license',
  'metadata.language': 'language',
} as const satisfies Record<string, FacetName>

/** Counted without a text as well, where there is no filter: the catalog keeps these. */
const keptOf: { [field: string]: 'topics' | 'organizations' } = { tags: 'topics', 'metadata.owner': 'organizations' }

const fields = ['type', 'publisher', ...(Object.keys(facetOf) as (keyof typeof facetOf)[])] as const

const maxFacetValues = 20

const countError = { error: 'must be a whole number from 1.' }

const ExploreBody = z
  .object({
    query: ArdQuery.nullish().describe('what to count; without it, the whole catalog'),
    resultType: z
      .object(
        {
          facets: z
            .array(
              z.object(
                {
                  field: z.enum(fields, { error: `must be one of ${fields.join(', ')}.` }).describe('what to count by'),
                  limit: z.int(countError).min(1, countError).nullish().describe('buckets at most; default: 20'),
                  minCount: z
                    .int(countError)
                    .min(1, countError)
                    .nullish()
                    .describe('entries of a bucket at least; default: 1'),
                },
                { error: 'must be an object such as {"field": "tags"}.' },
              ),
              { error: 'must be a list such as [{"field": "tags"}].' },
            )
            .min(1, 'is empty: name a field, as in [{"field": "tags"}].')
            .max(fields.length, `has more than ${fields.length} members: name each field once.`),
        },
        { error: 'must be an object such as {"facets": [{"field": "tags"}]}.' },
      )
      .describe('the counts'),
  })
  .meta({ id: 'ArdExploration' })

/** Counts of values, the largest first. */
interface Counts {
  values: { value: string; count: number }[]
  /** Whether there are no other values. */
  isWhole: boolean
}

/** POST /explore: how many of the matching skills have a value, in the form of Agentic Resource Discovery. */
export const ardExplore = endpoint({
  name: 'ard-explore',
  path: '/explore',
  methods: ['POST'],
  summary: 'The facets of Agentic Resource Discovery',
  docs: {
    tag: 'Clients',
    description:
      `${ardDraft} Programs that you write ask \`/api/v1/skills/search\` with \`facets\`. Of a text it counts what the ` +
      'pages of its search reach. Without one, the whole catalog is counted by `tags` and `metadata.owner`, and with a ' +
      `filter by \`type\` and \`publisher\` only, up to ${maxListTotal}.`,
    errors: ['search_unavailable', 'stats_not_ready', 'catalog_unavailable', 'query_timeout'],
  },
  takes: ExploreBody,
  maxBodyBytes: maxJsonBytes,
  errorMembers: ardErrorMembers,
  response: z.object({
    resultType: z.literal('facets'),
    facets: z.record(
      z.string(),
      z.object({
        buckets: z.array(z.object({ value: z.string(), count: z.int() })).describe('the largest first'),
        otherCount: z.int().optional().describe('entries in buckets after the last; absent: not known'),
      }),
    ),
  }),
  cache: null,

  async handle({ body }, deps) {
    const { query, resultType } = parseBody(body, ExploreBody, '{"resultType": {"facets": [{"field": "tags"}]}}')
    const publisher = publisherOf(deps.publicUrl)
    const [filters = null, ...others] = alternativesOf(query?.filter, publisher)
    if (others.length > 0) {
      const message =
        'has several values for a field, and skills with some of them would count twice: give one for each.'
      throw invalidParameters([{ parameter: 'query.filter', message }])
    }
    const counts = await countsOf({
      fields: [...new Set(resultType.facets.map(({ field }) => field))],
      text: query?.text ?? null,
      filters,
      publisher,
      ask: askInProcess(deps),
      deps,
    })
    const facets = resultType.facets.map(({ field, limit, minCount }) => {
      const { values, isWhole } = counts.get(field) ?? { values: [], isWhole: true }
      const buckets = values.slice(0, limit ?? maxFacetValues)
      const otherCount = values.slice(buckets.length).reduce((sum, { count }) => sum + count, 0)
      const shown = buckets.filter(({ count }) => count >= (minCount ?? 1))
      return [field, { buckets: shown, ...(isWhole ? { otherCount } : {}) }] as const
    })
    return { body: { resultType: 'facets' as const, facets: Object.fromEntries(facets) } }
  },
})

interface Counted {
  fields: (typeof fields)[number][]
  /** Null: there is none. */
  text: string | null
  /** Null: no skill can match. */
  filters: Record<string, string> | null
  publisher: string
  ask: AskEndpoint
  deps: EndpointDeps
}

/** @throws AppError `invalid_parameters` (400) where only a search counts by a field, and there is no text */
async function countsOf({ fields, text, filters, publisher, ask, deps }: Counted): Promise<Map<string, Counts>> {
  if (filters === null) {
    return new Map()
  }
  const isFaceted = (field: string): field is keyof typeof facetOf => Object.hasOwn(facetOf, field)
  const faceted = fields.filter(isFaceted)
  const { total, facets } =
    text === null
      ? {
          total: (await answerOf(ask, listSkills, { parameters: { ...filters, limit: '1' } })).pagination.total,
          facets: await keptCounts(faceted, filters, deps),
        }
      : await searchedCounts(text, faceted, filters, ask)
  const one = (value: string): Counts => ({ values: total === 0 ? [] : [{ value, count: total }], isWhole: true })
  return new Map<string, Counts>([['type', one(skillType)], ['publisher', one(publisher)], ...facets])
}

async function searchedCounts(
  q: string,
  faceted: (keyof typeof facetOf)[],
  filters: Record<string, string>,
  ask: AskEndpoint,
): Promise<{ total: number; facets: [string, Counts][] }> {
  const facets = faceted.length === 0 ? {} : { facets: faceted.map((field) => facetOf[field]).join(',') }
  const found = await answerOf(ask, searchSkills, { parameters: { q, ...filters, ...facets, limit: '1' } })
  return {
    total: found.pagination.total,
    facets: faceted.map((field) => {
      const values = found.facets?.[facetOf[field]] ?? []
      return [field, { values, isWhole: values.length < maxFacetValues }]
    }),
  }
}

/** The counts of the whole catalog that it keeps. */
function keptCounts(
  faceted: (keyof typeof facetOf)[],
  filters: Record<string, string>,
  { catalog }: EndpointDeps,
): Promise<[string, Counts][]> {
  return Promise.all(
    faceted.map(async (field): Promise<[string, Counts]> => {
      const kept = keptOf[field]
      if (kept === undefined || Object.keys(filters).length > 0) {
        const message =
          `is missing, without which nothing is counted by ${field}` +
          (kept === undefined
            ? `: give a text, or count by ${Object.keys(keptOf).join(', ')}, type or publisher.`
            : ' and a filter: give a text, or count by type or publisher.')
        throw invalidParameters([{ parameter: 'query.text', message }])
      }
      const values = (await catalog.readState<CountedValue[]>(stateKeys.counted(kept))) ?? []
      return [field, { values: values.map(({ value, skills: count }) => ({ value, count })), isWhole: true }]
    }),
  )
}
