/**
 * The smallest server in front of a Meilisearch: one handler that forwards a search with the official client, by default
 * or (argument `identity`) requesting uncompressed responses.
 */
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { Meilisearch } from 'meilisearch'

const client = new Meilisearch({
  host: process.env['MEILI_URL'] ?? '',
  apiKey: process.env['MEILI_KEY'] ?? '',
  ...(process.argv[2] === 'identity' ? { requestInit: { headers: { 'Accept-Encoding': 'identity' } } } : {}),
})
const app = new Koa()
app.use(async (context) => {
  const { hits, estimatedTotalHits } = await client
    .index<{ skill: string }>('skills')
    .search(String(context.query['q']), { limit: 20, attributesToRetrieve: ['skill'] })
  context.body = { data: hits.map(({ skill }) => JSON.parse(skill)), total: estimatedTotalHits }
})
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\nCtrl-C stops it.\n`)
})
