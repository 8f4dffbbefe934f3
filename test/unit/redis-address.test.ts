import { expect, test } from '@jest/globals'
import { parseRedisAddress } from '../../shared/runtime/config.js'

const noLogin = { username: '', password: '' }

test.each(['redis://127.0.0.1', 'rediss://:secret@redis.example:6380/2', 'redis://[::1]:6379'])(
  'one server: %s',
  (url) => {
    expect(parseRedisAddress(url)).toEqual({ kind: 'server', url })
  },
)

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
