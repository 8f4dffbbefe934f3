import type { ResourceLimits } from 'node:worker_threads'
import type { Catalog } from '../../../ports/catalog.js'
import type { ChangeLog } from '../../../ports/change-log.js'
import type { Vector } from '../../../ports/embedder.js'
import type { Lock } from '../../../ports/locks.js'
import type { ApplyOutcome, IndexReplica } from '../../../ports/search-index.js'
import { untilIdle } from '../../../runtime/end-process.js'
import { openThreadPool } from '../../../runtime/thread-pool.js'
import { settingsFingerprint } from '../../../search-settings.js'
import { recordsPerPut } from '../sqlite/catalog/catalog.js'
import { takeFileLock } from '../sqlite/catalog/job-data.js'
import { prepareDocument } from '../sqlite/search/index-tables.js'
import { documentsPerApply } from '../sqlite/search/search-index.js'
import type { ThreadCall, ThreadData } from './thread.js'

/**
 * Where a method runs. `query`: in one of the threads for requests; jobs read there by id as well. `work`: in the single
 * thread of the jobs, so that requests do not wait for long work of theirs. `index`: there too, or, in a command that writes
 * much, in a thread of its own: the index has its own file, which is written while the catalog is read.
 */
type Place = 'query' | 'work' | 'index'

const catalogPlaces: Record<Exclude<keyof Catalog, 'lock' | 'close' | 'recordsPerPut'>, Place> = {
  listSkills: 'query',
  listVersion: 'query',
  findSkill: 'query',
  findSkills: 'query',
  readRepository: 'query',
  nearMatches: 'query',
  readState: 'query',
  put: 'work',
  setStates: 'work',
  remove: 'work',
  findStored: 'work',
  idsOfRepository: 'work',
  findHeirs: 'work',
  listIds: 'work',
  scanSkills: 'work',
  scanForIndex: 'work',
  computeStats: 'work',
  largestValues: 'work',
  exportRows: 'work',
  writeState: 'work',
  keepDeadLetters: 'work',
  dropDeadLetters: 'work',
  listDeadLetters: 'work',
  readText: 'query',
  readTexts: 'work',
  findPassages: 'query',
  readWholeTexts: 'query',
  readFiles: 'query',
  readHistories: 'query',
  writeHistories: 'work',
  listTrending: 'work',
}

const indexPlaces: Record<
  Exclude<keyof IndexReplica, 'documentsPerApply' | 'appliesAtOnce' | 'settings' | 'address' | 'isFailing' | 'close'>,
  Place
> = {
  search: 'query',
  suggest: 'query',
  related: 'query',
  status: 'query',
  knownVectors: 'index',
  apply: 'index',
  list: 'index',
  createNext: 'index',
  swap: 'index',
}

const changesPlaces: Record<keyof ChangeLog, Place> = {
  bounds: 'work',
  after: 'query',
  latest: 'query',
  entriesOf: 'query',
  logged: 'work',
  listPublished: 'work',
  countPublished: 'work',
  prune: 'work',
}

const readAheadEveryMs = 10_000

/** Documents of one `apply` of a command: more of them write fewer pages twice, but take more memory. */
const documentsPerCommandApply = 10_000

/** Room for new objects in a thread of a service. By default it grows to 48 MB before garbage is collected. */
const maxYoungGenerationSizeMb = 12

interface ThreadsOptions {
  /** See `OpenOptions`; with two of them, one is free while the other runs an expensive query. */
  searchThreads: number
  /** Whether this thread has no requests to answer: then it prepares documents, and the index may get a thread of its own. */
  isCommand: boolean
}

/** The ports over worker threads, each of which has its own connection to the file. */
export function openThreads(
  data: ThreadData,
  { searchThreads, isCommand }: ThreadsOptions,
): {
  catalog: Catalog
  index: IndexReplica
  changes: ChangeLog
  /** Vectors of documents by the built-in embedder. */
  embed(texts: string[]): Promise<Vector[]>
  close(): Promise<void>
} {
  const limits = isCommand ? {} : { maxYoungGenerationSizeMb }
  const work = openPool(1, data, limits, { port: 'embedder', method: 'dimensions', args: [] })
  const pools: Record<Place, Pool> = {
    work,
    index: work,
    query: searchThreads === 0 ? work : openPool(searchThreads, data, limits, readAheadCall),
  }
  let firstApply: Promise<unknown> | null = null
  const applyPrepared: IndexReplica['apply'] = async ({ publish, remove }, target, lock) => {
    lock.check()
    const changes = { publish: publish.map(prepareDocument), remove }
    const isMore = firstApply !== null || publish.length === documentsPerCommandApply
    if (isMore && pools.index === work) {
      // To start a thread takes longer than to write the few changes of most commands.
      pools.index = openPool(1, data, limits, null)
      // Two threads do not write the index at once.
      await firstApply?.catch(() => undefined)
    }
    const applied = pools.index.run({ port: 'index', method: 'applyPrepared', args: [changes, target] })
    firstApply ??= applied
    return (await applied) as ApplyOutcome
  }
  const over = (port: ThreadCall['port'], places: Record<string, Place>) =>
    Object.fromEntries(
      Object.entries(places).map(([method, place]) => [
        method,
        async (...args: unknown[]) => pools[place].run({ port, method, args: args.filter(isCloneable) }),
      ]),
    )
  const reading = searchThreads === 0 ? undefined : readAhead(pools.query, searchThreads)
  const close = async () => {
    clearInterval(reading)
    // One after the other, and a single thread last: SQLite removes the log of a file when its last connection closes, and
    // two that close at once each find the other.
    for (const pool of new Set([pools.query, pools.work, pools.index])) {
      await pool.close()
    }
  }
  return {
    catalog: {
      ...over('catalog', catalogPlaces),
      recordsPerPut,
      lock: async (name: string) => takeFileLock(data.lockFolder, name),
      close,
    } as unknown as Catalog,
    index: {
      ...over('index', indexPlaces),
      // A service's main thread answers requests: there the thread that writes prepares as well.
      ...(isCommand ? { apply: applyPrepared } : {}),
      documentsPerApply: isCommand ? documentsPerCommandApply : documentsPerApply,
      // SQLite has one writer: meanwhile the next call is prepared.
      appliesAtOnce: 2,
      settings: settingsFingerprint(data.model),
      close,
    } as unknown as IndexReplica,
    changes: over('changes', changesPlaces) as unknown as ChangeLog,
    embed: async (texts) =>
      (await work.run({ port: 'embedder', method: 'embed', args: [texts, 'document'] })) as Vector[],
    close,
  }
}

/** A lock cannot be handed to a thread. It is checked here, since its file lock belongs to this process. */
function isCloneable(arg: unknown): boolean {
  const isLock = typeof (arg as Lock | null)?.check === 'function'
  if (isLock) {
    ;(arg as Lock).check()
  }
  return !isLock
}

/** Threads that each answer one call at a time. */
interface Pool {
  run(call: ThreadCall): Promise<unknown>
  /** Ends the threads after their calls. */
  close(): Promise<void>
}

/** Reads what the first search would wait for. */
const readAheadCall: ThreadCall = { port: 'index', method: 'readAhead', args: [] }

/**
 * Lets each thread read ahead again and again: after a rebuild, the old index then gives back its space. By calls like
 * all others, which closing waits for.
 */
function readAhead(pool: Pool, threads: number): NodeJS.Timeout {
  let isReading = false
  const read = async () => {
    if (!isReading) {
      isReading = true
      // At once, so that each idle thread gets one. Where they fail, the searches do, and report it.
      await Promise.allSettled(Array.from({ length: threads }, () => pool.run(readAheadCall)))
      isReading = false
    }
  }
  return setInterval(read, readAheadEveryMs).unref()
}

/**
 * @param first the first call of each thread: closing waits for it, and so until the thread has started; null: a thread
 * starts when it is first called
 */
function openPool(threads: number, workerData: ThreadData, limits: ResourceLimits, first: ThreadCall | null): Pool {
  const pool = openThreadPool(import.meta.resolve('./thread.js'), workerData, {
    minThreads: first === null ? 0 : threads,
    maxThreads: threads,
    resourceLimits: limits,
  })
  const run = (call: ThreadCall): Promise<unknown> => pool.run(call)
  for (let thread = 0; first !== null && thread < threads; thread += 1) {
    run(first).catch(() => undefined)
  }
  return {
    run,
    close: async () => {
      // A thread that is terminated within a native call, or while it loads modules, crashes the process. `close` of
      // Piscina 5.3 terminates all threads when the first has ended its call.
      await untilIdle(pool)
      // At once, so that each started thread gets one: a connection that is not closed leaves the log of its file behind.
      for (const port of ['index', 'catalog'] as const) {
        await Promise.allSettled(pool.threads.map(() => run({ port, method: 'close', args: [] })))
      }
      await pool.close()
    },
  }
}
