import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { misspelledSettings, settingNames } from '../../shared/runtime/env.js'

test.each([
  ['RATE_LIMT_PER_MINUTE', 'RATE_LIMIT_PER_MINUTE'],
  ['RATE_LIMIT_PER_MINTUE', 'RATE_LIMIT_PER_MINUTE'],
  ['DATADIR', 'DATA_DIR'],
  ['data_dir', 'DATA_DIR'],
  ['DATA-DIR', 'DATA_DIR'],
  ['MONGODB_URI', 'MONGODB_URL'],
  ['REDIS_URI', 'REDIS_URL'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['SAMPLE_CATALOGUE', 'SAMPLE_CATALOG'],
  ['EXPORT_EVERY_SECOND', 'EXPORT_EVERY_SECONDS'],
  ['PUBLIC_URI', 'PUBLIC_URL'],
  ['Port', 'PORT'],
  ['MONGO_URL', 'MONGODB_URL'],
  ['RATE_LIMIT_PER_MIN', 'RATE_LIMIT_PER_MINUTE'],
  ['export_rate_limit_per_min', 'EXPORT_RATE_LIMIT_PER_MINUTE'],
  ['STATS_EVERY_SEC', 'STATS_EVERY_SECONDS'],
])('%s is a misspelled %s', (name, meant) => {
  expect(misspelledSettings({ [name]: 'x' })).toEqual([{ name, meant }])
})

test('variables of other programs are not taken for settings', () => {
  const others = [
    ...['HOME', 'HOSTNAME', 'HOSTTYPE', 'PATH', 'PWD', 'SHELL', 'TERM', 'USER', 'LANG', 'POST', 'SPORT', 'REPORT'],
    ...['REDIS_PORT', 'REDIS_HOST', 'REDIS_SERVICE_HOST', 'MONGODB_PORT', 'MEILI_MASTER_KEY', 'MEILI_PORT'],
    ...['MONGO_PASSWORD', 'MONGO_ROOT_PASSWORD', 'XDG_DATA_DIRS', 'XDG_DATA_HOME', 'NODE_ENV', 'NODE_OPTIONS'],
    ...['KUBERNETES_PORT', 'QUERY_SERVICE_PORT', 'npm_config_loglevel', 'npm_lifecycle_event', 'API_PORT', 'LOGNAME'],
    ...['DATABASE_URL', 'BASE_URL', 'OPENAI_API_KEY', 'TMPDIR', 'CI', 'DEBUG', 'LS_COLORS', 'EDITOR', 'METRICS'],
  ]

  expect(misspelledSettings(Object.fromEntries(others.map((name) => [name, 'x'])))).toEqual([])
})

test('a variable is not meant as a setting that is set itself, and an empty one is not set', () => {
  expect(misspelledSettings({ MONGODB_URI: 'mongodb://other', MONGODB_URL: 'mongodb://own' })).toEqual([])
  expect(misspelledSettings({ DATADIR: '' })).toEqual([])
})

test('every setting in the documentation is known', () => {
  const tables = readFileSync('docs/configuration.md', 'utf8').split('## Settings of docker-compose.yml')[0] ?? ''
  const documented = tables.split('\n').flatMap((line) => /^\|([^|]*)\|/.exec(line)?.[1]?.match(/`[A-Z_]+`/g) ?? [])

  expect(new Set(documented.map((name) => name.slice(1, -1)))).toEqual(new Set(settingNames))
})
