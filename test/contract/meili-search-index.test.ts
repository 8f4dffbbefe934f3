import { beforeAll } from '@jest/globals'
import { Meilisearch } from 'meilisearch'
import { meiliSearchIndex } from '../../shared/adapters/servers/meili/search-index.js'
import { aLock } from '../support/a-lock.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { testModel } from '../support/test-model.js'
import { searchIndexContract } from './search-index.js'
import { searchSuggestionsContract } from './search-suggestions.js'

whenServer('meilisearch', (url) => {
  const options = () => ({ url: url(), key: meiliKey, prefix: 'contract_', embedder: testModel })
  beforeAll(async () => {
    const index = meiliSearchIndex(options())
    await index.prepare()
    await index.createNext(aLock())
    await index.swap(aLock())
  })
  const open = async () => {
    const client = new Meilisearch({ host: url(), apiKey: meiliKey })
    // The documents of the previous test, and the index that it has left behind. Tasks are done in their order.
    await client.deleteIndex('contract_skills_next')
    await client.index('contract_skills').deleteAllDocuments().waitTask()
    const index = meiliSearchIndex(options())
    await index.prepare()
    return index
  }
  searchIndexContract('meilisearch', open)
  searchSuggestionsContract('meilisearch', open)
})
