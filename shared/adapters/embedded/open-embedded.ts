import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { BuiltInEmbedder } from '../../embedding/built-in-embedder.js'
import type { Embedder, Vector } from '../../ports/embedder.js'
import { maxOfRepository } from '../../ports/skill-reader.js'
import { readSynonyms } from '../../ranking/other-words.js'
import { operatorError } from '../../runtime/errors.js'
import { keptDatasets } from '../files/stored-snapshot.js'
import type { OpenOptions, Stores } from '../stores.js'
import { FileExportStore } from './exports/file-export-store.js'
import { catalogFile, createCatalog, hasCatalog, refuseEmpty } from './folder-format.js'
import { catalogIn } from './sqlite/catalog/catalog.js'
import { readRepository } from './sqlite/catalog/find-by-id.js'
import { isQuickList } from './sqlite/catalog/skill-list.js'
import { changeLogIn } from './sqlite/change-log/change-log.js'
import { SqliteDatabase } from './sqlite/database.js'
import { checkFormat, migrate } from './sqlite/migrations.js'
import { SqliteSearchIndex } from './sqlite/search/search-index.js'
import { openThreads } from './threads/threads.js'

/** How long a read in this thread may wait for another process, since it delays all requests. */
const busyMs = 50

/** Skills of a repository that are read in this thread. */
const listedHere = 20

/** The cache of each connection of a service, which has up to seven: 32 MB made no search faster. */
const serviceCacheKibibytes = 4_000

/** The maximum cache of each connection of a command: what a batch of an import changes among 400,000 skills. */
const commandCacheKibibytes = 128_000

interface EmbeddedOptions extends Pick<OpenOptions, 'threads' | 'searchThreads' | 'creates' | 'awaitsSample' | 'log'> {
  /** See `OpenOptions`; default true. False: the folder must have a catalog of this version, and nothing in it is changed. */
  writes?: boolean
  /** See `SharedConfig`. */
  synonymsFile?: string | undefined
  /** Null, the default: the index has no vectors. */
  embedder?: Embedder | null
}

/**
 * Opens the catalog in a folder: `catalog.db` with the records, `search-<number>.db` with the search index, `exports/`
 * and `dataset/` with the published files, `locks/`. Creates missing files and folders, if it may write.
 *
 * @throws AppError `data_folder_unusable`, `data_folder_newer`, `database_damaged`, `catalog_lost` or `disk_full`;
 * `no_catalog` where it may not create one, `data_folder_older` where it may not write
 */
export async function openEmbedded(
  dataDir: string,
  {
    threads,
    searchThreads = 2,
    writes = true,
    creates = writes,
    awaitsSample = false,
    log,
    synonymsFile,
    embedder = null,
  }: EmbeddedOptions,
): Promise<Stores> {
  const model = embedder?.model ?? null
  const file = catalogFile(dataDir)
  const exists = hasCatalog(dataDir)
  if (!exists && creates) {
    await createCatalog(dataDir, awaitsSample)
  } else if (!exists) {
    throw operatorError(
      'no_catalog',
      `There is no catalog in the folder ${dataDir}. Set DATA_DIR to one that has a catalog, or import records first.`,
    )
  }
  const lockFolder = join(dataDir, 'locks')
  // Opened in this thread first in both cases, so that errors of the file are reported before anything starts.
  const cacheKibibytes = threads === true ? serviceCacheKibibytes : commandCacheKibibytes
  const db = new SqliteDatabase(file, { cacheKibibytes })
  try {
    refuseEmpty(dataDir, db)
    if (writes) {
      migrate(db)
    } else {
      checkFormat(db)
      db.exec('PRAGMA query_only = ON')
    }
    const index = yielding(new SqliteSearchIndex(db, { synonyms: readSynonyms(synonymsFile), model, writes }))
    const exports = await FileExportStore.open(join(dataDir, 'exports'), log, { writes })
    const datasets = await FileExportStore.open(join(dataDir, 'dataset'), log, { kept: keptDatasets, writes })
    const files = { exports, datasets, workFolder: dataDir }
    const closeFile = () => {
      if (writes) {
        db.copyLog()
      }
      db.close()
    }
    if (!threads) {
      return {
        catalog: yielding(catalogIn(db, lockFolder)),
        changes: yielding(changeLogIn(db)),
        ingest: null,
        index,
        replicas: [index],
        ...files,
        embedder,
        // Each runs to its end in this thread.
        callsAtOnce: { byKey: 1, lists: 1, searches: 1 },
        close: async () => {
          await index.close()
          closeFile()
        },
      }
    }
    await index.close()
    const isCommand = threads === 'command'
    const { embed, ...ports } = openThreads(
      { file, lockFolder, cacheKibibytes, synonymsFile, model },
      { isCommand, searchThreads: isCommand ? 0 : searchThreads },
    )
    db.exec(`PRAGMA busy_timeout = ${busyMs}`)
    const here = catalogIn(db, lockFolder)
    const close = async () => {
      await ports.close()
      closeFile()
    }
    return {
      ...ports,
      replicas: [ports.index],
      catalog: {
        ...ports.catalog,
        // Takes less time than a message to a thread: such a message wakes another core.
        findSkill: (id) => here.findSkill(id),
        readRepository: async (repository, limit = maxOfRepository) => {
          const first = readRepository(db, repository, Math.min(limit, listedHere))
          // Reading all records of a large repository here would keep requests waiting.
          return first.records.length === Math.min(limit, listedHere) && limit > listedHere
            ? ports.catalog.readRepository(repository, limit)
            : first
        },
        readText: (skill) => here.readText(skill),
        readFiles: (skill) => here.readFiles(skill),
        readState: (key) => here.readState(key),
        lock: (name) => here.lock(name),
        listSkills: (query) => (isQuickList(db, query) ? here : ports.catalog).listSkills(query),
        listVersion: () => here.listVersion(),
        close,
      },
      close,
      ingest: null,
      ...files,
      // Reads by key run in this thread.
      callsAtOnce: { byKey: Number.POSITIVE_INFINITY, lists: searchThreads, searches: searchThreads },
      embedder: threads === true && embedder instanceof BuiltInEmbedder ? inThread(embedder, embed) : embedder,
    }
  } catch (error) {
    db.close()
    throw error
  }
}

/** The built-in embedder, with documents embedded in a thread: a thousand of them take some 40 ms. */
const inThread = (builtIn: BuiltInEmbedder, embed: (texts: string[]) => Promise<Vector[]>): Embedder => ({
  model: builtIn.model,
  kind: builtIn.kind,
  dimensions: () => builtIn.dimensions(),
  embed: (texts, purpose) => (purpose === 'query' ? builtIn.embed(texts, purpose) : embed(texts)),
  close: () => builtIn.close(),
})

/**
 * The same port, yielding to the event loop after every call. SQLite is synchronous: a loop of calls would delay signals,
 * timers and the release of native memory until its end.
 */
function yielding<T extends object>(port: T): T {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      return typeof method !== 'function'
        ? method
        : async (...args: unknown[]) => {
            const result: unknown = await method.apply(target, args)
            await setImmediate()
            return result
          }
    },
  })
}
