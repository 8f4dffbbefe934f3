import { describe, expect, test } from '@jest/globals'
import { readSharedConfig } from '../../shared/runtime/config.js'

const onServers = {
  MONGODB_URL: 'mongodb://db.example/skills',
  MEILI_URL: 'http://search.example:7700',
  REDIS_URL: 'redis://redis.example:6379/0',
}

describe('readSharedConfig', () => {
  test('default: the embedded mode, in ./data', () => {
    expect(readSharedConfig({})).toEqual({
      mode: 'embedded',
      dataDir: './data',
      logLevel: 'info',
      embedder: { kind: 'built-in' },
    })
  })

  test('MONGODB_URL selects the servers mode, unless CATALOG_MODE is set', () => {
    expect(readSharedConfig(onServers)).toMatchObject({
      mode: 'servers',
      mongodbUrl: 'mongodb://db.example/skills',
      meiliUrl: 'http://search.example:7700',
      meiliKey: null,
      redisUrl: 'redis://redis.example:6379/0',
      rateLimitRedisUrl: 'redis://redis.example:6379/0',
      logLevel: 'info',
    })
    expect(readSharedConfig({ ...onServers, CATALOG_MODE: 'embedded' })).toMatchObject({ mode: 'embedded' })
    expect(readSharedConfig({ ...onServers, CATALOG_MODE: '' })).toMatchObject({ mode: 'servers' })
  })

  test('every variable is read', () => {
    const synonymsFile = 'infra/synonyms.txt'
    expect(
      readSharedConfig({
        CATALOG_MODE: 'embedded',
        DATA_DIR: '/srv/catalog',
        SYNONYMS_FILE: synonymsFile,
        EMBEDDER: 'off',
        LOG_LEVEL: 'warn',
      }),
    ).toEqual({ mode: 'embedded', dataDir: '/srv/catalog', synonymsFile, logLevel: 'warn', embedder: { kind: 'off' } })
    expect(
      readSharedConfig({
        ...onServers,
        CATALOG_MODE: 'servers',
        MEILI_KEY: 'key',
        RATE_LIMIT_REDIS_URL: 'redis://limits.example',
        LOG_LEVEL: 'silent',
      }),
    ).toMatchObject({ meiliKey: 'key', rateLimitRedisUrl: 'redis://limits.example', logLevel: 'silent' })
  })

  test('one message lists every invalid and every missing variable', () => {
    expect(namedBy({ CATALOG_MODE: 'cloud', LOG_LEVEL: 'loud' })).toEqual(['CATALOG_MODE', 'LOG_LEVEL'])
    expect(namedBy({ SYNONYMS_FILE: 'none.txt' })).toEqual(['SYNONYMS_FILE'])
    expect(namedBy({ CATALOG_MODE: 'servers' })).toEqual(['MONGODB_URL', 'MEILI_URL', 'REDIS_URL'])
    expect(
      namedBy({
        MONGODB_URL: 'mongodb://db.example',
        MEILI_URL: 'search.example',
        RATE_LIMIT_REDIS_URL: 'limits.example',
        MONGODB_FIELDS: '{',
        LOG_LEVEL: 'loud',
        EMBEDDER: 'openai',
      }),
    ).toEqual([
      'MEILI_URL',
      'REDIS_URL',
      'RATE_LIMIT_REDIS_URL',
      'MONGODB_FIELDS',
      'LOG_LEVEL',
      'EMBEDDER_URL',
      'EMBEDDER_MODEL',
    ])
  })
})

/** The variables that the error lists for this environment, one per line. */
function namedBy(env: Record<string, string>): string[] {
  try {
    readSharedConfig(env)
  } catch (error) {
    return [...String(error).matchAll(/^ {2}(\w+): /gm)].map(([, name]) => String(name))
  }
  return []
}
