import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { parseRedisAddress, redisAddressForms } from '../../../runtime/config.js'
import { operatorError } from '../../../runtime/errors.js'

/** A connection that several calls share, or those to the nodes of a cluster. */
export type RedisClient = Redis | Cluster

/** An unavailable Redis is no error of the configuration: the check passes, and its users wait for it. */
const checkMs = 1_000

/** After a loss of the connection, it is tried again at least this often. */
const maxRetryMs = 1_000

/** Replies of a Redis that is, or has become, a replica: a primary has the same address now, or soon. */
const ofReplica = /READONLY|UNBLOCKED|MASTERDOWN/

/** A connection is not closed more often for these replies: a failover takes seconds. */
const reconnectEveryMs = 1_000

/** How often a client looks where the slots of a cluster are; a reply about a moved one is heeded at once. */
const slotsEveryMs = 5_000

/** How often, and after which time, a command to a node of a cluster is sent again that is lost or fails over. */
const failover = {
  long: { maxRedirections: 60, retryDelayOnFailover: 500, retryDelayOnClusterDown: 500 },
  short: { maxRedirections: 3, retryDelayOnFailover: 50, retryDelayOnClusterDown: 50 },
}

/** Options of a connection, as in ioredis. */
export interface ConnectOptions
  extends Pick<RedisOptions, 'maxRetriesPerRequest' | 'commandTimeout' | 'socketTimeout' | 'connectTimeout'> {
  enableOfflineQueue?: boolean
  lazyConnect?: boolean
  scripts?: Record<string, { lua: string; numberOfKeys: number }>
  /** True for a look at a server: a connection that fails or is lost is not tried again. Default false. */
  once?: boolean
}

/**
 * Opens the connection to a Redis, to the primary that its sentinels name, or to a cluster. After a failover it leads to the
 * new primary: without `reconnectOnError` it would stay with a former one at the same address, which refuses each write, and
 * without `socketTimeout` with one that hangs. (`failoverDetector` ends a client for good that is being connected.)
 *
 * @param url see `parseRedisAddress`
 * @see https://github.com/redis/ioredis#reconnect-on-error
 */
export function connectRedis(url: string, { once: isOnce = false, ...options }: ConnectOptions = {}): RedisClient {
  const address = parseRedisAddress(url)
  const retryStrategy = (times: number) => (isOnce ? null : Math.min(times * 50, maxRetryMs))
  const lasting = isOnce ? { maxRetriesPerRequest: 0 } : { reconnectOnError: onceInAWhile() }
  switch (address?.kind) {
    case 'server':
      return new Redis(address.url, { ...options, ...lasting, retryStrategy })
    case 'sentinel': {
      const { hosts, name, db, login, sentinel, tls } = address
      return new Redis({
        ...options,
        ...lasting,
        ...login,
        ...(tls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
        sentinels: hosts,
        sentinelUsername: sentinel.username,
        sentinelPassword: sentinel.password,
        name,
        db,
        retryStrategy,
        sentinelRetryStrategy: retryStrategy,
      })
    }
    case 'cluster': {
      const { hosts, login, tls } = address
      const { enableOfflineQueue, lazyConnect, scripts, ...ofNodes } = options
      return new ClusterOfWorkers(hosts, {
        ...(enableOfflineQueue === undefined ? {} : { enableOfflineQueue }),
        ...(lazyConnect === undefined ? {} : { lazyConnect }),
        ...(scripts === undefined ? {} : { scripts }),
        clusterRetryStrategy: retryStrategy,
        slotsRefreshInterval: slotsEveryMs,
        ...failover[options.maxRetriesPerRequest === 0 ? 'short' : 'long'],
        redisOptions: { ...ofNodes, ...lasting, ...login, ...(tls ? { tls: {} } : {}) },
        // A certificate names hosts, and would not fit an address.
        ...(tls ? { dnsLookup: (host, found) => found(null, host) } : {}),
      })
    }
    default:
      throw operatorError('bad_configuration', `The address of a Redis ${redisAddressForms}.`)
  }
}

/**
 * BullMQ duplicates the connection for the command by which a worker waits for a run, and closes and opens the duplicate
 * where that takes too long. It would wait for ever for one that a command which is sent again keeps open, and for one that
 * finds the cluster not ready: ioredis then settles its `connect` never.
 */
class ClusterOfWorkers extends Cluster {
  override duplicate(...[nodes, options]: Parameters<Cluster['duplicate']>): Cluster {
    return super.duplicate(nodes, { ...options, ...failover.short, enableReadyCheck: false })
  }
}

function onceInAWhile(): (error: Error) => boolean {
  let atMs = Number.NEGATIVE_INFINITY
  return ({ message }) => {
    const nowMs = performance.now()
    if (!ofReplica.test(message) || nowMs - atMs < reconnectEveryMs) {
      return false
    }
    atMs = nowMs
    return true
  }
}

/** Whether keys that one command uses must have a hash tag, as in `{jobs}:name`. */
export const needsHashTags = (url: string): boolean => parseRedisAddress(url)?.kind === 'cluster'

/**
 * Checks that Redis accepts the configured user, password and database number, and is what its address says.
 *
 * @param variable the environment variable, for the message
 * @param needsInfo whether the user must be permitted INFO: without it, a worker of BullMQ asks again and again, and its
 * process does nothing else
 * @throws AppError `redis_refused` when it refuses them, or is something else
 */
export async function checkRedis(url: string, variable: string, needsInfo: boolean): Promise<void> {
  const found: unknown = await withRedis(url, checkMs, (redis) => {
    const info = redis.info('server')
    return needsInfo ? info : info.catch(() => '')
  }).catch((error) => error)
  if (typeof found === 'string') {
    const isOther = otherKind(found, url)
    if (isOther !== null) {
      throw operatorError('redis_refused', `${variable} leads to ${isOther}`)
    }
    return
  }
  const refusal = refusalIn(found)
  if (refusal !== null) {
    const further = parseRedisAddress(url)?.kind === 'sentinel' ? 'name of the primary' : 'database number'
    throw operatorError(
      'redis_refused',
      `Redis refuses the connection (${refusal}): check user, password and ${further} in ${variable}.`,
      found,
    )
  }
}

/** What a server is that its address does not say; null: it is as expected. @param info its reply to INFO */
function otherKind(info: string, url: string): string | null {
  const kind = parseRedisAddress(url)?.kind
  switch (/^(?:redis|server)_mode:(\w+)/m.exec(info)?.[1]) {
    case 'cluster':
      return kind === 'cluster' ? null : 'a node of a cluster: name it as redis+cluster://host:6379,host:6379.'
    case 'sentinel':
      return 'a sentinel: name it as redis+sentinel://host:26379,host:26379/name, with the name of the primary.'
    default:
      return null
  }
}

/** The reply by which Redis, a sentinel or a node refuses a connection; null: it is an error of another kind. */
function refusalIn(error: unknown): string | null {
  const { message, lastNodeError } = Object(error)
  const words = String(lastNodeError?.message ?? message ?? '')
  return /(?:^|Last error: )((?:NOAUTH|WRONGPASS|NOPERM|ERR) .*)$/s.exec(words)?.[1] ?? null
}

/** Connects to Redis, and asks it for a sign of life. @throws when it does not answer in time, or refuses */
export async function pingRedis(url: string): Promise<void> {
  await withRedis(url, checkMs, (redis) => redis.ping())
}

/** Connects to Redis for a look at it. @throws when it does not answer in time, or refuses */
export async function withRedis<T>(
  url: string,
  timeoutMs: number,
  look: (redis: RedisClient) => Promise<T>,
): Promise<T> {
  const redis = connectRedis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    once: true,
  })
  let fault: unknown
  // Further errors follow where something else than a Redis answers.
  redis.on('error', (error) => {
    fault ??= error
  })
  // ioredis waits for a sentinel without end.
  const late = sleep(timeoutMs, undefined, { ref: false }).then(() => {
    throw new Error(`no connection within ${timeoutMs} ms`)
  })
  try {
    await Promise.race([redis.connect(), late])
    const found = await look(redis)
    if (fault === undefined) {
      return found
    }
    // It answers, but has no database of this number.
    throw fault
  } catch (error) {
    // The error of a command says only that there is no connection.
    throw fault ?? error
  } finally {
    redis.disconnect()
  }
}
