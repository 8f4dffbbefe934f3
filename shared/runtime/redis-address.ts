import { parseUrl } from '../text/parse-url.js'

/** Where a Redis is: at one address, behind sentinels that know its primary, or in a cluster. */
export type RedisAddress =
  | { kind: 'server'; url: string }
  | ({ kind: 'sentinel'; name: string; db: number; sentinel: Login } & Several)
  | ({ kind: 'cluster' } & Several)

/** Empty: none. */
interface Login {
  username: string
  password: string
}

interface Several {
  /** Some of the sentinels, or of the nodes: the others are found by asking these. */
  hosts: { host: string; port: number }[]
  tls: boolean
  /** Of Redis itself. */
  login: Login
}

/** For the message about a text that is none. */
export const redisAddressForms =
  'must look like redis://:password@host:6379/0, redis+sentinel://:password@host:26379,host:26379/name/0 or ' +
  'redis+cluster://:password@host:6379,host:6379; with TLS each begins with rediss'

const defaultPorts = { sentinel: 26_379, cluster: 6_379 }
const sentinelOptions = ['sentinel_username', 'sentinel_password'] as const

/**
 * Reads the address of a Redis. Of several ones, there is no standard; the forms here are those of other languages' clients.
 *
 * @returns null for a text that is none
 * @see https://pypi.org/project/Redis-Sentinel-Url/
 */
export function parseRedisAddress(text: string): RedisAddress | null {
  const [, scheme, kind, login, list = '', rest] =
    /^(rediss?)\+(sentinel|cluster):\/\/([^@/?]*@)?([^@/?]+)(.*)$/.exec(text) ?? []
  if (kind !== 'sentinel' && kind !== 'cluster') {
    return /^rediss?:\/\/[^,]+$/.test(text) && parseUrl(text) !== null ? { kind: 'server', url: text } : null
  }
  const url = parseUrl(`redis://${login ?? ''}hosts${rest}`)
  const hosts = list.split(',').flatMap((each) => parseHost(each, defaultPorts[kind]))
  if (url === null || url.hash !== '' || hosts.length < list.split(',').length) {
    return null
  }
  const found = { hosts, tls: scheme === 'rediss', login: loginOf(url.username, url.password) }
  if (kind === 'cluster') {
    return /^\/?$/.test(url.pathname) && url.search === '' ? { kind, ...found } : null
  }
  const [, name, db = '0'] = /^\/([\w.-]+)(?:\/(\d{1,5}))?$/.exec(url.pathname) ?? []
  const [username = '', password = ''] = sentinelOptions.map((option) => url.searchParams.get(option) ?? '')
  const isKnown = [...url.searchParams.keys()].every((key) => sentinelOptions.some((option) => option === key))
  return name === undefined || !isKnown
    ? null
    : { kind, name, db: Number(db), sentinel: { username, password }, ...found }
}

function parseHost(text: string, defaultPort: number): { host: string; port: number }[] {
  const url = /^[^:]+(?::\d+)?$|^\[/.test(text) ? parseUrl(`redis://${text}`) : null
  return url === null ? [] : [{ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || defaultPort }]
}

/** A percent sign that encodes nothing stands for itself. */
function loginOf(username: string, password: string): Login {
  const decoded = (text: string) =>
    text.replaceAll(/(?:%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())
  return { username: decoded(username), password: decoded(password) }
}
