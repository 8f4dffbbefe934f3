import { once } from 'node:events'
import { Redis } from 'ioredis'
import { operatorError } from '../../errors.js'

/** Redis is asked for so long. One that does not answer is no fault of the configuration: whoever uses it waits. */
const patienceMs = 1_000

/**
 * Finds out whether a Redis takes what an operator has configured, before anything relies on it.
 *
 * @param variable names the setting to the operator
 * @throws AppError `redis_refused` when it answers that user, password or database number are wrong
 */
export async function checkRedis(url: string, variable: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null })
  const refused = new Promise<unknown>((resolve) => redis.once('error', resolve))
  try {
    const ready = once(redis, 'ready', { signal: AbortSignal.timeout(patienceMs) }).then(
      () => null,
      () => null,
    )
    // One that hangs up without a word: nothing else would come, and the timer alone keeps no process alive.
    const ended = new Promise<null>((resolve) => redis.once('end', () => resolve(null)))
    redis.connect().catch(() => undefined)
    const fault = await Promise.race([refused, ready, ended])
    if (isRefusal(fault)) {
      throw operatorError(
        'redis_refused',
        `Redis refuses us (${fault.message}): check user, password and database number in ${variable}.`,
        fault,
      )
    }
  } finally {
    redis.disconnect()
  }
}

/** Redis's own words, which begin with a code, as opposed to a connection that could not be made. */
const isRefusal = (fault: unknown): fault is Error =>
  fault !== null && /^\w*Error: (NOAUTH|WRONGPASS|NOPERM|ERR) /.test(String(fault))
