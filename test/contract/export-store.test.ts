import { FileExportStore } from '../../shared/adapters/embedded/file-export-store.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { exportStoreContract } from './export-store.js'

exportStoreContract('files', () => FileExportStore.open(temporaryFolder(), silentLog()))
