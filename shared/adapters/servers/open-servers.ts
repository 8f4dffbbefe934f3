import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from 'mongodb'
import type { ServersConfig } from '../../config.js'
import { AppError, unavailable } from '../../errors.js'
import type { Logger } from '../../log.js'
import type { OpenOptions, Stores } from '../open.js'
import { GridFsExportStore } from './gridfs-export-store.js'
import { MeiliSearchIndex } from './meili-search-index.js'
import { MongoCatalogStore } from './mongo-catalog-store.js'
import { MongoChangeLog } from './mongo-change-log.js'
import { connectMongo } from './mongo-connection.js'
import { ensureIndexes } from './mongo-indexes.js'

/** How often a server that is not up yet is tried. */
const retryMs = 1_000

/** How often it is told again that it is waited for. */
const tellEveryMs = 30_000

/**
 * Opens the catalog that lives in a MongoDB and a Meilisearch.
 *
 * @throws AppError with an operator's message when they cannot be used; `catalog_unavailable`, `search_unavailable`
 * when they have not come up in time
 */
export async function openServers(config: ServersConfig, options: OpenOptions): Promise<Stores> {
  const { log, writes } = options
  const index = new MeiliSearchIndex({ url: config.meiliUrl, key: config.meiliKey })
  const { catalog, db } = await openMongoCatalog(config, options)
  try {
    if (writes) {
      await whenUp('Meilisearch', config.meiliUrl, options, () => index.prepare())
    } else {
      await checkIndex(index, config.meiliUrl, log)
    }
  } catch (error) {
    await catalog.close()
    throw error
  }
  return {
    catalog,
    index,
    exports: new GridFsExportStore({ db, log }),
    changes: new MongoChangeLog(db),
    close: async () => {
      await index.close()
      await catalog.close()
    },
  }
}

/** Who only reads has much to answer without the index, and finds it when it is up. */
async function checkIndex(index: MeiliSearchIndex, address: string, log: Logger): Promise<void> {
  try {
    await index.status()
  } catch (error) {
    if (!isDown(error)) {
      throw error
    }
    log.warn({ address, reason: reasonOf(error) }, 'searches wait for Meilisearch, which does not answer yet')
  }
}

/**
 * Opens the records alone.
 *
 * @throws AppError as `openServers`
 */
export async function openMongoCatalog(
  config: ServersConfig,
  options: OpenOptions,
): Promise<{ catalog: MongoCatalogStore; db: Db }> {
  const connection = await whenUp('MongoDB', hostsOf(config.mongodbUrl), options, async () => {
    const connected = await connectMongo(config.mongodbUrl)
    try {
      if (options.writes) {
        await ensureIndexes(connected.db, config.documents.changedField)
      }
      return connected
    } catch (error) {
      await connected.client.close()
      throw error
    }
  })
  return { catalog: new MongoCatalogStore(connection, config.documents), db: connection.db }
}

/** Tries to open a server until it is up, and says for whom it waits. */
async function whenUp<T>(
  name: string,
  address: string,
  { log, patienceMs, signal }: OpenOptions,
  open: () => Promise<T>,
): Promise<T> {
  const beganMs = performance.now()
  let tellAtMs = beganMs
  for (;;) {
    signal?.throwIfAborted()
    try {
      const opened = await open()
      if (tellAtMs > beganMs) {
        log.info({ address, waitedMs: Math.round(performance.now() - beganMs) }, `${name} is up`)
      }
      return opened
    } catch (error) {
      const nowMs = performance.now()
      if (!isDown(error)) {
        throw error
      }
      if (nowMs - beganMs >= patienceMs) {
        throw unavailable(error.code, `${name} does not answer at ${address}: is it up?`, 10, error)
      }
      if (nowMs >= tellAtMs) {
        log.warn({ address, reason: reasonOf(error) }, `waiting for ${name}, which does not answer yet`)
        tellAtMs = nowMs + tellEveryMs
      }
      await sleep(retryMs, undefined, { signal })
    }
  }
}

const isDown = (error: unknown): error is AppError => error instanceof AppError && error.status === 503

/** What the driver said, without the inside of it. */
function reasonOf(error: AppError): string {
  const { cause } = error
  return cause instanceof Error ? cause.message : error.message
}

/** The servers that an address names, without user and password. */
const hostsOf = (url: string): string => /^[^:]+:\/\/(?:[^@/]*@)?([^/?]+)/.exec(url)?.[1] ?? ''
