import { z } from 'zod'
import { type CountedKind, type CountedValue, maxCountedValues } from '../../../../shared/ports/dataset-reader.js'
import { PathSegment } from '../../../../shared/records/schemas.js'
import { tryAgain } from '../../../../shared/runtime/errors.js'
import { stateKeys } from '../../../../shared/state-keys.js'
import { formatCount } from '../../../../shared/text/format-numbers.js'
import { htmlType, pageAnswer } from '../../pages/render-page.js'
import { type Endpoint, endpoint } from '../../request/endpoint.js'
import { OneOf, TopicSegment, WholeNumber } from '../../request/parameters.js'
import { problemError } from '../../request/problems.js'
import type { Ask, ListAnswer, SearchAnswer } from '../../web/api/answers.js'
import { countedIn, listingAddress } from '../../web/components/first-view.js'
import { isByRepository } from '../../web/search/search-state.js'
import { askThisService, PageOfPages, pageOfPages } from './page-data.js'

const listingParameters = {
  sort: OneOf(['stars', 'trending', 'updated', 'created', 'name'])
    .default('stars')
    .describe('the order of the skills; without a value they come last'),
  page: PageOfPages.default(1).describe(pageOfPages),
}

const shownValues = 12

/** The skills of a page, and the most frequent values of their facets; these are empty when the search cannot answer. */
async function readListing(
  ask: Ask,
  filter: { owner: string } | { topic: string },
  { sort, page }: { sort: string; page: number },
): Promise<{ list: ListAnswer; valuesOf: (facet: string) => string[] }> {
  const narrowed = new URLSearchParams(filter)
  const distinct = isByRepository(sort) ? { distinct: 'repository' } : {}
  const listed = new URLSearchParams({ ...filter, sort, page: String(page), ...distinct })
  // Every skill has its owner and its topics among its words.
  const counted = new URLSearchParams({ ...filter, q: String([...narrowed.values()][0]), mode: 'keyword', limit: '1' })
  counted.set('facets', 'topics,owner,language')
  const [list, facets] = await Promise.all([
    ask<ListAnswer>(`/api/v1/skills?${listed}`),
    ask<SearchAnswer>(`/api/v1/skills/search?${counted}`).then(
      (answer) => answer.facets,
      () => undefined,
    ),
  ])
  return { list, valuesOf: (facet) => (facets?.[facet] ?? []).slice(0, shownValues).map(({ value }) => value) }
}

/** GET /organizations/:owner: the skills of one organization as a page. */
export const organizationPage = endpoint({
  name: 'organization-page',
  path: '/organizations/:owner',
  summary: 'The skills of one organization as a page',
  docs: { tag: 'Discovery', errors: ['organization_unknown', 'catalog_unavailable', 'query_timeout'] },
  produces: htmlType,
  params: z.object({ owner: PathSegment.describe('the owner of skills, any case') }),
  query: z.object(listingParameters),
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

  async handle({ params, query, header, path }, deps) {
    const login = params.owner.toLowerCase()
    const { list, valuesOf } = await readListing(askThisService(deps), { owner: login }, query)
    if (list.pagination.total === 0) {
      throw problemError('organization_unknown', `No published skill has the owner ${login}. Search for another one.`)
    }
    const origin = deps.originOf(header)
    const name = list.data[0]?.owner ?? login
    return pageAnswer({
      title: `Skills of ${name} – Skill Catalog`,
      description: `Skills of ${name} for AI agents: ${formatCount(list.pagination.total, countedIn(query.sort))}.`,
      canonical: `${origin}${listingAddress(`/organizations/${login}`, query.sort, query.page)}`,
      json: `/api/v1/skills?owner=${login}`,
      path,
      shown: {
        view: 'organization',
        data: {
          name,
          login,
          topics: valuesOf('topics'),
          languages: valuesOf('language'),
          origin,
          list,
          sort: query.sort,
          path: `/organizations/${login}`,
        },
      },
    })
  },
})

/** GET /topics/:topic: the skills of one topic as a page. */
export const topicPage = endpoint({
  name: 'topic-page',
  path: '/topics/:topic',
  summary: 'The skills of one topic as a page',
  docs: { tag: 'Discovery', errors: ['topic_unknown', 'catalog_unavailable', 'query_timeout'] },
  produces: htmlType,
  params: z.object({ topic: TopicSegment.describe('the topic, any case') }),
  query: z.object(listingParameters),
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

  async handle({ params: { topic }, query, header }, deps) {
    const { list, valuesOf } = await readListing(askThisService(deps), { topic }, query)
    if (list.pagination.total === 0) {
      throw problemError('topic_unknown', `No published skill has the topic ${topic}. Search for it instead.`)
    }
    const origin = deps.originOf(header)
    const path = `/topics/${encodeURIComponent(topic)}`
    return pageAnswer({
      title: `${topic} – Skill Catalog`,
      description: `Skills about ${topic} for AI agents: ${formatCount(list.pagination.total, countedIn(query.sort))}.`,
      canonical: `${origin}${listingAddress(path, query.sort, query.page)}`,
      json: `/api/v1/skills?${new URLSearchParams({ topic })}`,
      path,
      shown: {
        view: 'topic',
        data: {
          topic,
          topics: valuesOf('topics').filter((other) => other !== topic),
          owners: valuesOf('owner'),
          origin,
          list,
          sort: query.sort,
          path,
        },
      },
    })
  },
})

/** GET /repositories: the repositories as a page, each with its first skill. */
export const repositoryIndex = endpoint({
  name: 'repository-index',
  path: '/repositories',
  summary: 'The repositories as a page, each with its first skill',
  docs: { tag: 'Discovery', errors: ['catalog_unavailable', 'query_timeout'] },
  produces: htmlType,
  query: z.object(listingParameters),
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

  async handle({ query: { sort, page }, header, path }, deps) {
    const listed = new URLSearchParams({ sort, page: String(page), distinct: 'repository' })
    const list = await askThisService(deps)<ListAnswer>(`/api/v1/skills?${listed}`)
    return pageAnswer({
      title: 'Repositories – Skill Catalog',
      description: 'The repositories of skills for AI agents.',
      canonical: `${deps.originOf(header)}${listingAddress(path, sort, page)}`,
      json: '/api/v1/skills?distinct=repository',
      path,
      shown: { view: 'repositories', data: { list, sort, path, isOfRepositories: true } },
    })
  },
})

const perPage = 100

const lastPage = maxCountedValues / perPage

/** A page that lists all organizations or topics, as the job `compute-stats` counted them last. */
const indexPage = (kind: CountedKind, title: string) =>
  endpoint({
    name: kind === 'topics' ? 'topic-index' : 'organization-index',
    path: `/${kind}`,
    summary: `The ${kind} as a page, those with the most skills first`,
    docs: { tag: 'Discovery', errors: ['stats_not_ready', 'catalog_unavailable'] },
    produces: htmlType,
    query: z.object({
      page: WholeNumber(1, lastPage).default(1).describe(`number of the page, 1 to ${lastPage}`),
    }),
    cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

    async handle({ query: { page }, header, path }, { catalog, originOf }) {
      const values = await catalog.readState<CountedValue[]>(stateKeys.counted(kind))
      if (values === null) {
        throw tryAgain('stats_not_ready', `The ${kind} are being counted for the first time.`, 5)
      }
      return pageAnswer({
        title: `${title} – Skill Catalog`,
        description: `The ${kind} of skills for AI agents, those with the most skills first.`,
        canonical: `${originOf(header)}${listingAddress(`/${kind}`, 'stars', page)}`,
        path,
        shown: {
          view: 'index',
          data: {
            kind,
            title,
            values: values.slice((page - 1) * perPage, page * perPage),
            total: values.length,
            isCut: values.length === maxCountedValues,
            page,
            totalPages: Math.ceil(values.length / perPage),
          },
        },
      })
    },
  })

/** GET /organizations, GET /topics. */
export const indexPages: Endpoint[] = [indexPage('organizations', 'Organizations'), indexPage('topics', 'Topics')]
