import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { readQueryConfig } from '../../shared/runtime/query-config.js'

test('defaults', () => {
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
