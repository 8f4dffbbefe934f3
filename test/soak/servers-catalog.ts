import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { type Document, MongoClient } from 'mongodb'
import { freePort } from '../support/local-server.js'
import { meiliKey, type RunningServer, type ServerKind, startServer, stop } from '../support/run-servers.js'
import { TcpRelay } from '../support/tcp-relay.js'
import { Service } from './service.js'
import { commonSettings, type PlannedFault, type SoakCatalog } from './soak-catalog.js'
import type { SoakLog } from './soak-log.js'
import { CrawlerWriter, ModeratedWriter, StoreWriter } from './writers.js'

/** A server for the soak, which is reached at the same address after a restart. */
class SoakServer {
  readonly #kind: ServerKind
  readonly #folder: string
  #running: RunningServer
  readonly relay: TcpRelay

  private constructor(kind: ServerKind, folder: string, running: RunningServer, relay: TcpRelay) {
    this.#kind = kind
    this.#folder = folder
    this.#running = running
    this.relay = relay
  }

  static async start(kind: ServerKind, folder: string): Promise<SoakServer> {
    const own = join(folder, kind)
    // The data of an hour has room in it.
    const running = await startServer(kind, own, true)
    return new SoakServer(kind, own, running, await TcpRelay.before(running.url))
  }

  get url(): string {
    return this.#running.url
  }

  /** Its address through the relay, which drops connections. */
  get relayed(): string {
    return this.relay.url
  }

  async strike({ kind, forMs }: PlannedFault): Promise<void> {
    if (kind === 'freeze') {
      this.#running.child.kill('SIGSTOP')
      await sleep(forMs)
      this.#running.child.kill('SIGCONT')
    } else if (kind === 'restart') {
      await stop(this.#running)
      this.relay.drop()
      await sleep(forMs)
      this.#running = await startServer(this.#kind, this.#folder)
      this.relay.target = this.url
    } else if (kind === 'flush') {
      const redis = new Redis(this.url)
      await redis.flushall()
      redis.disconnect()
    } else if (kind === 'cut') {
      this.relay.drop()
    } else {
      await this.relay.cut()
      await sleep(forMs)
      await this.relay.heal()
    }
  }

  async close(): Promise<void> {
    await this.relay.cut()
    await stop(this.#running)
  }
}

/** Starts a catalog with its own servers: two indexers, a query service, and another application that writes. */
export async function startOnServers(folder: string, log: SoakLog): Promise<SoakCatalog> {
  const own = new Map<string, SoakServer>()
  for (const kind of ['mongodb', 'meilisearch', 'redis'] as const) {
    own.set(kind, await SoakServer.start(kind, folder))
  }
  const server = (kind: ServerKind): SoakServer => own.get(kind) as SoakServer
  const env = {
    ...commonSettings,
    MONGODB_URL: `${server('mongodb').relayed}/soak`,
    MEILI_URL: server('meilisearch').relayed,
    MEILI_KEY: meiliKey,
    REDIS_URL: server('redis').relayed,
    EXPORT_CACHE_DIR: join(folder, 'exports'),
  }
  const PORT = String(await freePort())
  const indexer = (name: string) => new Service({ name, path: 'dist/services/indexer/main.js', env, folder, log })
  const api = new Service({ name: 'query', path: 'dist/services/query/main.js', env: { ...env, PORT }, folder, log })
  const services = [indexer('indexer-a'), indexer('indexer-b'), api]
  for (const service of services) {
    await service.start()
  }
  // Writers do not use the relay: their lost writes would not be losses of the catalog.
  const direct = `${server('mongodb').url}/soak`
  const crawler = await MongoClient.connect(direct)
  const documents = crawler.db().collection<Document & { _id: string }>('skills')
  const writers = {
    store: new ModeratedWriter(new StoreWriter({ ...env, MONGODB_URL: direct }), documents),
    crawler: new CrawlerWriter(documents),
  }
  return {
    env,
    folder,
    url: `http://127.0.0.1:${PORT}`,
    services,
    api,
    writers,
    strikeServer: (fault) => server(fault.target as ServerKind).strike(fault),
    close: async () => {
      writers.store.close()
      writers.crawler.close()
      await Promise.all(services.map((service) => service.end()))
      await crawler.close()
      await Promise.all([...own.values()].map((each) => each.close()))
    },
  }
}
