import { overlaid } from '../../overlaid.js'
import type { SearchIndex } from '../../ports/search-index.js'

/**
 * The same index, whose writes ask their fence before they begin, and once for all: each is one transaction, done in the
 * moment in which it is asked for. It may be done in a thread, which a fence cannot be handed to.
 */
export const fencedFirst = (index: SearchIndex): SearchIndex =>
  overlaid(index, {
    async apply(changes, target, fence) {
      await fence?.check()
      return index.apply(changes, target)
    },
    async createNext(fence) {
      await fence?.check()
      await index.createNext()
    },
    async swap(fence) {
      await fence?.check()
      await index.swap()
    },
  })
