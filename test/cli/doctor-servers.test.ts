import { expect } from '@jest/globals'
import { Redis } from 'ioredis'
import { Meilisearch } from 'meilisearch'
import { type Check, checksIn, findingsIn } from '../support/doctor-checks.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-redis.js'
import { runInProcess } from '../support/run-catalog.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { emptyCatalog, runOnServers } from '../support/servers-catalog.js'

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    const begin = async () => {
      const redis = await startOwnRedis()
      return { redis, env: await emptyCatalog(mongodb(), meilisearch(), redis.url) }
    }
    const namesOf = (checks: Check[]) => checks.map(({ name }) => name)

    testWithOwnRedis('doctor on servers finds wrong settings of Meilisearch and Redis, and no indexer', async () => {
      const { env } = await begin()
      await runOnServers(env, ['sync', '--local'])
      const { json: good } = await runOnServers(env, ['doctor', '--json'])

      const client = new Meilisearch({ host: env.MEILI_URL, apiKey: meiliKey })
      await client
        .index('skills')
        .updateSettings({ rankingRules: ['words'] })
        .waitTask()
      const redis = new Redis(env.REDIS_URL)
      await redis.config('SET', 'maxmemory-policy', 'allkeys-lru')
      redis.disconnect()
      const { status, json: bad } = await runOnServers(env, ['doctor', '--json'])

      expect(namesOf(checksIn(good))).toEqual(
        expect.arrayContaining([
          'MongoDB',
          'clock of MongoDB',
          'Meilisearch',
          'index settings',
          'Redis',
          'clock of Redis',
        ]),
      )
      expect(namesOf(findingsIn(good)).filter((name) => name !== 'change streams')).toEqual(['indexer'])
      expect(status).toBe(1)
      expect(findingsIn(bad)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'index settings', detail: expect.stringContaining('rankingRules') }),
          expect.objectContaining({ name: 'eviction', detail: expect.stringContaining('allkeys-lru') }),
        ]),
      )
    })

    testWithOwnRedis('doctor on servers names each server that does not answer', async () => {
      const { env } = await begin()

      const { status, json } = await runInProcess(
        {
          ...env,
          MEILI_URL: 'http://127.0.0.1:1',
          REDIS_URL: 'redis://127.0.0.1:1',
          RATE_LIMIT_REDIS_URL: 'redis://127.0.0.1:2',
        },
        ['doctor', '--json'],
        '',
      )

      expect(status).toBe(2)
      expect(findingsIn(json)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'Meilisearch', state: 'finding', detail: 'does not answer' }),
          expect.objectContaining({ name: 'Redis', state: 'finding', remedy: expect.stringContaining(' REDIS_URL') }),
          expect.objectContaining({
            name: 'Redis of the limits',
            remedy: expect.stringContaining('RATE_LIMIT_REDIS_URL'),
          }),
        ]),
      )
    })

    testWithOwnRedis('doctor on servers names a refused key', async () => {
      const { env } = await begin()

      const { json } = await runOnServers({ ...env, MEILI_KEY: 'wrong' }, ['doctor', '--json'])

      expect(findingsIn(json)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'Meilisearch', detail: expect.stringContaining('MEILI_KEY') }),
        ]),
      )
    })
  })
})
