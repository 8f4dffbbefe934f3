import { expect, test } from '@jest/globals'
import { checkOrigin, publicOrigin } from '../../services/query/request/admit.js'
import type { RequestContext } from '../../services/query/request/endpoint.js'
import { AppError } from '../../shared/runtime/errors.js'

interface Call {
  origin?: string
  host?: string
  method?: string
  /** Those of the called address. */
  methods?: string[]
  localAddress?: string
  publicUrl?: string
  trustedProxies?: number
}

/** Whether the call of what only POST answers is admitted, on the loopback address of a service without PUBLIC_URL by default. */
function isAdmitted(call: Call): boolean {
  const { method = 'POST', methods = ['POST'], localAddress = '127.0.0.1', publicUrl = null } = call
  const { trustedProxies = 0, origin, host } = call
  const req = { headers: { origin, host }, socket: { localAddress } }
  const context = { method, state: { found: { endpoint: { methods } } }, req } as unknown as RequestContext
  try {
    checkOrigin(context, { publicUrl, trustedProxies })
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({ status: 403, code: 'origin_refused' })
    return false
  }
}

const page = 'https://page.example'
const rebound = { origin: 'http://evil.example:3000', host: 'evil.example:3000' }
const publicUrl = 'https://catalog.example'

test.each<[name: string, call: Call, admitted: boolean]>([
  ['a program', { host: 'evil.example' }, true],
  ['a page by the name of this machine', { origin: page, host: 'localhost:3000' }, true],
  ['in capitals', { origin: page, host: 'LOCALHOST:3000' }, true],
  ['a page by an address', { origin: page, host: '127.0.0.1:3000' }, true],
  ['a page by an IPv6 address', { origin: page, host: '[::1]:3000', localAddress: '::1' }, true],
  ['an extension', { origin: 'moz-extension://8a9b', host: 'localhost' }, true],
  ['a rebound name', rebound, false],
  ['a rebound name, of what GET answers as well', { ...rebound, methods: ['GET', 'HEAD', 'POST'] }, true],
  ['a rebound name, by IPv6', { ...rebound, localAddress: '::1' }, false],
  ['a rebound name, on a socket of both families', { ...rebound, localAddress: '::ffff:127.0.0.1' }, false],
  ['a rebound name, read only', { ...rebound, method: 'GET' }, true],
  ['a rebound name that ends like this machine', { origin: page, host: 'localhost.evil.example' }, false],
  ['no origin', { origin: 'null', host: 'localhost' }, false],
  ['an empty origin', { origin: '', host: 'localhost' }, false],
  ['an origin with a path', { origin: `${page}/path`, host: 'localhost' }, false],
  ['the public name', { origin: page, host: 'catalog.example', publicUrl }, true],
  ['this machine, with a public name', { origin: page, host: 'localhost:3000', publicUrl }, true],
  ['another name than the public one', { ...rebound, publicUrl }, false],
  ['another name than the public one, on a network', { ...rebound, publicUrl, localAddress: '192.0.2.1' }, false],
  ['any name on a network, without a public one', { ...rebound, localAddress: '192.0.2.1' }, true],
  ['any name that a proxy serves', { ...rebound, publicUrl, trustedProxies: 1 }, true],
])('%s', (_, call, admitted) => {
  expect(isAdmitted(call)).toBe(admitted)
})

const origin = (headers: Record<string, string>, trustedProxies = 0, publicUrl: string | null = null) =>
  publicOrigin({ publicUrl, trustedProxies }, (name) => headers[name] ?? '')

test.each(['127.0.0.1:3000', 'skills.example.org', '[::1]:3000', 'localhost'])(
  'the public origin is that of the request: %s',
  (host) => {
    expect(origin({ Host: host })).toBe(`http://${host}`)
  },
)

test.each(['', 'a b', 'a/b', '"><script>', 'user@host', 'host:port', '.'])(
  'no Host, or an invalid one, is this machine: %s',
  (host) => {
    expect(origin({ Host: host })).toBe('http://localhost')
  },
)
