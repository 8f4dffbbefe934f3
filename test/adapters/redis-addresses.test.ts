import { expect } from '@jest/globals'
import { checkRedis, pingRedis } from '../../shared/adapters/servers/redis/connect.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-redis.js'
import { startCluster, startWatchedPair } from '../support/own-redis-groups.js'

const check = (url: string) => checkRedis(url, 'REDIS_URL')

testWithOwnRedis(
  'an address by sentinels is checked: its name, its password, and that these are sentinels',
  async () => {
    const { url } = await startWatchedPair()
    const sentinel = /127\.0\.0\.1:\d\d+/.exec(url)?.[0]

    await check(url)
    await pingRedis(url)
    await expect(check(url.replace('/catalog', '/another'))).rejects.toThrow(
      /No such master.* name of the primary in REDIS_URL/,
    )
    await expect(check(url.replace(':p%40', ':wrong'))).rejects.toThrow(/WRONGPASS.* REDIS_URL/)
    await expect(check(`redis://${sentinel}`)).rejects.toThrow(
      'REDIS_URL leads to a sentinel: name it as redis+sentinel:',
    )
    // Unavailable ones are waited for.
    await check('redis+sentinel://127.0.0.1:1/catalog')
  },
)

testWithOwnRedis('an address of a cluster is checked: that it is one', async () => {
  const { url } = await startCluster('any')
  const node = /127\.0\.0\.1:\d+/.exec(url)?.[0]
  const single = await startOwnRedis()

  await check(url)
  await pingRedis(url)
  await expect(check(`redis://${node}`)).rejects.toThrow(
    'REDIS_URL leads to a node of a cluster: name it as redis+cluster:',
  )
  await expect(check(single.url.replace('redis:', 'redis+cluster:'))).rejects.toThrow(
    /cluster support disabled.* REDIS_URL/,
  )
  await check('redis+cluster://127.0.0.1:1')
})
