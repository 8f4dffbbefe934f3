import type { SharedConfig } from '../config.js'
import type { Logger } from '../log.js'
import type { CatalogStore } from '../ports/catalog-store.js'
import type { ExportStore } from '../ports/export-store.js'
import type { SearchIndex } from '../ports/search-index.js'

/** The stores that both services stand on. */
export interface Stores {
  catalog: CatalogStore
  index: SearchIndex
  exports: ExportStore
  /** Closes all three, after the calls under way. */
  close(): Promise<void>
}

export interface OpenOptions {
  /**
   * True for a service: queries run beside the event loop, in worker threads. False for a command: they run in this
   * thread, which has nothing else to do.
   */
  threads: boolean
  log: Logger
}

/**
 * Opens the stores of the configured mode.
 *
 * @throws AppError with an operator's message when they cannot be opened
 */
export async function openStores(config: SharedConfig, options: OpenOptions): Promise<Stores> {
  const { openEmbedded } = await import('./embedded/open-embedded.js')
  return openEmbedded(config.dataDir, options)
}
