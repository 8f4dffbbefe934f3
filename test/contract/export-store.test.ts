import { onEachExportStore } from '../support/export-stores.js'
import { exportStoreContract } from './export-store.js'

onEachExportStore(exportStoreContract)
