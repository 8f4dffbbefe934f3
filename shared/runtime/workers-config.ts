import { availableParallelism } from 'node:os'
import { readEnv, wholeNumber } from './env.js'

/** A worker at its limit keeps about two cores busy: its event loop one, its search threads the other. */
const coresPerWorker = 2

/** Each worker costs memory: on a larger machine an operator decides about more. */
const maxDefaultWorkers = 8

/**
 * `WORKERS`: the number of processes that answer requests. Default: one for every two cores, 8 at most.
 *
 * @throws AppError `bad_configuration`
 */
export function readWorkers(env: NodeJS.ProcessEnv = process.env): number {
  const byCores = Math.floor(availableParallelism() / coresPerWorker)
  const workers = wholeNumber(1, 64).default(Math.min(maxDefaultWorkers, Math.max(1, byCores)))
  return readEnv({ WORKERS: workers }, env).WORKERS
}
