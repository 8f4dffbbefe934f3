import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { readEmbedderConfig, readQueryConfig, readRerankerConfig } from '../../shared/runtime/query-config.js'

test('defaults of the query service', () => {
  expect(readQueryConfig({})).toEqual({
    host: '127.0.0.1',
    port: 3_000,
    publicUrl: null,
    trustedProxies: 0,
    rateLimitPerMinute: 100,
    exportRateLimitPerMinute: 10,
    datasetRateLimitPerMinute: 1_000,
    exportCacheDir: join(tmpdir(), 'skill-catalog-exports'),
    reranker: null,
  })
})

test('every variable is read', () => {
  expect(
    readQueryConfig({
      HOST: '::',
      PORT: '0',
      PUBLIC_URL: 'https://Skills.example.org/',
      TRUSTED_PROXIES: '2',
      RATE_LIMIT_PER_MINUTE: '1000',
      EXPORT_RATE_LIMIT_PER_MINUTE: '1',
      DATASET_RATE_LIMIT_PER_MINUTE: '50',
      EXPORT_CACHE_DIR: '/var/cache/exports',
    }),
  ).toEqual({
    host: '::',
    port: 0,
    publicUrl: 'https://skills.example.org',
    trustedProxies: 2,
    rateLimitPerMinute: 1_000,
    exportRateLimitPerMinute: 1,
    datasetRateLimitPerMinute: 50,
    exportCacheDir: '/var/cache/exports',
    reranker: null,
  })
})

test('one message lists every invalid variable', () => {
  const bad = {
    HOST: 'a b',
    PORT: '70000',
    PUBLIC_URL: 'https://skills.example.org/api?x',
    TRUSTED_PROXIES: '-1',
    RATE_LIMIT_PER_MINUTE: '0',
    EXPORT_RATE_LIMIT_PER_MINUTE: 'ten',
  }

  expect(() => readQueryConfig(bad)).toThrow(expect.objectContaining({ code: 'bad_configuration' }))
  for (const name of Object.keys(bad)) {
    expect(() => readQueryConfig(bad)).toThrow(name)
  }
})

test('the port of the operator is another one, also where that of the API is the default', () => {
  const message = 'METRICS_PORT: "3000" must be another port than PORT'
  expect(() => readQueryConfig({ METRICS_PORT: '3000' })).toThrow(message)
  expect(() => readQueryConfig({ PORT: '3000', METRICS_PORT: '3000' })).toThrow(message)
  expect(readQueryConfig({ PORT: '0', METRICS_PORT: '0' }).port).toBe(0)
})

describe('readEmbedderConfig', () => {
  const ollama = { kind: 'ollama', url: 'http://localhost:11434', key: null, requestsPerMinute: null }

  test.each([
    [{}, { kind: 'built-in' }],
    [{ EMBEDDER: '', EMBEDDER_URL: '', EMBEDDER_KEY: '' }, { kind: 'built-in' }],
    [{ EMBEDDER: 'off' }, { kind: 'off' }],
    [
      { EMBEDDER: 'onnx', EMBEDDER_MODEL: './model' },
      { kind: 'onnx', folder: './model' },
    ],
    [
      {
        EMBEDDER: 'openai',
        EMBEDDER_URL: 'https://api.example/v1/',
        EMBEDDER_KEY: 'sk-1',
        EMBEDDER_MODEL: 'text-embedding-3-small',
        EMBEDDER_REQUESTS_PER_MINUTE: '300',
      },
      {
        kind: 'openai',
        url: 'https://api.example/v1',
        key: 'sk-1',
        model: 'text-embedding-3-small',
        requestsPerMinute: 300,
      },
    ],
    [
      { EMBEDDER: 'ollama', EMBEDDER_MODEL: 'all-minilm' },
      { ...ollama, model: 'all-minilm' },
    ],
  ])('%j', (env, config) => {
    expect(readEmbedderConfig(env)).toEqual(config)
  })

  test.each([
    [{ EMBEDDER: 'magic' }, 'EMBEDDER: "magic" must be built-in, off, openai, ollama or onnx'],
    [{ EMBEDDER: 'ollama' }, 'EMBEDDER_MODEL: is required when EMBEDDER is ollama'],
    [{ EMBEDDER: 'onnx' }, 'EMBEDDER_MODEL: is required when EMBEDDER is onnx: the folder'],
    [{ EMBEDDER: 'openai', EMBEDDER_MODEL: 'm' }, 'EMBEDDER_URL: is required when EMBEDDER is openai'],
    [{ EMBEDDER: 'openai', EMBEDDER_MODEL: 'm', EMBEDDER_URL: 'api.example' }, 'EMBEDDER_URL: must look like https://'],
    [{ EMBEDDER: 'ollama', EMBEDDER_URL: 'http://u:secret@h' }, 'put the key into EMBEDDER_KEY'],
    [{ EMBEDDER: 'ollama', EMBEDDER_URL: 'http://h/?a=1' }, 'remove everything from the first ?'],
    [{ EMBEDDER: 'ollama', EMBEDDER_KEY: 'a secret' }, 'EMBEDDER_KEY: must be ASCII'],
    [{ EMBEDDER: 'ollama', EMBEDDER_REQUESTS_PER_MINUTE: '0' }, 'must be a whole number from 1 to'],
    [{ EMBEDDER: 'off', EMBEDDER_MODEL: 'm' }, 'EMBEDDER_MODEL: is not used when EMBEDDER is off: unset it.'],
    [{ EMBEDDER: 'onnx', EMBEDDER_MODEL: 'm', EMBEDDER_URL: 'http://h' }, 'EMBEDDER_URL: is not used when'],
    [{ EMBEDDER_URL: 'http://h' }, 'EMBEDDER_URL: is used only with EMBEDDER: set EMBEDDER to openai or ollama, or'],
  ])('%j is refused: %s', (env, message) => {
    expect(() => readEmbedderConfig(env)).toThrow(expect.objectContaining({ code: 'bad_configuration' }))
    expect(() => readEmbedderConfig(env)).toThrow(message)
  })

  test('no message has the key or a password', () => {
    for (const env of [
      { EMBEDDER: 'ollama', EMBEDDER_URL: 'http://u:secret@h', EMBEDDER_KEY: 'secret key' },
      { EMBEDDER_KEY: 'secret' },
    ]) {
      expect(() => readEmbedderConfig(env)).toThrow(/^(?![\s\S]*secret)/)
    }
  })
})

describe('readRerankerConfig', () => {
  const server = { RERANKER_URL: 'http://localhost:8080/v1/', RERANKER_MODEL: 'bge-reranker-v2-m3' }

  test('by default there is none; an address and a model name one', () => {
    expect(readRerankerConfig({})).toBeNull()
    expect(readRerankerConfig({ RERANKER_URL: '' })).toBeNull()
    expect(readRerankerConfig(server)).toEqual({
      url: 'http://localhost:8080/v1',
      model: 'bge-reranker-v2-m3',
      key: null,
      timeLimitMs: 500,
    })
    const all = { ...server, RERANKER_KEY: 'sk-1', RERANKER_TIME_LIMIT_MS: '1500' }
    expect(readRerankerConfig(all)).toMatchObject({ key: 'sk-1', timeLimitMs: 1_500 })
  })

  test.each([
    [{ RERANKER_URL: server.RERANKER_URL }, 'RERANKER_MODEL: is required with RERANKER_URL'],
    [{ RERANKER_MODEL: 'm', RERANKER_KEY: 'k' }, 'RERANKER_MODEL: is used only with RERANKER_URL'],
    [{ ...server, RERANKER_URL: 'localhost:8080' }, 'RERANKER_URL: must look like http://localhost:8080/v1'],
    [{ ...server, RERANKER_URL: 'http://u:secret@h' }, 'put the key into RERANKER_KEY'],
    [{ ...server, RERANKER_KEY: 'a secret' }, 'RERANKER_KEY: must be ASCII'],
    [{ ...server, RERANKER_TIME_LIMIT_MS: '5' }, 'RERANKER_TIME_LIMIT_MS'],
  ])('refuses %j', (env, message) => {
    expect(() => readRerankerConfig(env)).toThrow(message)
    expect(() => readRerankerConfig(env)).not.toThrow('secret@')
  })
})
