import { join } from 'node:path'
import { expect } from '@jest/globals'
import { Redis } from 'ioredis'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'

testWithOwnRedis('the Redis of the jobs evicts nothing and writes to the disk', async () => {
  expect(await settings('queue.conf')).toMatchObject({
    appendonly: 'yes',
    appendfsync: 'everysec',
    'maxmemory-policy': 'noeviction',
  })
})

testWithOwnRedis(
  'the Redis of the limits writes nothing to the disk, and evicts the least recently used counts',
  async () => {
    expect(await settings('limits.conf')).toMatchObject({
      appendonly: 'no',
      save: '',
      maxmemory: String(64 * 1024 * 1024),
      'maxmemory-policy': 'allkeys-lru',
    })
  },
)

/** The settings that a server started with this file reports. */
async function settings(file: string): Promise<unknown> {
  const { url } = await startOwnRedis(['--include', join(projectRoot(), 'infra/redis', file)])
  const client = new Redis(url)
  const pairs = (await client.call('CONFIG', 'GET', 'append*', 'save', 'maxmemory*')) as string[]
  client.disconnect()
  return Object.fromEntries(
    pairs.flatMap((name, position) => (position % 2 === 0 ? [[name, pairs[position + 1]]] : [])),
  )
}
