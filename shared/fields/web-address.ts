import { isSegment, isWebAddress } from '../records/fields.js'
import { maxCharacters } from '../records/limits.js'
import { withoutCredentials } from '../text/public-address.js'

/** Owner and repository, as written. */
export interface RepositoryName {
  owner: string
  repo: string
}

/** Where code is hosted as `host/owner/repo`. */
export const forges: ReadonlySet<string> = new Set([
  'github.com',
  'gitlab.com',
  'codeberg.org',
  'bitbucket.org',
  'gitee.com',
])

/**
 * What follows a project's path in the address of one of its pages, today and in older addresses. None of these can be
 * a project: https://docs.gitlab.com/user/reserved_names/
 */
const gitlabPages: ReadonlySet<string> = new Set(['-', 'blob', 'commits', 'raw', 'tree', 'wikis'])

/** The other ways in which a repository's address is written: for git, over SSH, or the API's own. */
const spellings: [from: RegExp, to: string][] = [
  [/^git\+/i, ''],
  [/^(?:ssh|git):\/\/(?:[^@/]+@)?/i, 'https://'],
  [/^git@([^:/@]+):(?=[^@]*$)/i, 'https://$1/'],
  [/^https?:\/\/api\.github\.com\/(?:repos|orgs|users)\//i, 'https://github.com/'],
]

/**
 * An address that a browser can open.
 *
 * @returns null for anything that is not, or cannot be made, an http or https address
 */
export function toWebAddress(text: string): string | null {
  // Of spaces and what only git needs as well. A regular expression may fail for a text of megabytes.
  if (text.length > 2 * maxCharacters.address) {
    return null
  }
  let address = text.trim()
  for (const [from, to] of spellings) {
    address = address.replace(from, to)
  }
  // Home pages are often written without a scheme. An address with another scheme is not guessed at.
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?(\/|$)/i.test(address)) {
    address = `https://${address}`
  }
  return isWebAddress(address) ? withoutCredentials(address) : null
}

/** The address of a repository, without what only git needs: the end of its path. */
export const toRepositoryAddress = (text: string): string | null =>
  toWebAddress(text)?.replace(/^(https?:\/\/[^/]+\/.*?)(?:\.git)+\/?(?=$|[?#])/i, '$1') ?? null

/**
 * Whose repository an address of a known forge is; null for other addresses, and for a project in a group within a group,
 * which has more than one owner.
 */
export function repositoryOf(address: string): RepositoryName | null {
  const { hostname, pathname } = new URL(address)
  const host = hostname.replace(/^www\./, '')
  const [owner = '', repo = '', page] = pathname.split('/').filter((part) => part !== '')
  const isNested = host === 'gitlab.com' && page !== undefined && !gitlabPages.has(page)
  return forges.has(host) && !isNested && isSegment(owner) && isSegment(repo) ? { owner, repo } : null
}

/** `owner/repo`, as many sources name a repository. */
export function splitFullName(text: string): RepositoryName | null {
  const [owner = '', repo = '', ...rest] = text.trim().split('/')
  return rest.length === 0 && isSegment(owner) && isSegment(repo) ? { owner, repo } : null
}

/** A page or a record of a skill in a catalog like this one. */
const catalogPath = /^\/(?:api\/(?:v1\/)?)?skills\/([^/]+)\/([^/]+)/

/**
 * The skill that a text names, as people have it at hand: `owner/repo`, or an address of its repository for browsers or git,
 * of a file in it, or of its page in a catalog.
 *
 * @returns null where it names none
 */
export function namedSkill(text: string): RepositoryName | null {
  const plain = text.trim().replace(/^(?:skill:\/\/|github:|gh:|pkg:github\/)/i, '')
  const short = splitFullName(plain.replace(/\/+$/, '').replace(/\.git$/i, ''))
  const address = short === null ? toRepositoryAddress(plain) : null
  if (address === null) {
    return short
  }
  const { hostname, pathname } = new URL(address)
  if (forges.has(hostname.replace(/^www\./, ''))) {
    return repositoryOf(address)
  }
  const [, owner = '', repo = ''] = catalogPath.exec(pathname) ?? /^\/([^/]+)\/([^/]+)/.exec(pathname) ?? []
  return splitFullName(`${owner}/${repo.replace(/\.git$/i, '')}`)
}
