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

type Work = (own: IndexContext) => Promise<JobResult>

/** What became of work at each server. */
class ReplicaOutcomes {
  readonly #failed = new Map<string, AppError>()
  /** The results by address. */
  readonly #done = new Map<string, JobResult>()

  /** Does work at one server; where it fails, that is noted. @throws errors that are not of the server */
  async at(context: JobContext, index: IndexReplica, work: Work): Promise<void> {
    const address = index.address ?? ''
    try {
      const result = await work({ ...context, index, replicas: [index] })
      this.#done.set(
        address,
        merged([this.#done.get(address) ?? {}, result], (a, b) => a + b),
      )
      this.#failed.delete(address)
    } catch (error) {
      if (!isOfServer(error)) {
        throw error
      }
      this.#failed.set(address, error)
    }
  }

  /**
   * The result of the server with the most to do, with the addresses of those that failed, or wait for another job.
   *
   * @throws the error of a server, where all failed
   */
  result(): JobResult {
    const [first] = this.#failed.values()
    if (this.#done.size === 0 && first !== undefined) {
      throw first
    }
    const named = (name: string, is: (error: AppError) => boolean) => {
      const addresses = [...this.#failed].filter(([, error]) => is(error)).map(([address]) => address)
      return addresses.length === 0 ? {} : { [name]: addresses.join(', ') }
    }
    return {
      ...merged([...this.#done.values()], Math.max),
      ...named('unavailable', (error) => !isWaiting(error)),
      ...named('waiting', isWaiting),
    }
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

/**
 * Does work at each server of a search index, one after the other. Where a server fails, the others follow.
 *
 * @returns see `ReplicaOutcomes.result`
 * @throws the error of a server, where all failed; errors that are not of a server
 */
export async function atEachReplica(
  context: JobContext,
  work: Work,
  replicas: readonly IndexReplica[] = context.replicas,
): Promise<JobResult> {
  const outcomes = new ReplicaOutcomes()
  for (const index of replicas) {
    await outcomes.at(context, index, work)
  }
  return outcomes.result()
}

/**
 * Does work at each server, in this order. While a server takes long, for instance since it is being filled, the work is
 * repeated at those before it.
 *
 * @param isBehind whether a server has work again
 * @returns as `atEachReplica`, and throws as it does
 */
export async function keepingUp(
  context: JobContext,
  replicas: readonly IndexReplica[],
  isBehind: (index: IndexReplica) => Promise<boolean>,
  work: Work,
): Promise<JobResult> {
  const outcomes = new ReplicaOutcomes()
  const inStep: IndexReplica[] = []
  const ended = new AbortController()
  const firsts = async () => {
    try {
      for (const index of replicas) {
        await outcomes.at(context, index, work)
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
          await outcomes.at(context, index, work)
        }
      }
      if (ended.signal.aborted) {
        return
      }
    }
  }
  const [first, repeat] = await Promise.allSettled([firsts(), repeats()])
  for (const run of [first, repeat]) {
    if (run.status === 'rejected') {
      throw run.reason
    }
  }
  return outcomes.result()
}
