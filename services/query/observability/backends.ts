import type { Catalog } from '../../../shared/ports/catalog.js'
import type { ChangeLog } from '../../../shared/ports/change-log.js'
import type { ExportStore } from '../../../shared/ports/export-store.js'
import type { SearchIndex, SearchPage } from '../../../shared/ports/search-index.js'
import type { Skill } from '../../../shared/records/skill.js'
import { AppError, indexBeingBuilt, tryAgain } from '../../../shared/runtime/errors.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { FairQueue } from '../request/fair-queue.js'

/** The parts of the ports that the query service uses. */
export interface Backends {
  catalog: Pick<
    Catalog,
    | 'listSkills'
    | 'listVersion'
    | 'findSkill'
    | 'findSkills'
    | 'readRepository'
    | 'nearMatches'
    | 'readText'
    | 'readWholeTexts'
    | 'readFiles'
    | 'findPassages'
    | 'readHistories'
    | 'readState'
  >
  index: Pick<SearchIndex, 'search' | 'suggest' | 'related' | 'status'>
  changes: Pick<ChangeLog, 'after' | 'latest' | 'entriesOf'>
  exports: Pick<ExportStore, 'open' | 'snapshots'>
  datasets: Pick<ExportStore, 'open' | 'snapshots'>
}

/** Calls for clients that the stores can work on at the same time; see `Stores`. */
export interface CallsAtOnce {
  byKey: number
  lists: number
  searches: number
}

/** The backends for the requests of one client, by its key; clients take turns. Without one, for the service itself. */
export type BackendsFor = (client?: string) => Backends

/**
 * The same backends, with a time limit for each call, turns of the clients, and one log line per outage.
 *
 * @param options.timeLimitMs time limit of one call, waiting included, default 5,000
 */
export function guardBackends(
  { catalog, changes, index, exports, datasets, callsAtOnce }: Backends & { callsAtOnce: CallsAtOnce },
  { log, clock, timeLimitMs = 5_000 }: { log: Logger; clock: () => number; timeLimitMs?: number | undefined },
): BackendsFor {
  const dependency = (name: string, code: string) => new Dependency({ name, code, log, clock, timeLimitMs })
  const ofCatalog = dependency('catalog', 'catalog_unavailable')
  const ofIndex = dependency('search index', 'search_unavailable')
  const files = (name: string, store: Pick<ExportStore, 'open' | 'snapshots'>): typeof store => {
    const ofFiles = dependency(name, 'exports_unavailable')
    return {
      // A file that was opened after the time limit must be closed, or its handle leaks.
      open: (sha256, range) =>
        ofFiles.call(
          () => store.open(sha256, range),
          (late) => late?.destroy(),
        ),
      snapshots: (named) => ofFiles.call(() => store.snapshots(named)),
    }
  }
  const exportFiles = files('export store', exports)
  const datasetFiles = files('dataset store', datasets)
  const turns = {
    byKey: new FairQueue({ atOnce: callsAtOnce.byKey }),
    lists: new FairQueue({ atOnce: callsAtOnce.lists }),
    searches: new FairQueue({ atOnce: callsAtOnce.searches }),
  }
  /** @throws AppError `search_unavailable` (503) where nothing was found since the index of many skills is still to be built */
  const checked = async <T extends SearchPage | Skill[]>(found: T): Promise<T> => {
    const isNothing = ('hits' in found ? found.total : found.length) === 0
    if (isNothing && (await index.status()).documents === 0) {
      const { total } = await catalog.listSkills({ filters: {}, sort: 'updated', order: 'desc', limit: 1 })
      if (total > maxSoonIndexed) {
        throw indexBeingBuilt()
      }
    }
    return found
  }
  return (client) => {
    const byKey = <T>(read: () => Promise<T>) => ofCatalog.call(() => turns.byKey.run(client, read))
    const list = <T>(read: () => Promise<T>) => ofCatalog.call(() => turns.lists.run(client, read))
    const search = <T>(read: () => Promise<T>) => ofIndex.call(() => turns.searches.run(client, read))
    return {
      catalog: {
        listSkills: (query) => list(() => catalog.listSkills(query)),
        // Of a kept answer it is all that is read. Next to reads by key it would make these look shorter than they are.
        listVersion: () => ofCatalog.call(() => catalog.listVersion()),
        findSkill: (id) => byKey(() => catalog.findSkill(id)),
        findSkills: (ids) => list(() => catalog.findSkills(ids)),
        readRepository: (repository, limit) => byKey(() => catalog.readRepository(repository, limit)),
        nearMatches: (id, limit) => list(() => catalog.nearMatches(id, limit)),
        readText: (skill) => byKey(() => catalog.readText(skill)),
        findPassages: (skills) => list(() => catalog.findPassages(skills)),
        readWholeTexts: (skills, query) => list(() => catalog.readWholeTexts(skills, query)),
        readFiles: (skill) => byKey(() => catalog.readFiles(skill)),
        readHistories: (ids) => list(() => catalog.readHistories(ids)),
        readState: <T>(key: string) => byKey(() => catalog.readState<T>(key)),
      },
      changes: {
        after: (sequence, limit) => list(() => changes.after(sequence, limit)),
        latest: (limit) => list(() => changes.latest(limit)),
        entriesOf: (ids) => list(() => changes.entriesOf(ids)),
      },
      index: {
        search: (query) => search(() => index.search(query).then(checked)),
        suggest: (text, limit) => search(() => index.suggest(text, limit).then(checked)),
        related: (id, limit) => search(() => index.related(id, limit)),
        status: () => ofIndex.call(() => index.status()),
      },
      exports: exportFiles,
      datasets: datasetFiles,
    }
  }
}

/** As many skills are in the index a moment after they are in the catalog. */
const maxSoonIndexed = 1_000

export interface DependencyOptions {
  /** Its name in the log and in problems, for instance `catalog`. */
  name: string
  /** The problem code of an outage, for instance `catalog_unavailable`. */
  code: string
  log: Logger
  /** Time limit of one call. */
  timeLimitMs: number
  /** Epoch milliseconds. */
  clock: () => number
}

/** An outage is over when a call succeeds this long after the last failure. */
const quietMs = 30_000

/**
 * One backend of the service. Limits the time of every call, turns failures into a 503 without internals, and logs an
 * outage once when it begins and once when it ends: a log line for each failed request would bury the cause.
 */
export class Dependency {
  readonly #options: DependencyOptions
  #downSinceMs: number | null = null
  #lastFailureMs = 0

  constructor(options: DependencyOptions) {
    this.#options = options
  }

  /**
   * Makes one call.
   *
   * @param dropLate receives a result that arrives after the time limit, to release it
   * @throws AppError of the call itself if it concerns the client (below 500, or a 503 that is no outage), else a 503
   */
  async call<T>(call: () => Promise<T>, dropLate?: (late: T) => void): Promise<T> {
    try {
      const result = await withinTime(call(), this.#options.timeLimitMs, dropLate)
      this.#succeeded()
      return result
    } catch (error) {
      const { status, code } = error instanceof AppError ? error : { status: null, code: '' }
      // Errors of the client, and of the backend with another code, are no outage.
      if (status !== null && (status < 500 || (status === 503 && code !== this.#options.code))) {
        throw error
      }
      throw this.#failed(error)
    }
  }

  #succeeded(): void {
    const { name, log, clock } = this.#options
    if (this.#downSinceMs !== null && clock() - this.#lastFailureMs >= quietMs) {
      log.info({ dependency: name, downMs: this.#lastFailureMs - this.#downSinceMs }, 'dependency recovered')
      this.#downSinceMs = null
    }
  }

  #failed(error: unknown): AppError {
    const { name, code, log, clock } = this.#options
    this.#lastFailureMs = clock()
    if (this.#downSinceMs === null) {
      this.#downSinceMs = this.#lastFailureMs
      log.error({ dependency: name, err: error }, 'dependency unavailable')
    }
    return error instanceof AppError && error.status === 503
      ? error
      : tryAgain(code, `The ${name} is unavailable.`, 5, error)
  }
}

/**
 * The result of a call.
 *
 * @param dropLate receives a result that arrives after the time limit, to release it
 * @throws Error when it does not settle in time; else as the call
 */
export const withinTime = <T>(
  called: Promise<T>,
  timeLimitMs: number,
  dropLate: (late: T) => void = () => {},
): Promise<T> =>
  new Promise((resolve, reject) => {
    let take: (result: T) => void = resolve
    const timer = setTimeout(() => {
      take = dropLate
      reject(new Error(`no answer within ${timeLimitMs} ms`))
    }, timeLimitMs)
    called.then(
      (result) => {
        clearTimeout(timer)
        take(result)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
