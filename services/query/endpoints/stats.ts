import { z } from 'zod'
import { Stats } from '../../../shared/records/stats.js'
import { endpoint } from '../endpoint.js'
import { statsMaxAgeSeconds } from '../stats-cache.js'

/** GET /api/v1/stats: the catalog in figures. They are the indexer's; this service keeps them for five minutes. */
export const stats = endpoint({
  name: 'stats',
  path: '/api/v1/stats',
  summary: 'The catalog in figures',
  docs: {
    tag: 'Catalog',
    description: 'Computed every five minutes and kept for five more; `Age` tells.',
    errors: ['stats_not_ready', 'catalog_unavailable'],
    headers: ['Age'],
  },
  params: z.object({}),
  query: z.object({}),
  response: z.object({ data: Stats }),
  limits: ['default'],
  cache: { maxAgeSeconds: statsMaxAgeSeconds },

  async handle(_, { stats: cache }) {
    const { stats, ageSeconds } = await cache.get()
    return { body: { data: stats }, headers: { Age: String(ageSeconds) } }
  },
})
