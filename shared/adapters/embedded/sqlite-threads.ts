import { Piscina } from 'piscina'
import { askingClient } from '../../asking-client.js'
import { AppError } from '../../errors.js'
import type { CatalogStore } from '../../ports/catalog-store.js'
import type { ChangeLog } from '../../ports/change-log.js'
import type { SearchIndex } from '../../ports/search-index.js'
import { FairQueue } from './fair-queue.js'
import { unwatched } from './sqlite-catalog-store.js'
import { takeFileLock } from './sqlite-lock.js'
import { documentsPerApply } from './sqlite-search-index.js'
import type { ThreadAnswer, ThreadCall, ThreadData } from './sqlite-thread.js'

/**
 * Where a method runs. `query`: in the threads that answer the public, of which one slow query leaves others free.
 * `work`: in the one thread in which jobs read and write, so that they never hold up a query.
 */
type Place = 'query' | 'work'

const catalogPlaces: Record<Exclude<keyof CatalogStore, 'lock' | 'watch' | 'close'>, Place> = {
  listSkills: 'query',
  findSkill: 'query',
  findSkills: 'query',
  nearMatches: 'query',
  readState: 'query',
  put: 'work',
  remove: 'work',
  findStored: 'work',
  listIds: 'work',
  changesAfter: 'work',
  presentWatermark: 'work',
  scanSkills: 'work',
  countPublished: 'work',
  computeStats: 'work',
  exportRows: 'work',
  writeState: 'work',
  keepDeadLetters: 'work',
  dropDeadLetters: 'work',
  listDeadLetters: 'work',
}

const indexPlaces: Record<Exclude<keyof SearchIndex, 'documentsPerApply' | 'appliesAtOnce' | 'close'>, Place> = {
  search: 'query',
  suggest: 'query',
  status: 'query',
  apply: 'work',
  lateWrites: 'work',
  list: 'work',
  createNext: 'work',
  swap: 'work',
}

const changesPlaces: Record<keyof ChangeLog, Place> = {
  after: 'query',
  position: 'work',
  append: 'work',
  logged: 'work',
  listPublished: 'work',
  prune: 'work',
}

/** Two threads answer queries: while one is held by an expensive one, the other goes on. */
const queryThreads = 2

/** Calls waiting for a thread beyond this many are refused: they would only time out. */
const maxWaiting = 2_000

/** A query that has waited for so long has been given up, and its client told to come back. */
const patienceMs = 5_000

/** The ports over worker threads, each of which has its own connection to the file. Fences do not reach them. */
export function openThreads(
  file: string,
  lockFolder: string,
): { catalog: CatalogStore; index: SearchIndex; changes: ChangeLog; close(): Promise<void> } {
  const pools = {
    query: openPool(queryThreads, { file, lockFolder }),
    work: openPool(1, { file, lockFolder }),
  }
  const queries = new FairQueue({ workers: queryThreads, maxWaiting, patienceMs })
  const call = async (place: Place, request: ThreadCall): Promise<unknown> => {
    const run = () => pools[place].pool.run(request)
    const answer: ThreadAnswer = await (place === 'query' ? queries.run(askingClient(), run) : run())
    if ('error' in answer) {
      const { status, code, message, headers, cause } = answer.error
      throw new AppError(status, code, message, { headers, cause })
    }
    return answer.result
  }
  const over = (port: ThreadCall['port'], places: Record<string, Place>) =>
    Object.fromEntries(
      Object.entries(places).map(([method, place]) => [
        method,
        (...args: unknown[]) => call(place, { port, method, args }),
      ]),
    )
  const close = async () => {
    // A thread ended within a native call takes the whole process with it: close, never destroy, and not before each
    // has opened the file.
    await Promise.all(Object.values(pools).map(({ opened }) => opened))
    await Promise.all(Object.values(pools).map(({ pool }) => pool.close()))
  }
  return {
    catalog: {
      ...over('catalog', catalogPlaces),
      lock: async (name: string) => takeFileLock(lockFolder, name),
      watch: unwatched,
      close,
    } as unknown as CatalogStore,
    index: {
      ...over('index', indexPlaces),
      documentsPerApply,
      appliesAtOnce: 1,
      close,
    } as unknown as SearchIndex,
    changes: over('changes', changesPlaces) as unknown as ChangeLog,
    close,
  }
}

/** A pool, and when all of its threads have opened the file, or one of them could not. */
interface Pool {
  pool: Piscina
  opened: Promise<void>
}

function openPool(threads: number, workerData: ThreadData): Pool {
  // Run from its sources, as under tests, the thread's entry is TypeScript and needs the loader that reads it.
  const fromSource = import.meta.url.endsWith('.ts')
  const pool = new Piscina({
    filename: new URL(fromSource ? './sqlite-thread.ts' : './sqlite-thread.js', import.meta.url).href,
    ...(fromSource ? { execArgv: ['--import', 'tsx'] } : {}),
    workerData,
    minThreads: threads,
    maxThreads: threads,
    maxQueue: maxWaiting,
    idleTimeout: Number.POSITIVE_INFINITY,
    // A thread that waits for its next call in Atomics.wait never turns its event loop, and libsql gives back the
    // memory of results only there: some 11 KB a search would never return.
    atomics: 'disabled',
  })
  const opened = new Promise<void>((resolve) => {
    let count = 0
    pool.on('message', () => {
      count += 1
      if (count === threads) {
        resolve()
      }
    })
    pool.once('error', () => resolve())
  })
  return { pool, opened }
}
