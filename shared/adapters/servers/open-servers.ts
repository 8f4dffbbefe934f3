import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from 'mongodb'
import type { Embedder } from '../../ports/embedder.js'
import { readSynonyms } from '../../ranking/other-words.js'
import type { ServersConfig } from '../../runtime/config.js'
import { AppError, unavailable } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/log.js'
import { shownAddress } from '../../text/parse-url.js'
import { keptDatasets } from '../files/stored-snapshot.js'
import type { OpenOptions, Stores } from '../stores.js'
import { GridFsExportStore } from './exports/gridfs-export-store.js'
import { isOutage } from './meili/client.js'
import { attemptTimeoutMs, ReplicatedIndex } from './meili/replicas.js'
import { type MeiliSearchIndex, meiliSearchIndex } from './meili/search-index.js'
import { catalogIn, type MongoCatalog } from './mongo/catalog/catalog.js'
import { connectMongo, refusalOf } from './mongo/connection.js'
import { ensureIndexes } from './mongo/indexes.js'

/** Milliseconds between two attempts to connect. */
const retryMs = 1_000

/** Milliseconds between two log lines while a server is unavailable. */
const logEveryMs = 30_000

/** Calls for clients that MongoDB gets at the same time, of either kind: the connections of its driver. */
const readsAtOnce = 100

/**
 * Searches that one Meilisearch gets at the same time. It works on as many as it has cores, and takes the next one at
 * random: with more of them, some wait for seconds.
 */
const searchesAtOnce = 16

/**
 * Opens the catalog in MongoDB and Meilisearch.
 *
 * @throws AppError with an operator's message when they cannot be used; `catalog_unavailable`, `search_unavailable`
 * when they do not answer within the start timeout
 */
export async function openServers(
  config: ServersConfig,
  { embedder, ...options }: OpenOptions & { embedder: Embedder | null },
): Promise<Stores> {
  const { log, writes, withoutIndex = !writes } = options
  const { replicas, index } = meiliServers(config, embedder, log)
  const { catalog, db } = await openMongoCatalog(config, options)
  const { changes, documents } = catalog
  try {
    const check: () => Promise<unknown> = writes ? () => prepared(replicas) : () => index.status()
    if (withoutIndex) {
      await ifUp(check, addressesOf(config), options)
    } else {
      await whenUp('Meilisearch', addressesOf(config), options, check)
    }
    if (index instanceof ReplicatedIndex && !writes) {
      await index.follow({ catalog, changes })
    }
  } catch (error) {
    await index.close()
    await catalog.close()
    throw error
  }
  return {
    catalog,
    changes,
    ingest: documents,
    index,
    replicas,
    exports: new GridFsExportStore({ db, log }),
    datasets: new GridFsExportStore({ db, log, bucketName: 'dataset', kept: keptDatasets }),
    workFolder: tmpdir(),
    embedder,
    callsAtOnce: { byKey: readsAtOnce, lists: readsAtOnce, searches: searchesAtOnce * replicas.length },
    close: async () => {
      await index.close()
      await catalog.close()
    },
  }
}

/** The configured servers, each of which is to hold the whole index, and the index that is read from them. */
export function meiliServers(
  { meiliUrls, meiliKey: key, synonymsFile }: Pick<ServersConfig, 'meiliUrls' | 'meiliKey' | 'synonymsFile'>,
  embedder: Embedder | null,
  log: Logger,
): { replicas: [MeiliSearchIndex, ...MeiliSearchIndex[]]; index: MeiliSearchIndex | ReplicatedIndex } {
  const common = { key, synonyms: readSynonyms(synonymsFile), embedder }
  const [url, ...others] = meiliUrls
  if (others.length === 0) {
    const index = meiliSearchIndex({ ...common, url })
    return { replicas: [index], index }
  }
  const open = (each: string): MeiliSearchIndex => {
    const replica = { address: shownAddress(each), all: () => replicas, log }
    return meiliSearchIndex({ ...common, url: each, searchTimeoutMs: attemptTimeoutMs, replica })
  }
  const replicas: [MeiliSearchIndex, ...MeiliSearchIndex[]] = [open(url), ...others.map(open)]
  return { replicas, index: new ReplicatedIndex(replicas) }
}

const addressesOf = ({ meiliUrls }: ServersConfig): string => meiliUrls.map(shownAddress).join(', ')

/** Prepares the servers that are up: one is enough. @throws AppError when none is, or one cannot be used */
async function prepared(servers: MeiliSearchIndex[]): Promise<void> {
  const failed: unknown[] = []
  for (const server of servers) {
    try {
      // Fails soon where the server hangs.
      await server.status()
      await server.prepare()
    } catch (error) {
      if (!isDown(error)) {
        throw error
      }
      failed.push(error)
    }
  }
  if (failed.length === servers.length) {
    throw failed[0]
  }
}

/**
 * Other requests are served without the index, and searches once Meilisearch answers. A command, which does not wait for
 * servers, also does what it can where the key is refused; a service with a wrong key is not to start.
 */
async function ifUp(
  check: () => Promise<unknown>,
  address: string,
  { log, startTimeoutMs }: OpenOptions,
): Promise<void> {
  try {
    await check()
  } catch (error) {
    if (!isDown(error) && !(startTimeoutMs === 0 && isOutage(error))) {
      throw error
    }
    log.warn({ address, reason: reasonOf(error) }, 'searches wait for Meilisearch, which does not answer yet')
  }
}

/**
 * Opens the records only.
 *
 * @throws AppError as `openServers`
 */
export async function openMongoCatalog(
  config: ServersConfig,
  options: OpenOptions,
): Promise<{ catalog: MongoCatalog; db: Db }> {
  const connection = await whenUp('MongoDB', hostsOf(config.mongodbUrl), options, async () => {
    const connected = await connectMongo(config.mongodbUrl, options.writes)
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
  return { catalog: catalogIn(connection, config.documents, config.skillText), db: connection.db }
}

/** Opens the connection to a server, and waits until the server is up. */
async function whenUp<T>(
  name: string,
  address: string,
  { log, startTimeoutMs, signal }: OpenOptions,
  open: () => Promise<T>,
): Promise<T> {
  const startedMs = performance.now()
  let logAtMs = startedMs
  for (;;) {
    signal?.throwIfAborted()
    try {
      const opened = await open()
      if (logAtMs > startedMs) {
        log.info({ address, waitedMs: Math.round(performance.now() - startedMs) }, `${name} is up`)
      }
      return opened
    } catch (error) {
      const nowMs = performance.now()
      if (!isDown(error)) {
        throw error
      }
      if (nowMs - startedMs >= startTimeoutMs) {
        const refusal = refusalOf(error)
        const message =
          refusal === null
            ? `${name} does not answer at ${address}: is it up?`
            : `${name} at ${address} refuses a command: ${refusal}. Its log has the reason.`
        throw unavailable(error.code, message, 10, error)
      }
      if (nowMs >= logAtMs) {
        const does = refusalOf(error) === null ? 'does not answer yet' : 'refuses a command'
        log.warn({ address, reason: reasonOf(error) }, `waiting for ${name}, which ${does}`)
        logAtMs = nowMs + logEveryMs
      }
      await sleep(retryMs, undefined, { signal })
    }
  }
}

const isDown = (error: unknown): error is AppError => error instanceof AppError && error.status === 503

/** The message of the driver's error. */
function reasonOf(error: AppError): string {
  const { cause } = error
  return cause instanceof Error ? cause.message : error.message
}

/** The hosts of an address, without user and password. */
const hostsOf = (url: string): string => /^[^:]+:\/\/(?:[^@/]*@)?([^/?]+)/.exec(url)?.[1] ?? ''
