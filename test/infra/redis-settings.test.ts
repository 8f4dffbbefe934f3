import { join } from 'node:path'
import { expect } from '@jest/globals'
import { Redis } from 'ioredis'
import { projectRoot } from '../../shared/project-root.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-redis.js'

testWithOwnRedis('the Redis of the jobs keeps everything, on the disk', async () => {
  expect(await settings('queue.conf')).toMatchObject({
    appendonly: 'yes',
    appendfsync: 'everysec',
    'maxmemory-policy': 'noeviction',
  })
})

testWithOwnRedis('the Redis of the limits keeps nothing, and forgets the oldest counts first', async () => {
  expect(await settings('limits.conf')).toMatchObject({
    appendonly: 'no',
    save: '',
    maxmemory: String(64 * 1024 * 1024),
    'maxmemory-policy': 'allkeys-lru',
  })
})

/** What a server that was started with this file says of itself. */
async function settings(file: string): Promise<unknown> {
  const { url } = await startOwnRedis(['--include', join(projectRoot(), 'infra/redis', file)])
  const client = new Redis(url)
  const pairs = (await client.call('CONFIG', 'GET', 'append*', 'save', 'maxmemory*')) as string[]
  client.disconnect()
  return Object.fromEntries(
    pairs.flatMap((name, position) => (position % 2 === 0 ? [[name, pairs[position + 1]]] : [])),
  )
}
