import { beforeEach, expect, test } from '@jest/globals'
import { MeiliSearchIndex } from '../../shared/adapters/servers/meili/search-index.js'
import type { Client } from '../../shared/ports/rate-limiter.js'
import { aFence } from '../support/a-fence.js'
import { aQuery } from '../support/factories.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { endedBeforeAnother } from '../support/turns.js'

whenServer('meilisearch', (url) => {
  let index: MeiliSearchIndex
  beforeEach(async () => {
    index = new MeiliSearchIndex({ url: url(), key: meiliKey, prefix: 'turns_', embedder: null })
    await index.createNext(aFence())
    await index.swap(aFence())
  })

  const calls: Record<string, (number: number, client: Client) => Promise<unknown>> = {
    searches: (number, client) => index.search(aQuery(`pdf ${number}`), client),
    suggestions: (number, client) => index.suggest(`pdf ${number}`, 5, client),
    'related skills': (number, client) => index.related(`acme/pdf-${number}`, 5, client),
  }

  test.each(Object.entries(calls))('clients take turns at Meilisearch: %s', async (_, call) => {
    const running = 16

    expect(await endedBeforeAnother(64, call)).toBeLessThanOrEqual(3 * running)
  })
})
