import type { Catalog } from '../../../shared/ports/catalog.js'
import { operatorError } from '../../../shared/runtime/errors.js'

/**
 * Runs `work` under the lock of commands that write records: two imports of one type would undo each other's --replace.
 *
 * @throws AppError `import_running`
 */
export async function withWriteLock<T>(catalog: Pick<Catalog, 'lock'>, work: () => Promise<T>): Promise<T> {
  const lock = await catalog.lock('import')
  if (lock === null) {
    throw operatorError(
      'import_running',
      'Another import or seed is writing to this catalog. Wait for it to end, then try again.',
    )
  }
  try {
    return await work()
  } finally {
    // One that cannot be released expires.
    await lock.release().catch(() => undefined)
  }
}
