import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, test } from '@jest/globals'
import { freshDatabase } from '../../support/mongo-database.js'
import { type OwnMeilisearch, startOwnMeilisearch } from '../../support/own-meilisearch.js'
import { type OwnRedis, startOwnRedis } from '../../support/own-redis.js'
import { startTcpRelay } from '../../support/own-tcp-relay.js'
import { type RunningServer, type ServerKind, servers, stop } from '../../support/run-servers.js'
import { meiliKey } from '../../support/servers.js'
import type { TcpRelay } from '../../support/tcp-relay.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { type BothServices, bothServices } from './both-services.js'

const kinds: ServerKind[] = ['mongodb', 'meilisearch', 'redis']
const missing = kinds.filter((kind) => !servers[kind].found())

/** A test with its own servers, since it injects faults into them. */
export const testOnOwnServers = (name: string, run: () => Promise<void>): void => {
  if (missing.length === 0) {
    test(name, run, 300_000)
  } else {
    test.skip(`${name} (missing: ${missing.join(', ')})`, run)
  }
}

let mongodb: RunningServer | undefined
afterAll(() => mongodb && stop(mongodb))

/** Servers for faults, with both services. */
export interface Stage extends BothServices {
  /** The configuration of the catalog, without the relay. */
  env: Record<string, string>
  mongodb: RunningServer
  /** Between the services and MongoDB. */
  way: TcpRelay
  meilisearch: OwnMeilisearch
  redis: OwnRedis
}

/** Starts the servers and both services, until the end of the test. */
export async function setStage(): Promise<Stage> {
  mongodb ??= await servers.mongodb.start(temporaryFolder())
  const [meilisearch, redis] = await Promise.all([startOwnMeilisearch(), startOwnRedis()])
  const address = freshDatabase(mongodb.url)
  const way = await startTcpRelay(address)
  const env = { MONGODB_URL: address, MEILI_URL: meilisearch.url, MEILI_KEY: meiliKey, REDIS_URL: redis.url }
  const services = await bothServices({ ...env, MONGODB_URL: way.url }, address)
  return { ...services, env, mongodb, way, meilisearch, redis }
}

/** Resolves when the response of a path has this status. */
export async function untilStatus(stage: Stage, path: string, status: number): Promise<void> {
  while ((await stage.status(path)) !== status) {
    await sleep(100)
  }
}

/** Resolves when the query service has logged this many times that it counts requests alone. */
export async function untilCountedAlone({ query }: Stage, times: number): Promise<void> {
  while (query.stderr().split('counted by this instance alone').length <= times) {
    await sleep(100)
  }
}
