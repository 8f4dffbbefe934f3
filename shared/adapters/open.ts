import type { Embedder, Reranker } from '../ports/embedder.js'
import type { ExportStore } from '../ports/export-store.js'
import type { JobRun, JobSchedule, JobScheduler, RemoteJobs } from '../ports/job-scheduler.js'
import type { RateLimiter } from '../ports/rate-limiter.js'
import type { ServersConfig, SharedConfig } from '../runtime/config.js'
import type { Logger } from '../runtime/log.js'
import type { RerankerConfig } from '../runtime/query-config.js'
import type { ServiceState } from '../state-keys.js'
import type { CatalogCopy, restoreCatalog } from './embedded/backup.js'
import { openEmbedder } from './embedders/open-embedder.js'
import type { QueueBoard } from './servers/bullmq/queue-board.js'
import type { OpenOptions, ServerInspection, Stores } from './stores.js'

/**
 * Opens the stores of the configured mode.
 *
 * @throws AppError with an operator's message when they cannot be opened
 */
export async function openStores(config: SharedConfig, options: OpenOptions): Promise<Stores> {
  const embedder = await openEmbedder(config.embedder, options.log)
  try {
    const stores = await openWith(embedder, config, options)
    if (options.threads === true && embedder !== null) {
      // Reads the table, or what a model needs once, so that the first search does not wait for it.
      const ready = embedder.embed(['ready'], 'query')
      if (embedder.kind === 'table') {
        await ready
      } else {
        // A service also starts while the server of its model is down.
        void ready.catch(() => undefined)
      }
    }
    if (config.skillText === 'off') {
      // Texts that were kept before are not shown either.
      const [none, noTexts] = [async () => null, async () => new Map()]
      const reads = {
        readText: none,
        readFiles: none,
        readTexts: noTexts,
        readWholeTexts: noTexts,
        findPassages: noTexts,
      }
      Object.assign(stores.catalog, reads)
    }
    return { ...stores, close: () => stores.close().finally(() => embedder?.close()) }
  } catch (error) {
    await embedder?.close()
    throw error
  }
}

async function openWith(embedder: Embedder | null, config: SharedConfig, options: OpenOptions): Promise<Stores> {
  if (config.mode === 'embedded') {
    const { openEmbedded } = await import('./embedded/open-embedded.js')
    return openEmbedded(config.dataDir, { ...options, synonymsFile: config.synonymsFile, embedder })
  }
  const { openServers } = await import('./servers/open-servers.js')
  return openServers(config, { ...options, embedder })
}

/** Opens the configured reranker; null: none is used. Its server is not asked for anything yet. */
export async function openReranker(config: RerankerConfig | null): Promise<Reranker | null> {
  if (config === null) {
    return null
  }
  const { HttpReranker } = await import('./embedders/http-reranker.js')
  return new HttpReranker(config)
}

/**
 * Opens the records only, without search index and export files.
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

/** The format of the catalog in a data folder, and that of this version; null: there is no catalog. */
export async function inspectFolder(dataDir: string): Promise<{ format: number; present: number } | null> {
  const { readFolderFormat } = await import('./embedded/folder-format.js')
  return readFolderFormat(dataDir)
}

/** The service that runs on a data folder; null: none does, or it is not known. */
export async function findService(dataDir: string): Promise<ServiceState | null> {
  const { readService } = await import('./embedded/folder-format.js')
  return readService(dataDir)
}

/** Copies the records of a data folder into a new file, see `backUpCatalog`. */
export async function backUpFolder(dataDir: string, file: string): Promise<CatalogCopy> {
  const { backUpCatalog } = await import('./embedded/backup.js')
  return backUpCatalog(dataDir, file)
}

/** Puts a backup in the place of the catalog of a data folder, see `restoreCatalog`. */
export async function restoreFolder(
  ...given: Parameters<typeof restoreCatalog>
): Promise<CatalogCopy & { replaced: string | null }> {
  const { restoreCatalog } = await import('./embedded/backup.js')
  return restoreCatalog(...given)
}

/** Looks at the servers of a catalog, without changing them. */
export async function inspectServers(config: ServersConfig, log: Logger): Promise<ServerInspection> {
  const { serverInspection } = await import('./servers/inspect.js')
  const embedder = await openEmbedder(config.embedder, log)
  return serverInspection(config, embedder)
}

/**
 * Opens copies of the export files, and of the list of the datasets, in a local folder, for the servers mode: they stay
 * available while MongoDB is unavailable. The files of datasets, which may have gigabytes, are read from their store. Closing
 * a copy closes its store.
 *
 * @throws AppError with an operator's message when the folder cannot be used
 */
export async function openExportCopies(
  { exports, datasets }: Pick<Stores, 'exports' | 'datasets'>,
  folder: string,
  log: Logger,
): Promise<Record<'exports' | 'datasets', Omit<ExportStore, 'publish'>>> {
  const { LocalExportCopy } = await import('./servers/exports/local-export-copy.js')
  return {
    exports: await LocalExportCopy.open({ remote: exports, folder, log }),
    datasets: await LocalExportCopy.open({ remote: datasets, folder: null, checkEveryMs: 60_000, log }),
  }
}

export interface OpenSchedulerOptions {
  log: Logger
  /** Reads the stored outcome of a job's last run, for the embedded scheduler, which stores nothing itself. */
  lastRun?: (name: string) => Promise<JobRun | null>
}

/**
 * Opens the scheduler of the configured mode; no job runs before `start`.
 *
 * @throws AppError with an operator's message when Redis refuses the connection
 */
export function openScheduler(config: ServersConfig, options: OpenSchedulerOptions): Promise<JobScheduler & RemoteJobs>
export function openScheduler(config: SharedConfig, options: OpenSchedulerOptions): Promise<JobScheduler>
export async function openScheduler(
  config: SharedConfig,
  { log, lastRun }: OpenSchedulerOptions,
): Promise<JobScheduler> {
  if (config.mode === 'embedded') {
    const { InProcessScheduler } = await import('./embedded/scheduler/in-process-scheduler.js')
    return new InProcessScheduler(lastRun === undefined ? {} : { lastRun })
  }
  return openQueues(config, log)
}

async function openQueues({ redisUrl }: ServersConfig, log: Logger) {
  const { checkRedis } = await import('./servers/redis/connect.js')
  await checkRedis(redisUrl, 'REDIS_URL', true)
  const { BullmqScheduler } = await import('./servers/bullmq/scheduler.js')
  return new BullmqScheduler({ url: redisUrl, log })
}

/**
 * Opens the job queues of the indexers, to trigger and list jobs; runs no job in this process.
 *
 * @throws AppError with an operator's message when Redis refuses the connection
 */
export async function openRemoteJobs(
  config: ServersConfig,
  schedules: JobSchedule[],
  log: Logger,
): Promise<RemoteJobs> {
  const scheduler = await openQueues(config, log)
  await scheduler.attach(schedules)
  return scheduler
}

/**
 * Opens the pages that show the queues.
 *
 * @param jobs names of the jobs
 * @param path of the pages, without a slash at its end
 */
export async function openQueueBoard({ redisUrl }: ServersConfig, jobs: string[], path: string): Promise<QueueBoard> {
  const { openBullBoard } = await import('./servers/bullmq/queue-board.js')
  return openBullBoard(redisUrl, jobs, path)
}

/** Asks the Redis of the rate limits for a sign of life. @throws when it does not answer within a second */
export async function pingLimits({ rateLimitRedisUrl }: ServersConfig): Promise<void> {
  const { pingRedis } = await import('./servers/redis/connect.js')
  await pingRedis(rateLimitRedisUrl)
}

/**
 * Opens the rate limiter of the configured mode.
 *
 * @throws AppError with an operator's message when Redis refuses the connection
 */
export async function openRateLimiter(config: SharedConfig, log: Logger): Promise<RateLimiter> {
  if (config.mode === 'embedded') {
    const { MemoryRateLimiter } = await import('./limits/memory-rate-limiter.js')
    return new MemoryRateLimiter()
  }
  const { checkRedis } = await import('./servers/redis/connect.js')
  const isOwn = config.rateLimitRedisUrl !== config.redisUrl
  await checkRedis(config.rateLimitRedisUrl, isOwn ? 'RATE_LIMIT_REDIS_URL' : 'REDIS_URL', false)
  const { RedisRateLimiter } = await import('./servers/redis/rate-limiter.js')
  return RedisRateLimiter.open({ url: config.rateLimitRedisUrl, log })
}
