import type { ResourceLimits } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { callThread } from './end-process.js'
import { AppError } from './errors.js'

/** See Piscina. Of `maxThreads`, `minThreads` are started at once, and the others when a call waits for them. */
interface ThreadPoolOptions {
  minThreads: number
  maxThreads: number
  resourceLimits?: ResourceLimits
}

/** The answer of a thread: an AppError as plain data, since a copy between threads would lose its class. */
type ThreadAnswer = { result: unknown } | { error: Pick<AppError, 'status' | 'code' | 'message' | 'headers' | 'cause'> }

/**
 * The function that a thread's module exports: it answers the calls of `openThreadPool`.
 *
 * @param work does one call
 */
export const answering =
  <Call>(work: (call: Call) => unknown): ((call: Call) => Promise<ThreadAnswer>) =>
  async (call) => {
    try {
      return { result: await work(call) }
    } catch (error) {
      if (error instanceof AppError) {
        const { status, code, message, headers, cause } = error
        return { error: { status, code, message, headers, cause: cause === undefined ? cause : plainError(cause) } }
      }
      throw plainError(error)
    }
  }

/** One that can be copied: of libsql's classes, which are no classes of the language, a copy has no message. */
function plainError(error: unknown): Error {
  const plain = new Error(error instanceof Error ? error.message : String(error))
  if (error instanceof Error && error.stack !== undefined) {
    plain.stack = error.stack
  }
  return plain
}

/** Piscina, whose calls `endProcess` waits for, and which fail with the AppErrors of its threads. */
class ThreadPool extends Piscina {
  override async run(...call: Parameters<Piscina['run']>): ReturnType<Piscina['run']> {
    const answer: ThreadAnswer = await callThread(this, () => super.run(...call))
    if ('error' in answer) {
      const { status, code, message, headers, cause } = answer.error
      throw new AppError(status, code, message, { headers, cause })
    }
    return answer.result
  }
}

/**
 * Threads that run one module, and stay until the pool is closed.
 *
 * @param module its URL, as `import.meta.resolve` gives it; its default export is made by `answering`
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
