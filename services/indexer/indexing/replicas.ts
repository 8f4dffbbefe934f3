import { setTimeout as sleep } from 'node:timers/promises'
import type { IndexReplica } from '../../../shared/ports/search-index.js'
import { AppError } from '../../../shared/runtime/errors.js'
import type { IndexContext, JobContext, JobResult } from '../runner/job.js'

/** Milliseconds from one sync of a server to the next, while another one takes longer. */
const repeatEveryMs = 500

/** Another job has the lock that work at a server needs: it is being rebuilt. */
const isWaiting = ({ code }: AppError): boolean => code === 'job_running'

/** Whether only this server is at fault: the others go on. */
const isOfServer = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code.startsWith('search_') || isWaiting(error))

interface EachReplicaOptions {
  /** The servers in this order. Default: those of the context. */
  replicas?: readonly IndexReplica[]
  /** Whether a server has work again, while another one takes long. Default: none has. */
  isBehind?: (index: IndexReplica) => Promise<boolean>
}

/**
 * Does work at each server of a search index, one after the other. Where a server fails, the others follow. While one takes
 * long, for instance since it is being filled, the work is repeated at those before it that are behind.
 *
 * @returns the result of the server with the most to do, with the addresses of those that failed, or wait for another job
 * @throws the error of a server, where all failed; errors that are not of a server
 */
export async function atEachReplica(
  context: JobContext,
  work: (own: IndexContext) => Promise<JobResult>,
  { replicas = context.replicas, isBehind = async () => false }: EachReplicaOptions = {},
): Promise<JobResult> {
  const failed = new Map<string, AppError>()
  /** The results by address. */
  const done = new Map<string, JobResult>()
  const inStep: IndexReplica[] = []
  const ended = new AbortController()
  const workAt = async (index: IndexReplica) => {
    const address = index.address ?? ''
    try {
      const result = await work({ ...context, index, replicas: [index] })
      const sums = merged([done.get(address) ?? {}, result], (a, b) => a + b)
      done.set(address, sums)
      failed.delete(address)
    } catch (error) {
      if (!isOfServer(error)) {
        throw error
      }
      failed.set(address, error)
    }
  }
  const firsts = async () => {
    try {
      for (const index of replicas) {
        await workAt(index)
        inStep.push(index)
      }
    } finally {
      ended.abort()
    }
  }
  const repeats = async () => {
    for (;;) {
      await sleep(repeatEveryMs, undefined, { signal: ended.signal }).catch(() => undefined)
      for (const index of inStep) {
        if (ended.signal.aborted || context.signal.aborted) {
          return
        }
        if (await isBehind(index)) {
          await workAt(index)
        }
      }
      if (ended.signal.aborted) {
        return
      }
    }
  }
  for (const run of await Promise.allSettled([firsts(), repeats()])) {
    if (run.status === 'rejected') {
      throw run.reason
    }
  }
  const [first] = failed.values()
  if (done.size === 0 && first !== undefined) {
    throw first
  }
  const named = (name: string, is: (error: AppError) => boolean) => {
    const addresses = [...failed].filter(([, error]) => is(error)).map(([address]) => address)
    return addresses.length === 0 ? {} : { [name]: addresses.join(', ') }
  }
  return {
    ...merged([...done.values()], Math.max),
    ...named('unavailable', (error) => !isWaiting(error)),
    ...named('waiting', isWaiting),
  }
}

/** Merges results: numbers by `together`; of other values the last one counts that is not false, empty or null. */
function merged(results: JobResult[], together: (a: number, b: number) => number): JobResult {
  const all: JobResult = {}
  for (const [name, value] of results.flatMap(Object.entries<JobResult[string]>)) {
    const known = all[name]
    all[name] =
      typeof known === 'number' && typeof value === 'number' ? together(known, value) : value || (known ?? value)
  }
  return all
}
