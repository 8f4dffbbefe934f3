import { expect, test } from '@jest/globals'
import { publicOrigin } from '../../services/query/request/admit.js'

const origin = (headers: Record<string, string>, trustedProxies = 0, publicUrl: string | null = null) =>
  publicOrigin({ publicUrl, trustedProxies }, (name) => headers[name] ?? '')

test.each(['127.0.0.1:3000', 'skills.example.org', '[::1]:3000', 'localhost'])(
  'else that of the request: %s',
  (host) => {
    expect(origin({ Host: host })).toBe(`http://${host}`)
  },
)

test.each(['', 'a b', 'a/b', '"><script>', 'user@host', 'host:port', '.'])('no Host, or an invalid one: %s', (host) => {
  expect(origin({ Host: host })).toBe('http://localhost')
})
