import { isDeepStrictEqual } from 'node:util'
import type { Settings } from 'meilisearch'
import type { Db } from 'mongodb'
import type { Embedder } from '../../ports/embedder.js'
import { readSynonyms } from '../../ranking/other-words.js'
import type { ServersConfig } from '../../runtime/config.js'
import { operatorError, unavailable } from '../../runtime/errors.js'
import { shownAddress } from '../../text/parse-url.js'
import type { MeilisearchFacts, MongodbFacts, RedisFacts, ServerInspection } from '../stores.js'
import { meiliClients, translated as translatedSearch } from './meili/client.js'
import { nullIfMissing } from './meili/indexes.js'
import { IndexSettings } from './meili/settings.js'
import { connectMongo, refusalOf, serverTime, translated } from './mongo/connection.js'
import { hasNoStreams, openEvents } from './mongo/ingest/source-events.js'
import { checkRedis, withRedis } from './redis/connect.js'

/** How long Redis may take to connect, and for each command. */
const redisTimeoutMs = 3_000

/** Looks at the servers of a catalog. Closing it closes the embedder. */
export const serverInspection = (config: ServersConfig, embedder: Embedder | null): ServerInspection => ({
  mongodb: () => inspectMongodb(config.mongodbUrl),
  meilisearch: config.meiliUrls.map((url) => ({
    address: shownAddress(url),
    inspect: () => inspectMeilisearch(url, config, embedder),
  })),
  redis: () => inspectRedis(config.redisUrl, 'REDIS_URL'),
  limitsRedis:
    config.rateLimitRedisUrl === config.redisUrl
      ? null
      : () => inspectRedis(config.rateLimitRedisUrl, 'RATE_LIMIT_REDIS_URL'),
  close: async () => {
    await embedder?.close()
  },
})

async function inspectMongodb(url: string): Promise<MongodbFacts> {
  const { client, db } = await connectMongo(url)
  try {
    return await translated(async () => {
      const { version } = await db.command({ buildInfo: 1 })
      const clockAheadMs = await clockAhead(async () => (await serverTime(db)).getTime())
      return { version: String(version), clockAheadMs, changeStreams: await watchBriefly(db) }
    })
  } catch (error) {
    const refusal = refusalOf(error)
    throw refusal === null ? error : operatorError('catalog_refused', `refuses a command: ${refusal}`, error)
  } finally {
    await client.close()
  }
}

/** Follows the documents for a moment, as the indexer does. @returns as `changeStreams` of the facts */
async function watchBriefly(db: Db): Promise<string> {
  const stream = openEvents(db, null, 1)
  try {
    await stream.tryNext()
    return 'works'
  } catch (error) {
    return hasNoStreams(error) ? 'standalone' : error instanceof Error ? error.message : String(error)
  } finally {
    await stream.close().catch(() => undefined)
  }
}

function inspectMeilisearch(url: string, config: ServersConfig, embedder: Embedder | null): Promise<MeilisearchFacts> {
  const { reader } = meiliClients(url, config.meiliKey)
  return translatedSearch(async () => {
    const { pkgVersion } = await reader.getVersion()
    const expected = await new IndexSettings(readSynonyms(config.synonymsFile), embedder).complete()
    const found = await reader.index('skills').getSettings().catch(nullIfMissing)
    return { version: pkgVersion, clockAheadMs: null, differentSettings: differences(expected, found) }
  })
}

/** Meilisearch returns these lists sorted. */
const setLists = ['sortableAttributes', 'stopWords']

/** Names of the settings that an index has otherwise; null without an index. */
function differences(expected: Settings, found: Settings | null): string[] | null {
  if (found === null) {
    return null
  }
  return Object.entries(expected).flatMap(([name, value]) => {
    const ordered = (list: unknown) => (setLists.includes(name) && Array.isArray(list) ? [...list].sort() : list)
    return contains(ordered(found[name as keyof Settings]), ordered(value)) ? [] : [name]
  })
}

/** Whether a setting has the expected value. Meilisearch adds the defaults of members that were not set. */
function contains(found: unknown, expected: unknown): boolean {
  if (Array.isArray(expected) || typeof expected !== 'object' || expected === null) {
    return isDeepStrictEqual(found, expected)
  }
  return Object.entries(expected).every(([name, value]) => contains(Object(found)[name], value))
}

/** @param variable the environment variable, for messages */
async function inspectRedis(url: string, variable: string): Promise<RedisFacts> {
  await checkRedis(url, variable, true)
  try {
    return await withRedis(url, redisTimeoutMs, async (redis) => {
      const info = await redis.info()
      const clockAheadMs = await clockAhead(async () => {
        const [seconds, microseconds] = await redis.time()
        return Number(seconds) * 1_000 + Number(microseconds) / 1_000
      })
      const factOf = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? ''
      return { version: factOf('redis_version'), clockAheadMs, evictionPolicy: factOf('maxmemory_policy') }
    })
  } catch (error) {
    throw unavailable('jobs_unavailable', `Redis does not answer: is it up, at the address in ${variable}?`, 10, error)
  }
}

/** Asks a server for its time, and compares it with the middle of the request. @param ask returns epoch milliseconds */
async function clockAhead(ask: () => Promise<number>): Promise<number> {
  const sentMs = Date.now()
  const atMs = await ask()
  return Math.round(atMs - (sentMs + Date.now()) / 2)
}
