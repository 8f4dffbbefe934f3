import { once } from 'node:events'
import { Redis } from 'ioredis'
import { operatorError } from '../../../runtime/errors.js'

/** An unavailable Redis is no error of the configuration: the check passes, and its users wait for it. */
const timeoutMs = 1_000

/** Replies of a Redis that is, or has become, a replica: a primary has the same address now, or soon. */
const ofReplica = /READONLY|UNBLOCKED|MASTERDOWN/

/** A connection is not closed more often for these replies: a failover takes seconds. */
const reconnectEveryMs = 1_000

/**
 * Options of every lasting connection to Redis: after a failover it is closed and opened again, since the address may lead
 * to another server now. Without that it would stay with the former primary, which refuses each write.
 *
 * @see https://github.com/redis/ioredis#reconnect-on-error
 */
export function followingPrimary(): { reconnectOnError: (error: Error) => boolean } {
  let atMs = Number.NEGATIVE_INFINITY
  return {
    reconnectOnError: ({ message }) => {
      const nowMs = performance.now()
      if (!ofReplica.test(message) || nowMs - atMs < reconnectEveryMs) {
        return false
      }
      atMs = nowMs
      return true
    },
  }
}

/**
 * Checks that Redis accepts the configured user, password and database number.
 *
 * @param variable the environment variable, for the message
 * @throws AppError `redis_refused` when it refuses them
 */
export async function checkRedis(url: string, variable: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null })
  const refused = new Promise<unknown>((resolve) => redis.once('error', resolve))
  try {
    const ready = once(redis, 'ready', { signal: AbortSignal.timeout(timeoutMs) }).then(
      () => null,
      () => null,
    )
    // When the server closes the connection, no other event follows, and the timeout does not keep the process alive.
    const ended = new Promise<null>((resolve) => redis.once('end', () => resolve(null)))
    redis.connect().catch(() => undefined)
    const result = await Promise.race([refused, ready, ended])
    if (isRefusal(result)) {
      throw operatorError(
        'redis_refused',
        `Redis refuses the connection (${result.message}): check user, password and database number in ${variable}.`,
        result,
      )
    }
  } finally {
    redis.disconnect()
  }
}

/** Connects to Redis, and asks it for a sign of life. @throws when it does not answer in time, or refuses */
export async function pingRedis(url: string): Promise<void> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  redis.on('error', () => undefined)
  try {
    await redis.connect()
    await redis.ping()
  } finally {
    redis.disconnect()
  }
}

/** Whether it is an error reply of Redis, which starts with a code, and not an error of the connection. */
const isRefusal = (result: unknown): result is Error =>
  result !== null && /^\w*Error: (NOAUTH|WRONGPASS|NOPERM|ERR) /.test(String(result))
