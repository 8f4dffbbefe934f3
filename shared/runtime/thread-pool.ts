import type { ResourceLimits } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { callThread } from './end-process.js'

/** See Piscina. Of `maxThreads`, `minThreads` are started at once, and the others when a call waits for them. */
interface ThreadPoolOptions {
  minThreads: number
  maxThreads: number
  resourceLimits?: ResourceLimits
}

/** Piscina, whose calls `endProcess` waits for. */
class ThreadPool extends Piscina {
  override run(...call: Parameters<Piscina['run']>): ReturnType<Piscina['run']> {
    return callThread(this, () => super.run(...call))
  }
}

/**
 * Threads that run one module, and stay until the pool is closed.
 *
 * @param module its URL, as `import.meta.resolve` gives it
 * @param workerData the data that each thread is started with
 */
export function openThreadPool(module: string, workerData: unknown, options: ThreadPoolOptions): Piscina {
  const pool = new ThreadPool({
    filename: module,
    // Run from the sources, the module is TypeScript, and threads do not take over a loader. Tests run it from the build.
    ...(module.endsWith('.ts') ? { execArgv: ['--import', 'tsx'] } : {}),
    workerData,
    idleTimeout: Number.POSITIVE_INFINITY,
    // A thread that waits in Atomics.wait for its next call never runs its event loop, where native libraries free memory:
    // of libsql's results about 11 KB per search.
    atomics: 'disabled',
    ...options,
  })
  // Calls fail as well, and report it.
  pool.on('error', () => undefined)
  return pool
}
