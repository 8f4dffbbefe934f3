/**
 * Writes skills through the catalog's store in a separate process, which can be killed, and can wait for a file lock
 * without blocking the readers of the soak.
 */
import { openCatalog } from '../../shared/adapters/open.js'
import { readSharedConfig } from '../../shared/runtime/config.js'
import { silentLog } from '../support/test-log.js'
import type { StoreRequest } from './writers.js'

const { catalog } = await openCatalog(readSharedConfig(), {
  threads: false,
  writes: true,
  startTimeoutMs: Number.POSITIVE_INFINITY,
  log: silentLog(),
})
process.on('message', ({ number, put, keepHidden, remove }: StoreRequest) => {
  const work = async () => {
    await catalog.put('skills', put, { keepHidden: new Set(keepHidden) })
    await catalog.remove('skills', remove)
  }
  work().then(
    () => process.send?.({ number, error: null }),
    (error: unknown) => process.send?.({ number, error: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
process.send?.({ number: 0, error: null })
