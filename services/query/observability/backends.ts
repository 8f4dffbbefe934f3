import type { Catalog } from '../../../shared/ports/catalog.js'
import type { ChangeLog } from '../../../shared/ports/change-log.js'
import type { Client } from '../../../shared/ports/client.js'
import type { ExportStore } from '../../../shared/ports/export-store.js'
import type { SearchIndex } from '../../../shared/ports/search-index.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { Dependency } from './dependency.js'

/** The parts of the ports that the query service uses. */
export interface Backends {
  catalog: Pick<
    Catalog,
    | 'listSkills'
    | 'findSkill'
    | 'findSkills'
    | 'readRepository'
    | 'nearMatches'
    | 'readText'
    | 'readWholeTexts'
    | 'readFiles'
    | 'findPassages'
    | 'readTexts'
    | 'readHistories'
    | 'readState'
  >
  index: Pick<SearchIndex, 'search' | 'suggest' | 'related' | 'status'>
  changes: Pick<ChangeLog, 'after' | 'latest' | 'entriesOf'>
  exports: Pick<ExportStore, 'open' | 'snapshots'>
  datasets: Pick<ExportStore, 'open' | 'snapshots'>
}

/** The backends for the requests of one client, who take turns; without one, for the service itself. */
export type BackendsFor = (client?: Client) => Backends

/**
 * The same backends, with a time limit for each call and one log line per outage.
 *
 * @param options.timeLimitMs time limit of one call, default 5,000
 */
export function guardBackends(
  { catalog, changes, index, exports, datasets }: Backends,
  options: { log: Logger; clock: () => number; timeLimitMs?: number | undefined },
): BackendsFor {
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
  const files = (name: string, store: Pick<ExportStore, 'open' | 'snapshots'>): typeof store => {
    const filesDependency = dependency(name, 'exports_unavailable')
    return {
      // A file that was opened after the time limit must be closed, or its handle leaks.
      open: (sha256, range) =>
        filesDependency.call(
          () => store.open(sha256, range),
          (late) => late?.destroy(),
        ),
      snapshots: () => filesDependency.call(() => store.snapshots()),
    }
  }
  const exportFiles = files('export store', exports)
  const datasetFiles = files('dataset store', datasets)
  return (client) => ({
    catalog: {
      listSkills: (query) => catalogDependency.call(() => catalog.listSkills(query, client)),
      findSkill: (id) => catalogDependency.call(() => catalog.findSkill(id, client)),
      findSkills: (ids) => catalogDependency.call(() => catalog.findSkills(ids, client)),
      readRepository: (repository, limit) =>
        catalogDependency.call(() => catalog.readRepository(repository, limit, client)),
      nearMatches: (id, limit) => catalogDependency.call(() => catalog.nearMatches(id, limit, client)),
      readText: (skill) => catalogDependency.call(() => catalog.readText(skill, client)),
      findPassages: (skills) => catalogDependency.call(() => catalog.findPassages(skills, client)),
      readTexts: (skills) => catalogDependency.call(() => catalog.readTexts(skills, client)),
      readWholeTexts: (skills, query) => catalogDependency.call(() => catalog.readWholeTexts(skills, query, client)),
      readFiles: (skill) => catalogDependency.call(() => catalog.readFiles(skill, client)),
      readHistories: (ids) => catalogDependency.call(() => catalog.readHistories(ids, client)),
      readState: <T>(key: string) => catalogDependency.call(() => catalog.readState<T>(key, client)),
    },
    changes: {
      after: (sequence, limit) => catalogDependency.call(() => changes.after(sequence, limit, client)),
      latest: (limit) => catalogDependency.call(() => changes.latest(limit, client)),
      entriesOf: (ids) => catalogDependency.call(() => changes.entriesOf(ids, client)),
    },
    index: {
      search: (query) => indexDependency.call(() => index.search(query, client)),
      suggest: (text, limit) => indexDependency.call(() => index.suggest(text, limit, client)),
      related: (id, limit) => indexDependency.call(() => index.related(id, limit, client)),
      status: () => indexDependency.call(() => index.status()),
    },
    exports: exportFiles,
    datasets: datasetFiles,
  })
}
