import type { CatalogStore } from '../../../shared/ports/catalog-store.js'
import type { MirrorState } from './mirror-state.js'
import type { SourceCatalog } from './source-catalog.js'

/** A catalog that is being made, and kept, a copy of another one. */
export interface Mirror {
  source: SourceCatalog
  catalog: CatalogStore
  /** Where a download may be kept on its way. */
  folder: string
  state: MirrorState
  /** What was done so far. */
  counts: MirrorCounts
  display: MirrorDisplay
}

interface MirrorCounts {
  /** Skills that were added or changed. */
  published: number
  removed: number
  /** How often the copy had to be made anew. */
  restarts: number
  /** What the copy was begun with; null: it was there. */
  from: 'export' | 'changes' | null
}

/** Shows how far it has come. */
interface MirrorDisplay {
  update(done: number, total: number | null, note: string): void
  tell(line: string): void
}
