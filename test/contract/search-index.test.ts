import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { searchIndexContract } from './search-index.js'
import { searchSuggestionsContract } from './search-suggestions.js'

const open = async () => (await openEmbedded(temporaryFolder(), { threads: false, log: silentLog() })).index

searchIndexContract('sqlite', open)
searchSuggestionsContract('sqlite', open)
