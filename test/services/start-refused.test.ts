import { describe, expect, test } from '@jest/globals'
import { Meilisearch } from 'meilisearch'
import { freshDatabase } from '../support/mongo-database.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { awayServers, nodeStart, npmStart, type ServiceProcess, serviceStart } from '../support/service-process.js'

async function refusal(service: ServiceProcess): Promise<string> {
  expect(await service.ended).toBe(2)
  expect(service.stdout()).toBe('')
  return service.stderr()
}

describe.each(['query', 'indexer'] as const)('the %s service', (name) => {
  test('without servers lists the variables to set', async () => {
    const said = await refusal(npmStart({}, `start:${name}`))

    expect(said).toMatch(/^The configuration is invalid:\n {2}MONGODB_URL: is required .*npm start .*\n$/)
  })

  testWithOwnRedis('refuses a wrong password for Redis', async () => {
    const redis = await startOwnRedis(['--requirepass', 'right'])
    const url = redis.url.replace('redis://', 'redis://:redis-secret@')
    const given = { ...awayServers, REDIS_URL: url }

    const said = await refusal(serviceStart(name, given))

    expect(said).toMatch(/^Redis refuses the connection \(WRONGPASS .*check user, password .* in REDIS_URL\.\n$/)
    expect(said).not.toContain('secret')
  })
})

test('lists every invalid variable and field name, and no password', async () => {
  const wrong = {
    MONGODB_FIELDS: '{"skills":{"stars":[],"rating":"x"},"tools":{}}',
    MONGODB_URL: 'mongo://someone:mongo-secret@host',
    MEILI_URL: 'host:7700',
    REDIS_URL: 'http://:redis-secret@host',
    CATALOG_MODE: 'servers',
  }
  const said = await refusal(serviceStart('query', wrong))

  for (const variable of ['MONGODB_URL', 'MEILI_URL', 'REDIS_URL']) {
    expect(said).toContain(`\n  ${variable}: must look like `)
  }
  for (const field of ['MONGODB_FIELDS', 'skills.stars', 'rating', 'tools']) {
    expect(said).toContain(field)
  }
  expect(said).not.toContain('secret')
})

test('npm start in the servers mode names the commands to use', async () => {
  const said = await refusal(nodeStart(awayServers))

  expect(said).toContain('npm run start:indexer')
  expect(said).toContain('npm run start:query')
})

whenServer('mongodb', (mongodb) => {
  whenServer('redis', (redis) => {
    whenServer('meilisearch', (meilisearch) => {
      const env = () => ({
        MONGODB_URL: freshDatabase(mongodb()),
        MEILI_URL: meilisearch(),
        MEILI_KEY: meiliKey,
        REDIS_URL: redis(),
      })

      test.each(['query', 'indexer'] as const)('a wrong key for Meilisearch ends the start of the %s', async (name) => {
        const said = await refusal(serviceStart(name, { ...env(), MEILI_KEY: 'search-secret' }))

        expect(said).toBe('Meilisearch refuses the key: check MEILI_KEY.\n')
      })

      test('an index of another application is not changed', async () => {
        const client = new Meilisearch({ host: meilisearch(), apiKey: meiliKey })
        await client.deleteIndex('skills').waitTask()
        await client.createIndex('skills', { primaryKey: 'sku' }).waitTask()

        const said = await refusal(serviceStart('indexer', env()))

        expect(said).toMatch(/^Meilisearch has an index skills that is not this catalog's\. .*\n$/)
        expect((await client.getRawIndex('skills')).primaryKey).toBe('sku')
        await client.deleteIndex('skills').waitTask()
      })
    })
  })
})
