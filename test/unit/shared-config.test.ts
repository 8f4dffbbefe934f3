import { describe, expect, test } from '@jest/globals'
import { parseRedisAddress, readSharedConfig } from '../../shared/runtime/config.js'

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
      skillText: 'cleaned',
      embedder: { kind: 'built-in' },
    })
  })

  test('MONGODB_URL selects the servers mode, unless CATALOG_MODE is set', () => {
    expect(readSharedConfig(onServers)).toMatchObject({
      mode: 'servers',
      mongodbUrl: 'mongodb://db.example/skills',
      meiliUrls: ['http://search.example:7700'],
      meiliKey: null,
      redisUrl: 'redis://redis.example:6379/0',
      rateLimitRedisUrl: 'redis://redis.example:6379/0',
      logLevel: 'info',
    })
    expect(readSharedConfig({ ...onServers, CATALOG_MODE: 'embedded' })).toMatchObject({ mode: 'embedded' })
    expect(readSharedConfig({ ...onServers, CATALOG_MODE: '' })).toMatchObject({ mode: 'servers' })
  })

  test('MEILI_URL may name several servers, each once', () => {
    const read = (urls: string) => readSharedConfig({ ...onServers, MEILI_URL: urls })

    expect(read('http://a:7700/,https://b:7700  http://me:secret@c/search')).toMatchObject({
      meiliUrls: ['http://a:7700/', 'https://b:7700', 'http://me:secret@c/search'],
    })
    for (const urls of [',', 'http://a:7700,b:7700', 'http://a:7700 http://', 'http://a:7700, http://a:7700/']) {
      expect(namedBy({ ...onServers, MEILI_URL: urls })).toEqual(['MEILI_URL'])
    }
  })

  test('white space around a value does not count', () => {
    const spaced = { ...onServers, MEILI_KEY: 'key', LOG_LEVEL: 'warn', CATALOG_MODE: 'servers' }
    const lines = Object.entries(spaced).map(([name, value]) => [name, ` ${value}\r\n`])

    expect(readSharedConfig({ ...Object.fromEntries(lines), SKILL_TEXT: ' ' })).toEqual(readSharedConfig(spaced))
  })

  test.each([`"`, `'`, '“'])('a value in quotes is refused, which may name a folder: %s', (quote) => {
    const quoted = { DATA_DIR: `${quote}./data${quote.replace('“', '”')}`, LOG_LEVEL: 'info' }

    expect(namedBy(quoted)).toEqual(['DATA_DIR'])
    expect(() => readSharedConfig(quoted)).toThrow(/DATA_DIR: is in quotes: remove them/)
  })

  test.each([
    ['MONGODB_URL', 'mongodb://db.example/skills/'],
    ['MONGODB_URL', 'mongodb://db.example/skills.v2?retryWrites=true'],
    ['MEILI_KEY', 'schlüssel'],
  ])('what no server can take is refused: %s %s', (name, value) => {
    expect(namedBy({ ...onServers, [name]: value })).toEqual([name])
    for (const url of ['mongodb://a,b:27018/?replicaSet=a.b', 'mongodb://a?tlsCAFile=/etc/ca.pem']) {
      expect(namedBy({ ...onServers, MONGODB_URL: url, MEILI_KEY: 'a key' })).toEqual([])
    }
  })

  test('every variable is read', () => {
    const synonymsFile = 'infra/synonyms.txt'
    expect(
      readSharedConfig({
        CATALOG_MODE: 'embedded',
        DATA_DIR: '/srv/catalog',
        SKILL_TEXT: 'original',
        SKILL_URL_TEMPLATE: 'https://code.example/{owner}/{repo}',
        SYNONYMS_FILE: synonymsFile,
        EMBEDDER: 'off',
        LOG_LEVEL: 'warn',
      }),
    ).toEqual({
      mode: 'embedded',
      dataDir: '/srv/catalog',
      skillText: 'original',
      urlTemplate: 'https://code.example/{owner}/{repo}',
      synonymsFile,
      logLevel: 'warn',
      embedder: { kind: 'off' },
    })
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
    expect(namedBy({ SKILL_TEXT: 'on' })).toEqual(['SKILL_TEXT'])
    for (const template of [
      'https://github.com/{owner}',
      'https://github.com/{repo}',
      'github.com/{owner}/{repo}',
      'ftp://code.example/{owner}/{repo}',
      'https://code.example/{owner}/{repo}/{skill}',
      'https://me:secret@code.example/{owner}/{repo}',
    ]) {
      expect(namedBy({ SKILL_URL_TEMPLATE: template })).toEqual(['SKILL_URL_TEMPLATE'])
    }
    expect(namedBy({ SYNONYMS_FILE: 'none.txt' })).toEqual(['SYNONYMS_FILE'])
    expect(() => readSharedConfig({ SYNONYMS_FILE: 'none.txt' })).toThrow(/of synonyms: there is no such file$/)
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

test.each([
  ['a field and a member of it', { MONGODB_FIELDS: '{"skills":{"stars":["a","a.b"]}}' }],
  ['an operator', { MONGODB_FIELDS: '{"skills":{"name":"$x"}}' }],
  ['an operator for prompts', { MONGODB_FIELDS: '{"prompts":{"title":["title","$x"]}}' }],
  ['no name', { MONGODB_FIELDS: '{"skills":{"name":""}}' }],
  ['no names', { MONGODB_FIELDS: '{"skills":{"name":[]}}' }],
  ['an empty part', { MONGODB_FIELDS: '{"skills":{"name":"a..b"}}' }],
  ['a NUL', { MONGODB_FIELDS: '{"organizations":{"login":"a\\u0000b"}}' }],
  ['the catalog metadata', { MONGODB_FIELDS: '{"skills":{"name":"_catalog"}}' }],
  ['a member of every object', { MONGODB_FIELDS: '{"skills":{"name":"__proto__"}}' }],
  ['a number', { MONGODB_FIELDS: '{"skills":{"name":5}}' }],
  ['an operator as changed-field', { MONGODB_CHANGED_FIELD: '$updatedAt' }],
  ['an operator in a changed-field', { MONGODB_CHANGED_FIELD: 'meta.$updatedAt' }],
  ['an empty part of a changed-field', { MONGODB_CHANGED_FIELD: 'meta.' }],
  ['a changed-field with a NUL', { MONGODB_CHANGED_FIELD: 'a\0b' }],
  ["the catalog's own time", { MONGODB_CHANGED_FIELD: '_catalog.changedAt' }],
])('names that MongoDB cannot have as a field are refused at the start: %s', (_name, variables) => {
  const [variable] = Object.keys(variables)
  expect(namedBy({ ...onServers, ...variables })).toEqual([variable])
})

test('a field may have any other name', () => {
  const config = readSharedConfig({
    ...onServers,
    MONGODB_FIELDS: '{"skills":{"name":["a b","é$","_id"]}}',
    MONGODB_CHANGED_FIELD: 'meta.updated at',
  })
  expect(config).toMatchObject({
    documents: { changedField: 'meta.updated at', fields: { skills: { name: ['a b', 'é$', '_id'] } } },
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

describe('parseRedisAddress', () => {
  const noLogin = { username: '', password: '' }

  test.each([
    'redis://127.0.0.1',
    'redis://one/',
    'redis://one/0?family=6',
    'rediss://:secret@redis.example:6380/2',
    'redis://[::1]:6379',
  ])('one server: %s', (url) => {
    expect(parseRedisAddress(url)).toEqual({ kind: 'server', url })
  })

  test('sentinels, with the name of the primary', () => {
    expect(parseRedisAddress('redis+sentinel://one.example,[::1]:26380/catalog')).toEqual({
      kind: 'sentinel',
      hosts: [
        { host: 'one.example', port: 26_379 },
        { host: '::1', port: 26_380 },
      ],
      name: 'catalog',
      db: 0,
      tls: false,
      login: noLogin,
      sentinel: noLogin,
    })
    expect(
      parseRedisAddress(
        'rediss+sentinel://me:p%40ss%3A100%25@s:1/my-primary/3?sentinel_username=it&sentinel_password=a%26b',
      ),
    ).toEqual({
      kind: 'sentinel',
      hosts: [{ host: 's', port: 1 }],
      name: 'my-primary',
      db: 3,
      tls: true,
      login: { username: 'me', password: 'p@ss:100%' },
      sentinel: { username: 'it', password: 'a&b' },
    })
  })

  test('nodes of a cluster', () => {
    expect(parseRedisAddress('redis+cluster://:secret@one:7000,two/')).toEqual({
      kind: 'cluster',
      hosts: [
        { host: 'one', port: 7_000 },
        { host: 'two', port: 6_379 },
      ],
      tls: false,
      login: { username: '', password: 'secret' },
    })
  })

  test.each([
    ['', 'nothing'],
    ['redis.example:6379', 'no scheme'],
    ['http://redis.example', 'another scheme'],
    ['redis://one/0MB', 'a database that begins with a number'],
    ['redis://one/catalog', 'a database with a name'],
    ['redis://one:6379,two:6379', 'several hosts, and not what they are'],
    ['redis+sentinel://one:26379', 'no name'],
    ['redis+sentinel://one:26379/', 'an empty name'],
    ['redis+sentinel://one:26379/catalog/first', 'a database that is no number'],
    ['redis+sentinel://one:26379/catalog?password=x', 'an unknown option'],
    ['redis+sentinel:///catalog', 'no host'],
    ['redis+sentinel://one,,two/catalog', 'an empty host'],
    ['redis+sentinel://one:99999/catalog', 'a port that there is not'],
    ['redis+sentinel://one:port/catalog', 'a port that is no number'],
    ['redis+cluster://one:6379/1', 'a database of a cluster'],
    ['redis+cluster://one:6379?x=1', 'an option of a cluster'],
    ['redis+sentinels://one/catalog', 'a scheme that is nearly right'],
  ])('none: %j, %s', (text) => {
    expect(parseRedisAddress(text)).toBeNull()
  })
})
