import type { CatalogStore, Lock } from '../../shared/ports/catalog-store.js'
import type { ExportDraft, ExportStore } from '../../shared/ports/export-store.js'
import type { SearchIndex } from '../../shared/ports/search-index.js'

// Ports into which the holder of a lock writes only while it holds it: a process that stood still may have lost it to
// another without having heard of it yet.

type Fence = Pick<Lock, 'check'>

/** An index that the holder of the lock only changes. */
export const fencedIndex = (index: SearchIndex, lock: Fence): SearchIndex =>
  fenced(index, ['apply', 'createNext', 'swap'], lock)

/** A catalog of which the holder of the lock only writes the notes: watermarks, figures, dead letters. */
export const fencedCatalog = (catalog: CatalogStore, lock: Fence): CatalogStore =>
  fenced(catalog, ['writeState', 'keepDeadLetters', 'dropDeadLetters'], lock)

/** Export files of which the holder of the lock only publishes a snapshot: once its last file has been taken. */
export function fencedExports(exports: ExportStore, lock: Fence): ExportStore {
  async function* checkedAtItsEnd(drafts: Iterable<ExportDraft> | AsyncIterable<ExportDraft>) {
    yield* drafts
    await lock.check()
  }
  return {
    snapshots: () => exports.snapshots(),
    open: (sha256, range) => exports.open(sha256, range),
    close: () => exports.close(),
    publish: (moment, drafts) => exports.publish(moment, checkedAtItsEnd(drafts)),
  }
}

/** The same port, of which these methods ask first whether the lock is still held. */
function fenced<Port extends object>(port: Port, writes: (keyof Port)[], lock: Fence): Port {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') {
        return member
      }
      return !writes.some((write) => write === name)
        ? member.bind(target)
        : async (...args: unknown[]) => {
            await lock.check()
            return member.apply(target, args)
          }
    },
  })
}
