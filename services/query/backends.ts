import type { Logger } from '../../shared/log.js'
import type { CatalogStore } from '../../shared/ports/catalog-store.js'
import type { ChangeLog } from '../../shared/ports/change-log.js'
import type { ExportStore } from '../../shared/ports/export-store.js'
import type { SearchIndex } from '../../shared/ports/search-index.js'
import { Dependency } from './dependency.js'

/** The parts of the ports that the query service reads from. */
export interface Backends {
  catalog: Pick<CatalogStore, 'listSkills' | 'findSkill' | 'findSkills' | 'nearMatches' | 'readState'>
  index: Pick<SearchIndex, 'search' | 'suggest' | 'status'>
  changes: Pick<ChangeLog, 'after'>
  exports: Pick<ExportStore, 'open' | 'snapshots'>
}

/**
 * The same backends, each call bounded in time and each outage logged once.
 *
 * @param options.timeLimitMs how long one call may take, default 5,000
 */
export function guardBackends(
  { catalog, changes, index, exports }: Backends,
  options: { log: Logger; clock: () => number; timeLimitMs?: number | undefined },
): Backends {
  const dependency = (name: string, code: string) =>
    new Dependency({
      name,
      code,
      log: options.log,
      clock: options.clock,
      ...(options.timeLimitMs === undefined ? {} : { timeLimitMs: options.timeLimitMs }),
    })
  const theCatalog = dependency('catalog', 'catalog_unavailable')
  const theIndex = dependency('search index', 'search_unavailable')
  const theExports = dependency('export store', 'exports_unavailable')
  return {
    catalog: {
      listSkills: (query) => theCatalog.ask(() => catalog.listSkills(query)),
      findSkill: (id) => theCatalog.ask(() => catalog.findSkill(id)),
      findSkills: (ids) => theCatalog.ask(() => catalog.findSkills(ids)),
      nearMatches: (id, limit) => theCatalog.ask(() => catalog.nearMatches(id, limit)),
      readState: <T>(key: string) => theCatalog.ask(() => catalog.readState<T>(key)),
    },
    changes: {
      after: (sequence, limit) => theCatalog.ask(() => changes.after(sequence, limit)),
    },
    index: {
      search: (query) => theIndex.ask(() => index.search(query)),
      suggest: (text, limit) => theIndex.ask(() => index.suggest(text, limit)),
      status: () => theIndex.ask(() => index.status()),
    },
    exports: {
      // A file that was opened too late is closed again, or its handle would stay open for good.
      open: (sha256, range) =>
        theExports.ask(
          () => exports.open(sha256, range),
          (late) => late?.destroy(),
        ),
      snapshots: () => theExports.ask(() => exports.snapshots()),
    },
  }
}
