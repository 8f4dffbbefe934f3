import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from '@jest/globals'
import { type Collection, MongoClient } from 'mongodb'
import { afterTest } from '../../support/after-test.js'
import { freshDatabase } from '../../support/mongo-database.js'
import {
  missingServers,
  type OwnRedis,
  type OwnServer,
  startOwnMeilisearch,
  startOwnRedis,
} from '../../support/own-servers.js'
import { startTcpRelay } from '../../support/relays.js'
import { type RunningServer, startServer, stop } from '../../support/run-servers.js'
import { meiliKey } from '../../support/servers.js'
import type { ServersEnvironment } from '../../support/servers-catalog.js'
import { endServices, greetingEnd, type ServiceProcess, serviceStart } from '../../support/service-process.js'
import { testUnless } from '../../support/skip.js'
import type { TcpRelay } from '../../support/tcp-relay.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { until } from '../../support/until.js'
import { watchedPaths } from './watch-api.js'

/** A running indexer and query service, with some skills. */
interface BothServices {
  indexer: ServiceProcess
  query: ServiceProcess
  /** The collection of skills, as another application writes it. */
  skills: Collection
  /** Requests a path; resolves with the status. */
  status(path: string): Promise<number>
  /** Repeats a search until it finds exactly these skills. */
  untilFound(text: string, ids: string[]): Promise<void>
  /** Stops both with SIGTERM. */
  end(): Promise<void>
}

/**
 * Starts both, and waits until every endpoint answers.
 *
 * @param env the configuration of the services
 * @param mongodb the address of the database for the other application
 */
async function bothServices(env: ServersEnvironment, mongodb: string): Promise<BothServices> {
  const writer = await MongoClient.connect(mongodb)
  afterTest(() => writer.close())
  const skills = writer.db().collection('skills')
  await skills.insertMany(['first', 'second'].map((repo) => ({ owner: 'acme', repo, description: 'early' })))
  const unlimited = { RATE_LIMIT_PER_MINUTE: '1000000', EXPORT_RATE_LIMIT_PER_MINUTE: '1000000' }
  const indexer = serviceStart('indexer', env)
  const query = serviceStart('query', { ...env, ...unlimited })
  await Promise.all([indexer.says(greetingEnd), query.says(greetingEnd)])
  const get = (path: string) => fetch(query.url() + path)
  const status = async (path: string) => {
    const answer = await get(path)
    await answer.arrayBuffer()
    return answer.status
  }
  const services: BothServices = {
    indexer,
    query,
    skills,
    status,
    untilFound: async (text, ids) => {
      for (;;) {
        const answer = await get(`/api/v1/skills/search?q=${text}`)
        const { data } = (await answer.json()) as { data?: { id: string }[] }
        if (JSON.stringify(data?.map(({ id }) => id).sort()) === JSON.stringify(ids)) {
          return
        }
        await sleep(100)
      }
    },
    end: () => endServices(indexer, query),
  }
  await services.untilFound('early', ['acme/first', 'acme/second'])
  for (const path of watchedPaths) {
    await until(async () => (await status(path)) === 200)
  }
  return services
}

/** A test with its own servers, since it injects faults into them. */
export const testOnOwnServers = (name: string, run: () => Promise<void>): void =>
  testUnless(missingServers('mongodb', 'meilisearch', 'redis'), name, run, 300_000)

let mongodb: RunningServer | undefined
afterAll(() => mongodb && stop(mongodb))

/** Servers for faults, with both services. */
export interface Stage extends BothServices {
  /** The configuration of the catalog, without the relay. */
  env: Record<string, string>
  mongodb: RunningServer
  /** Between the services and MongoDB. */
  way: TcpRelay
  meilisearch: OwnServer
  redis: OwnRedis
}

/** Starts the servers and both services, until the end of the test. */
export async function setStage(): Promise<Stage> {
  mongodb ??= await startServer('mongodb', temporaryFolder())
  const [meilisearch, redis] = await Promise.all([startOwnMeilisearch(), startOwnRedis()])
  const address = freshDatabase(mongodb.url)
  const way = await startTcpRelay(address)
  const env = { MONGODB_URL: address, MEILI_URL: meilisearch.url, MEILI_KEY: meiliKey, REDIS_URL: redis.url }
  const services = await bothServices({ ...env, MONGODB_URL: way.url }, address)
  return { ...services, env, mongodb, way, meilisearch, redis }
}

/** Resolves when the response of a path has this status. */
export async function untilStatus(stage: Stage, path: string, status: number): Promise<void> {
  await until(async () => (await stage.status(path)) === status)
}

/** Resolves when the query service has logged this many times that it counts requests alone. */
export async function untilCountedAlone({ query }: Stage, times: number): Promise<void> {
  await until(() => query.stderr().split('counted by this instance alone').length > times)
}
