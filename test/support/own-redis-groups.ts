import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './local-server.js'
import { callRedis, type OwnRedis, startOwnRedis, startOwnSentinel, untilRedisSays } from './own-servers.js'
import { startTcpRelay } from './relays.js'
import { temporaryFolder } from './temporary-folder.js'

/** Several Redis with one address, which end with the test file. */
export interface RedisGroup {
  url: string
  /** Begins to let a replica take the place of a primary. */
  failOver(): Promise<unknown>
}

const localhost = '127.0.0.1'
const portOf = (url: string): string => new URL(url).port

/** A primary and a replica behind one address. Its open connections stay with the server that they lead to. */
export async function startPair(): Promise<RedisGroup> {
  const [first, second] = [await startOwnRedis(), await startOwnRedis()]
  const relay = await startTcpRelay(first.url)
  await callRedis(second.url, 'REPLICAOF', localhost, portOf(first.url))
  await untilRedisSays(second.url, 'master_link_status:up', 'INFO')
  return {
    url: relay.url,
    failOver: async () => {
      await callRedis(second.url, 'REPLICAOF', 'NO', 'ONE')
      await callRedis(first.url, 'REPLICAOF', localhost, portOf(second.url))
      relay.target = second.url
    },
  }
}

/** A primary and a replica with a password, and a sentinel that watches them; of the two that are named, one is down. */
export async function startWatchedPair(): Promise<RedisGroup> {
  const login = ['--requirepass', 'p@ss word', '--masterauth', 'p@ss word']
  const first = await startOwnRedis(login)
  const second = await startOwnRedis([...login, '--replicaof', localhost, portOf(first.url)])
  await untilRedisSays(second.url.replace('//', '//:p%40ss%20word@'), 'master_link_status:up', 'INFO')
  const port = await freePort()
  const settings = [
    `port ${port}`,
    `sentinel monitor catalog ${localhost} ${portOf(first.url)} 1`,
    'sentinel auth-pass catalog "p@ss word"',
    'sentinel down-after-milliseconds catalog 500',
    'sentinel failover-timeout catalog 3000',
  ]
  const file = join(temporaryFolder(), 'sentinel.conf')
  writeFileSync(file, settings.join('\n'))
  await startOwnSentinel(file)
  await untilRedisSays(`redis://${localhost}:${port}`, portOf(second.url), 'SENTINEL', 'REPLICAS', 'catalog')
  return {
    url: `redis+sentinel://:p%40ss%20word@${localhost}:1,${localhost}:${port}/catalog/1`,
    failOver: () => first.kill(),
  }
}

/**
 * A cluster of three primaries, one of which has a replica and fails over.
 *
 * @param key of a slot that is on that primary
 */
export async function startCluster(key: string): Promise<RedisGroup> {
  const nodes = await Promise.all([1, 2, 3, 4].map(startNode))
  const [replica, ...primaries] = nodes
  if (replica === undefined) {
    throw new Error('there is no node')
  }
  const slots = 16_384
  const starts = primaries.map((_, place) => Math.floor((slots / primaries.length) * place))
  for (const [place, { url, port, busPort }] of primaries.entries()) {
    await callRedis(url, 'CLUSTER', 'ADDSLOTSRANGE', String(starts[place]), String((starts[place + 1] ?? slots) - 1))
    await callRedis(replica.url, 'CLUSTER', 'MEET', localhost, port, busPort)
  }
  const slot = Number(await callRedis(replica.url, 'CLUSTER', 'KEYSLOT', key))
  const failing = primaries[starts.findLastIndex((start) => start <= slot)]
  if (failing === undefined) {
    throw new Error('no primary has the slot')
  }
  const id = String(await callRedis(failing.url, 'CLUSTER', 'MYID'))
  await untilRedisSays(replica.url, id, 'CLUSTER', 'NODES')
  await callRedis(replica.url, 'CLUSTER', 'REPLICATE', id)
  await untilRedisSays(replica.url, 'master_link_status:up', 'INFO')
  for (const { url } of nodes) {
    await untilRedisSays(url, 'cluster_state:ok', 'CLUSTER', 'INFO')
    await untilRedisSays(url, 'slave', 'CLUSTER', 'NODES')
  }
  return {
    url: `redis+cluster://${primaries.map(({ port }) => `${localhost}:${port}`).join(',')}`,
    failOver: () => failing.kill(),
  }
}

async function startNode(): Promise<OwnRedis & { port: string; busPort: string }> {
  const busPort = String(await freePort())
  const timing = ['--cluster-node-timeout', '1000', '--cluster-replica-validity-factor', '0']
  const node = await startOwnRedis(['--cluster-enabled', 'yes', '--cluster-port', busPort, ...timing])
  return { ...node, port: portOf(node.url), busPort }
}
