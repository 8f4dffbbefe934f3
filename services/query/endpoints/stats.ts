import { z } from 'zod'
import { Stats } from '../../../shared/records/stats.js'
import { endpoint } from '../request/endpoint.js'
import { statsMaxAgeSeconds } from '../skills/stats-cache.js'

/** GET /api/v1/stats: the statistics that the indexer computes, cached by this service for five minutes. */
export const stats = endpoint({
  name: 'stats',
  path: '/api/v1/stats',
  summary: 'Statistics of the catalog',
  docs: {
    tag: 'Catalog',
    description: 'Computed every five minutes and cached for up to five more; `Age` is the time in the cache.',
    errors: ['stats_not_ready', 'catalog_unavailable'],
    headers: ['Age'],
  },
  response: z.object({ data: Stats }),
  cache: { maxAgeSeconds: statsMaxAgeSeconds },

  async handle(_, { stats: cache }) {
    const { text, ageSeconds } = await cache.get()
    return { text, headers: { Age: String(ageSeconds) } }
  },
})
