import type { ServersConfig, SharedConfig } from '../config.js'
import type { Logger } from '../log.js'
import type { CatalogStore } from '../ports/catalog-store.js'
import type { ChangeLog } from '../ports/change-log.js'
import type { ExportStore } from '../ports/export-store.js'
import type { JobRun, JobSchedule, JobScheduler, RemoteJobs } from '../ports/job-scheduler.js'
import type { RateLimiter } from '../ports/rate-limiter.js'
import type { SearchIndex } from '../ports/search-index.js'

/** The stores that both services stand on. */
export interface Stores {
  catalog: CatalogStore
  index: SearchIndex
  exports: ExportStore
  changes: ChangeLog
  /** Closes all of them, after the calls under way. */
  close(): Promise<void>
}

export interface OpenOptions {
  /**
   * True for a service: queries run beside the event loop, in worker threads. False for a command: they run in this
   * thread, which has nothing else to do. Without a meaning for servers.
   */
  threads: boolean
  /** Whether records or the index are written: only then what they need is made where it is not there yet. */
  writes: boolean
  /**
   * Milliseconds for which servers that are not up yet are waited for, with a line in the log; infinity: as long as it
   * takes. A folder is there or not.
   */
  patienceMs: number
  log: Logger
  /** Ends the waiting. */
  signal?: AbortSignal
}

/**
 * Opens the stores of the configured mode.
 *
 * @throws AppError with an operator's message when they cannot be opened
 */
export async function openStores(config: SharedConfig, options: OpenOptions): Promise<Stores> {
  if (config.mode === 'embedded') {
    const { openEmbedded } = await import('./embedded/open-embedded.js')
    return openEmbedded(config.dataDir, options)
  }
  const { openServers } = await import('./servers/open-servers.js')
  return openServers(config, options)
}

/**
 * Opens the records alone, for what needs neither the index nor the files.
 *
 * @throws AppError with an operator's message when they cannot be opened
 */
export async function openCatalog(
  config: SharedConfig,
  options: OpenOptions,
): Promise<Pick<Stores, 'catalog' | 'close'>> {
  if (config.mode === 'embedded') {
    return openStores(config, options)
  }
  const { openMongoCatalog } = await import('./servers/open-servers.js')
  const { catalog } = await openMongoCatalog(config, options)
  return { catalog, close: () => catalog.close() }
}

/**
 * Opens a copy of the export files in a folder of this machine, for the servers mode: what is published then outlives
 * the servers. It closes the store that is copied with itself.
 *
 * @throws AppError with an operator's message when the folder cannot be used
 */
export async function openExportCopy(remote: ExportStore, folder: string, log: Logger): Promise<ExportStore> {
  const { LocalExportCopy } = await import('./servers/local-export-copy.js')
  return LocalExportCopy.open({ remote, folder, log })
}

export interface OpenSchedulerOptions {
  log: Logger
  /** How a job's last run ended, as the catalog has noted it: for the mode whose scheduler keeps nothing itself. */
  lastRun?: (name: string) => Promise<JobRun | null>
}

/**
 * Opens the scheduler of the configured mode; nothing runs before it is started.
 *
 * @throws AppError with an operator's message when Redis refuses us
 */
export async function openScheduler(
  config: SharedConfig,
  { log, lastRun }: OpenSchedulerOptions,
): Promise<JobScheduler> {
  if (config.mode === 'embedded') {
    const { InProcessScheduler } = await import('./embedded/in-process-scheduler.js')
    return new InProcessScheduler(lastRun === undefined ? {} : { lastRun })
  }
  const { checkRedis } = await import('./servers/redis-check.js')
  await checkRedis(config.redisUrl, 'REDIS_URL')
  const { BullmqScheduler } = await import('./servers/bullmq-scheduler.js')
  return new BullmqScheduler({ url: config.redisUrl, log })
}

/**
 * Opens the jobs that indexers run, to ask for them; runs nothing in this process.
 *
 * @throws AppError with an operator's message when Redis refuses us
 */
export async function openRemoteJobs(
  { redisUrl }: ServersConfig,
  schedules: JobSchedule[],
  log: Logger,
): Promise<RemoteJobs> {
  const { checkRedis } = await import('./servers/redis-check.js')
  await checkRedis(redisUrl, 'REDIS_URL')
  const { BullmqScheduler } = await import('./servers/bullmq-scheduler.js')
  const scheduler = new BullmqScheduler({ url: redisUrl, log })
  await scheduler.attach(schedules)
  return scheduler
}

/**
 * Opens the counter of requests of the configured mode.
 *
 * @throws AppError with an operator's message when Redis refuses us
 */
export async function openRateLimiter(config: SharedConfig, log: Logger): Promise<RateLimiter> {
  if (config.mode === 'embedded') {
    const { MemoryRateLimiter } = await import('./embedded/memory-rate-limiter.js')
    return new MemoryRateLimiter()
  }
  const { checkRedis } = await import('./servers/redis-check.js')
  const isOwn = config.rateLimitRedisUrl !== config.redisUrl
  await checkRedis(config.rateLimitRedisUrl, isOwn ? 'RATE_LIMIT_REDIS_URL' : 'REDIS_URL')
  const { RedisRateLimiter } = await import('./servers/redis-rate-limiter.js')
  return RedisRateLimiter.open({ url: config.rateLimitRedisUrl, log })
}
