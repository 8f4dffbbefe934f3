import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { HttpRelay } from '../../support/http-relay.js'
import { MongoCommands } from '../../support/mongo-commands.js'
import { TcpRelay } from '../../support/tcp-relay.js'
import { processorSeconds } from '../footprint.js'
import { startProcess } from '../processes.js'
import { type Measure, type Part, print } from '../report.js'
import { fillCatalog, type ServersBench, untilAllJobsHaveRun, withServersBench } from '../servers-bench.js'

const size = 20_000

const idleSeconds = 60

/** After their start the services read and write more for a while; then V8 collects the garbage of the first jobs, twice. */
const settledMs = 75_000

const services = ['indexer', 'query'] as const

export const serversIdle: Part = {
  name: 'servers-idle',
  summary: `a minute without changes: one indexer and one query service over ${size.toLocaleString('en')} seeded skills`,
  measure: (folder) => withServersBench(size, folder, measureIdle),
}

async function measureIdle(bench: ServersBench): Promise<Measure[]> {
  await fillCatalog(bench)
  const watched = await Promise.all(services.map((service) => startWatched(service, bench.env)))
  const [indexer, query] = watched
  await untilAllJobsHaveRun(bench)
  await sleep(settledMs)
  const redis = new Redis(bench.env.REDIS_URL)
  const monitor = await redis.monitor()
  const sentToRedis: string[] = []
  monitor.on('monitor', (_time: string, [name = '']: string[], source: string) => {
    if (source !== 'lua') {
      sentToRedis.push(name.toLowerCase())
    }
  })
  const pids = { ...bench.pids, indexer: indexer?.pid, query: query?.pid }
  const before = secondsOf(pids)
  for (const { forget } of watched) {
    forget()
  }
  await sleep(idleSeconds * 1_000)
  const after = secondsOf(pids)
  monitor.disconnect()
  redis.disconnect()
  const unit = '% of a core'
  const share = (name: string) => (((after[name] ?? Number.NaN) - (before[name] ?? 0)) / idleSeconds) * 100
  const measures = [
    { name: 'processor, both services', value: share('indexer') + share('query'), unit, aim: { atMost: 2 } },
    ...Object.keys(pids).map((name) => ({ name: `processor, ${name}`, value: share(name), unit })),
    ...watched.flatMap(({ service, mongo, meili }) => [
      counted(`MongoDB, ${service}`, mongo.names),
      counted(`Meilisearch, ${service}`, meili()),
    ]),
    counted('Redis, both', sentToRedis),
  ]
  for (const each of watched) {
    await each.stop()
  }
  return measures
}

/** Starts a built service with relays before MongoDB and Meilisearch. */
async function startWatched(service: (typeof services)[number], env: ServersBench['env']) {
  const mongodb = await TcpRelay.before(env.MONGODB_URL)
  const mongo = new MongoCommands()
  mongodb.onRequest = (chunk, connection) => mongo.read(chunk, connection)
  const relay = await HttpRelay.before(env.MEILI_URL)
  const running = await startProcess(`dist/services/${service}/main.js`, [], {
    ...env,
    MONGODB_URL: mongodb.url,
    MEILI_URL: relay.url,
  })
  return {
    service,
    mongo,
    pid: running.pid,
    meili: () => relay.requests.map(({ method, path }) => `${method} ${path}`),
    forget: () => {
      mongo.names.length = 0
      relay.requests.length = 0
    },
    stop: async () => {
      await running.stop()
      await mongodb.cut()
      relay.close()
    },
  }
}

const secondsOf = (pids: Record<string, number | undefined>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(pids).flatMap(([name, pid]) => (pid === undefined ? [] : [[name, processorSeconds(pid)]])),
  )

/** How many requests there were, and how many of each kind. */
function counted(name: string, requests: string[]): Measure {
  const kinds = new Map<string, number>()
  for (const request of requests) {
    kinds.set(request, (kinds.get(request) ?? 0) + 1)
  }
  const detail = [...kinds].sort(([, one], [, other]) => other - one).map(([kind, count]) => `${count} ${kind}`)
  print(`${name}: ${detail.join(', ')}`)
  return { name, value: requests.length, unit: 'a minute' }
}
