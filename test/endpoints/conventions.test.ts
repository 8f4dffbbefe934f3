import { recordsWith } from '../equality/catalog.js'
import { inBothModes, serveRecords } from '../equality/two-modes.js'
import { conventions, fromStores } from './conventions.js'

const records = recordsWith(100)

inBothModes(
  (urls) => serveRecords(urls, records),
  (served, mode) => conventions(served, mode === 'servers' ? fromStores : undefined),
)
