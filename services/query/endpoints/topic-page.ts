import { z } from 'zod'
import { formatCount } from '../../../shared/text/format-numbers.js'
import { askThisService, listingParameters, readListing } from '../pages/page-data.js'
import { htmlType, pageHeaders, renderPage } from '../pages/render-page.js'
import { problemError } from '../problems/errors.js'
import { endpoint } from '../request/endpoint.js'
import { TopicSegment } from '../request/parameters.js'
import { countedIn, listingAddress } from '../web/components/first-view.js'

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
    const text = renderPage({
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
    return { text, headers: pageHeaders }
  },
})
