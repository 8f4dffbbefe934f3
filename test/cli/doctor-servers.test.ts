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
    const namesOf = (checks: Check[]) => checks.map(({ name }) => name)

    testWithOwnRedis('doctor on servers finds wrong settings, no indexer, and servers that do not answer', async () => {
      const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
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

      const none = await runInProcess(
        {
          ...env,
          MEILI_URL: 'http://127.0.0.1:1',
          REDIS_URL: 'redis://127.0.0.1:1',
          RATE_LIMIT_REDIS_URL: 'redis://127.0.0.1:2',
        },
        ['doctor', '--json'],
        '',
      )
      expect(none.status).toBe(2)
      expect(findingsIn(none.json)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'Meilisearch', state: 'finding', detail: 'does not answer' }),
          expect.objectContaining({ name: 'Redis', state: 'finding', remedy: expect.stringContaining(' REDIS_URL') }),
          expect.objectContaining({
            name: 'Redis of the limits',
            remedy: expect.stringContaining('RATE_LIMIT_REDIS_URL'),
          }),
        ]),
      )
      const { json: refused } = await runOnServers({ ...env, MEILI_KEY: 'wrong' }, ['doctor', '--json'])
      expect(findingsIn(refused)).toContainEqual(
        expect.objectContaining({ name: 'Meilisearch', detail: expect.stringContaining('MEILI_KEY') }),
      )
    })
  })
})
