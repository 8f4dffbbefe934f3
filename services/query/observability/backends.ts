import type { Catalog } from '../../../shared/ports/catalog.js'
import type { ChangeLog } from '../../../shared/ports/change-log.js'
import type { ExportStore } from '../../../shared/ports/export-store.js'
import type { SearchIndex } from '../../../shared/ports/search-index.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { Dependency } from './dependency.js'

/** The parts of the ports that the query service uses. */
export interface Backends {
  catalog: Pick<Catalog, 'listSkills' | 'findSkill' | 'findSkills' | 'nearMatches' | 'readHistories' | 'readState'>
  index: Pick<SearchIndex, 'search' | 'suggest' | 'related' | 'status'>
  changes: Pick<ChangeLog, 'after'>
  exports: Pick<ExportStore, 'open' | 'snapshots'>
}

/**
 * The same backends, with a time limit for each call and one log line per outage.
 *
 * @param options.timeLimitMs time limit of one call, default 5,000
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
  const catalogDependency = dependency('catalog', 'catalog_unavailable')
  const indexDependency = dependency('search index', 'search_unavailable')
  const exportsDependency = dependency('export store', 'exports_unavailable')
  return {
    catalog: {
      listSkills: (query) => catalogDependency.call(() => catalog.listSkills(query)),
      findSkill: (id) => catalogDependency.call(() => catalog.findSkill(id)),
      findSkills: (ids) => catalogDependency.call(() => catalog.findSkills(ids)),
      nearMatches: (id, limit) => catalogDependency.call(() => catalog.nearMatches(id, limit)),
      readHistories: (ids) => catalogDependency.call(() => catalog.readHistories(ids)),
      readState: <T>(key: string) => catalogDependency.call(() => catalog.readState<T>(key)),
    },
    changes: {
      after: (sequence, limit) => catalogDependency.call(() => changes.after(sequence, limit)),
    },
    index: {
      search: (query) => indexDependency.call(() => index.search(query)),
      suggest: (text, limit) => indexDependency.call(() => index.suggest(text, limit)),
      related: (id, limit) => indexDependency.call(() => index.related(id, limit)),
      status: () => indexDependency.call(() => index.status()),
    },
    exports: {
      // A file that was opened after the time limit must be closed, or its handle leaks.
      open: (sha256, range) =>
        exportsDependency.call(
          () => exports.open(sha256, range),
          (late) => late?.destroy(),
        ),
      snapshots: () => exportsDependency.call(() => exports.snapshots()),
    },
  }
}
