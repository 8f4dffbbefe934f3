import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import { storingRecords } from '../support/stored-records.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { searchIndexContract } from './search-index.js'
import { searchSuggestionsContract } from './search-suggestions.js'

const open = async () => {
  const folder = temporaryFolder()
  const {
    replicas: [index],
  } = await openEmbedded(folder, { threads: false, log: silentLog() })
  return storingRecords(folder, index)
}

searchIndexContract('sqlite', open)
searchSuggestionsContract('sqlite', open)
