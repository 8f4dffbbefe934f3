import { overlaid } from '../../shared/overlaid.js'
import type { CatalogStore } from '../../shared/ports/catalog-store.js'
import type { ExportDraft, ExportStore } from '../../shared/ports/export-store.js'
import type { Fence, SearchIndex } from '../../shared/ports/search-index.js'

// Ports into which the holder of a lock writes only while it holds it: a process that stood still may have lost it to
// another without having heard of it yet.

/** An index that only the holder of the lock changes. A write that brings a fence of its own must pass both. */
export function fencedIndex(index: SearchIndex, lock: Fence): SearchIndex {
  return overlaid(index, {
    apply: (changes, target, inner) => index.apply(changes, target, both(lock, inner)),
    createNext: (inner) => index.createNext(both(lock, inner)),
    swap: (inner) => index.swap(both(lock, inner)),
  })
}

/** The epoch is that of the inner one, which was taken for the write itself. */
const both = (outer: Fence, inner: Fence | undefined): Fence =>
  inner === undefined
    ? outer
    : {
        epoch: inner.epoch,
        check: async () => {
          await outer.check()
          await inner.check()
        },
      }

/** A catalog of which only the holder of the lock writes the notes: watermarks, figures, dead letters. */
export const fencedCatalog = (catalog: CatalogStore, lock: Fence): CatalogStore =>
  overlaid(catalog, {
    async writeState(key, value) {
      await lock.check()
      await catalog.writeState(key, value)
    },
    async keepDeadLetters(letters) {
      await lock.check()
      await catalog.keepDeadLetters(letters)
    },
    async dropDeadLetters(ids) {
      await lock.check()
      await catalog.dropDeadLetters(ids)
    },
  })

/** Export files of which only the holder of the lock publishes a snapshot: once its last file has been taken. */
export function fencedExports(exports: ExportStore, lock: Fence): ExportStore {
  async function* checkedAtItsEnd(drafts: Iterable<ExportDraft> | AsyncIterable<ExportDraft>) {
    yield* drafts
    await lock.check()
  }
  return overlaid(exports, { publish: (moment, drafts) => exports.publish(moment, checkedAtItsEnd(drafts)) })
}
