import type { Lock } from '../../shared/ports/catalog-store.js'
import type { SearchIndex } from '../../shared/ports/search-index.js'

/**
 * An index into which the holder of a lock writes only while it holds it: a process that stood still may have lost it
 * to another without having heard of it yet.
 */
export const fencedIndex = (index: SearchIndex, lock: Pick<Lock, 'check'>): SearchIndex => ({
  documentsPerApply: index.documentsPerApply,
  appliesAtOnce: index.appliesAtOnce,
  search: (query) => index.search(query),
  suggest: (text, limit) => index.suggest(text, limit),
  list: (afterId, limit, target) => index.list(afterId, limit, target),
  status: () => index.status(),
  close: () => index.close(),

  async apply(changes, target) {
    await lock.check()
    return index.apply(changes, target)
  },
  async createNext() {
    await lock.check()
    await index.createNext()
  },
  async swap() {
    await lock.check()
    await index.swap()
  },
})
