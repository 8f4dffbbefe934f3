import { MeiliSearchIndex } from '../../shared/adapters/servers/meili/search-index.js'
import { aLock } from '../support/a-lock.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { testModel } from '../support/test-model.js'
import { searchIndexContract } from './search-index.js'
import { searchSuggestionsContract } from './search-suggestions.js'

whenServer('meilisearch', (url) => {
  const open = async () => {
    const index = new MeiliSearchIndex({ url: url(), key: meiliKey, prefix: 'contract_', embedder: testModel })
    await index.prepare()
    // Documents of the previous test.
    await index.createNext(aLock())
    await index.swap(aLock())
    return index
  }
  searchIndexContract('meilisearch', open)
  searchSuggestionsContract('meilisearch', open)
})
