/**
 * Writes skills through the catalog's own store, in a process of its own: one that can be killed, and that may wait for
 * a file that another one has locked without holding up whoever watches.
 */
import { openCatalog } from '../../shared/adapters/open.js'
import { readSharedConfig } from '../../shared/config.js'
import { silentLog } from '../support/test-log.js'
import type { StoreRequest } from './store-writer.js'

const { catalog } = await openCatalog(readSharedConfig(), {
  threads: false,
  writes: true,
  patienceMs: Number.POSITIVE_INFINITY,
  log: silentLog(),
})
process.on('message', ({ number, put, keepHidden, remove }: StoreRequest) => {
  const work = async () => {
    await catalog.put('skills', put, new Set(keepHidden))
    await catalog.remove('skills', remove)
  }
  work().then(
    () => process.send?.({ number, error: null }),
    (error: unknown) => process.send?.({ number, error: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
process.send?.({ number: 0, error: null })
