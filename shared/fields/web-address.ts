import { hash } from 'node:crypto'
import { z } from 'zod'
import { decoded, withoutCredentials } from '../privacy/personal-addresses.js'
import { isFolderPath, isSegment, isSkillName, isWebAddress, maxCharacters } from '../records/fields.js'
import { limitMarks } from '../text/clean-text.js'
import { parseUrl } from '../text/parse-url.js'

/** Owner and repository, as written. */
export interface RepositoryName {
  owner: string
  repo: string
}

/** A skill in a repository. */
export interface SkillPlace extends RepositoryName {
  /** Its name among the repository's skills; null: it has none, or none that is known. */
  skill: string | null
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

/** Pages of forges with the path of a repository, which are none: no user and no organization has such a name. */
const ownPages = new Map(
  Object.entries({
    'github.com':
      'about apps codespaces collections customer-stories dashboard enterprise events explore features login marketplace ' +
      'orgs readme resources search security settings site solutions sponsors stars topics trending users',
    'gitlab.com': 'dashboard explore groups help users',
  }).map(([host, pages]) => [host, pages.split(' ')]),
)

/** The other ways in which a repository's address is written: for git, over SSH, or the API's own. */
const spellings: [from: RegExp, to: string][] = [
  // As a link of Markdown.
  [/^\[[^\]]*\]\((https?:[^()\s]+)\)$|^<(https?:[^<>\s]+)>$/i, '$1$2'],
  [/^git\+/i, ''],
  // A browser finds no page at the port for git.
  [/^((?:ssh|git):\/\/(?:[^@/]+@)?[^:/@]+):\d+(?=\/)/i, '$1'],
  // What follows a colon and is no port is the path, as after `git@host:`.
  [/^(?:ssh|git):\/\/(?:[^@/]+@)?([^:/@]+):(?!\d+\/)\/?(?=[^@]*$)/i, 'https://$1/'],
  [/^(?:ssh|git):\/\/(?:[^@/]+@)?/i, 'https://'],
  [/^git@([^:/@]+):(?=[^@]*$)/i, 'https://$1/'],
  // SSH over the port of HTTPS has a host of its own.
  [/^https:\/\/(?:alt)?ssh\.(github\.com|gitlab\.com|bitbucket\.org)\//i, 'https://$1/'],
  // As in the package.json of npm.
  [/^(github|gitlab|bitbucket):(?=[\w.-]+\/[\w.-]+$)/i, 'https://$1.com/'],
  [
    /^https?:\/\/api\.github\.com\/repos\/([^/]+\/[^/]+)\/contents\/([^?#]*)\?ref=([\w.-]+)$/i,
    'https://github.com/$1/tree/$3/$2',
  ],
  [/^https?:\/\/api\.github\.com\/repos\/([^/]+\/[^/]+)\/contents\//i, 'https://github.com/$1/tree/HEAD/'],
  [/^https?:\/\/api\.github\.com\/(?:repos|orgs|users)\//i, 'https://github.com/'],
]

/**
 * An address that a browser can open.
 *
 * @returns null for anything that is not, or cannot be made, an http or https address
 */
export function toWebAddress(text: string): string | null {
  // Room for spaces and what only git needs. A regular expression may fail for a text of megabytes.
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

/** An address whose path has quotes or angle brackets, with these encoded, as browsers do. */
export const withQuotesEncoded = (text: string): string =>
  text.replace(/^(\s*https?:\/\/[^/?#\s"<>]+)([/?#].*)$/is, (_whole, host: string, path: string) =>
    host.concat(path.replace(/["<>]/g, encodeURIComponent)),
  )

/** The address of a file at jsDelivr, of a branch or a tag of its repository at GitHub. */
const jsdelivrFile = /^https?:\/\/cdn\.jsdelivr\.net\/gh\/([^/@]+\/[^/@]+)(?:@([^/]+))?\/(?=.)/i

/** The address of a file's text at GitHub, whose page says the same. */
const githubText = /^https?:\/\/raw\.githubusercontent\.com\/([^/]+\/[^/]+)\/(?:refs\/(?:heads|tags)\/)?(?=[^/]+\/.)/i

/** The address of a repository, or of a page in it, without what only git needs: the end of its path. */
export const toRepositoryAddress = (text: string): string | null =>
  toWebAddress(text)
    ?.replace(/^(https?:\/\/[^/]+\/.*?)(?:\.git)+\/?(?=$|[?#])/i, '$1')
    .replace(githubText, 'https://github.com/$1/blob/')
    .replace(jsdelivrFile, (_start, name: string, version = 'HEAD') => `https://github.com/${name}/blob/${version}/`) ??
  null

/**
 * Whose repository an address of a known forge is; null for other addresses, and for a project in a group within a group,
 * which has more than one owner.
 */
export function repositoryOf(address: string): RepositoryName | null {
  const { hostname, pathname } = new URL(address)
  const host = hostname.replace(/^www\./, '')
  const [owner = '', repo = '', page] = pathname.split('/').filter((part) => part !== '')
  const isNested = host === 'gitlab.com' && page !== undefined && !gitlabPages.has(page)
  const isOwn = ownPages.get(host)?.includes(owner.toLowerCase()) === true
  return forges.has(host) && !isNested && !isOwn && isSegment(owner) && isSegment(repo) ? { owner, repo } : null
}

/**
 * The folder of a repository that an address of a known forge shows, of a file or of the folder itself, without the name of
 * its SKILL.md; null: it shows the repository as a whole.
 */
export function folderOf(address: string): string | null {
  const { pathname } = new URL(address)
  const path = folderPages.map((page) => page.exec(pathname)?.[1]).find((found) => found !== undefined)
  return path === undefined ? null : toFolder(decoded(path))
}

/** Whether the folder that an address shows is that of a skill: by its SKILL.md, or as one in a folder `skills`. */
export const showsSkill = (address: string, folder: string): boolean =>
  /\/SKILL\.md(?:$|[?#])/i.test(address) || /(?:^|\/)skills\/[^/]+$/i.test(folder)

/** The pages of a folder or a file: what they show follows the name of a branch, a tag or a commit. */
const folderPages: RegExp[] = [
  // Of Forgejo and Gitea, then of GitHub, GitLab and Gitee, then of Bitbucket.
  /^\/[^/]+\/[^/]+\/(?:src|raw|media)\/(?:branch|tag|commit)\/[^/]+\/(.+)$/,
  /^\/[^/]+\/[^/]+\/(?:-\/)?(?:tree|blob|raw|edit)\/(?:refs\/(?:heads|tags)\/)?[^/]+\/(.+)$/,
  /^\/[^/]+\/[^/]+\/src\/(?!(?:branch|tag|commit)\/)[^/]+\/(.+)$/,
]

/**
 * A path in a repository as that of a skill's folder: without its SKILL.md, and without slashes around it. Empty: the root.
 *
 * @returns null where it leads out of the repository, is an address, or is too long
 */
export function toFolder(path: string): string | null {
  if (path.length > 2 * maxCharacters.path || path.includes('://')) {
    return null
  }
  const folder = path
    .trim()
    .replaceAll('\\', '/')
    .replace(/(?:^|\/)SKILL\.md$/i, '')
    .replace(/^(?:\.?\/+)+/, '')
    .replace(slashesAtEnd, '')
    .replace(/\/{2,}/g, '/')
  return folder === '.' ? '' : isFolderPath(folder) ? folder : null
}

/** Each of a row begins at its first: tried from every one of them, a long row takes quadratic time. */
const slashesAtEnd = /(?<!\/)\/+$/

/** What git's addresses end with, and no name of a repository does; from its first, as `slashesAtEnd`. */
export const gitEnding = /(?<!\.git)(?:\.git)+$/i

/** What may follow the name of a repository in its address: the ending of git, and slashes. */
export const repositoryEnding = /(?:\.git)?(?<!\/)\/*$/i

/** Whether a path is that of a repository, `owner/repo`, by its name or both, and no folder in it. */
export const isPathOf = (path: string, repository: string): boolean =>
  [repository, nameOf(repository)].includes(path.replace(/^\/+|\/+$/g, ''))

/** `owner/repo`, as many sources name a repository. */
export function splitFullName(text: string): RepositoryName | null {
  const [owner = '', repo = '', ...rest] = text.trim().replace(gitEnding, '').split('/')
  return rest.length === 0 && isSegment(owner) && isSegment(repo) ? { owner, repo } : null
}

/**
 * A name as that of a skill: in lower case, with a hyphen for what it cannot have. One that loses letters or digits of
 * other scripts gets a digest of the whole, so that two of them stay two.
 *
 * @returns null for a text without any letter or digit
 */
export function toSkillName(text: string): string | null {
  // A regular expression may fail for a text of megabytes.
  const given = text.slice(0, maxCharacters.path).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  if (isSkillName(given)) {
    return given
  }
  const name = given
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, maxCharacters.skill)
    .replace(/-$/, '')
  const isWhole = !/[^\P{L}a-z]|[^\P{N}0-9]/u.test(given) && given.length <= maxCharacters.skill
  if (isWhole) {
    return name === '' ? null : name
  }
  const digest = hash('sha256', limitMarks(text).normalize('NFC')).slice(0, 8)
  return name === '' ? `skill-${digest}` : `${name.slice(0, maxCharacters.skill - 9).replace(/-$/, '')}-${digest}`
}

/** A skill as the field's tools name one: `owner/repo`, `owner/repo@skill` or `owner/repo/skill`. */
export function splitSkillName(text: string): SkillPlace | null {
  const [, repository = '', name] = /^([^/]*\/[^/@]*)(?:[/@]([^/@]+))?$/.exec(text.trim()) ?? []
  const named = splitFullName(repository)
  const skill = name === undefined ? null : toSkillName(name)
  // The beginning of an address has the form of the last one.
  return named === null || (name !== undefined && skill === null) || isForge(named.owner) ? null : { ...named, skill }
}

/** The page of a skill at skills.sh. */
const skillPage = /^https?:\/\/(?:www\.)?skills\.sh\/([^/?#]+\/[^/?#]+\/[^/?#]+)\/?$/i

/** A page or a record of a skill in a catalog like this one. */
const catalogPath = /^\/(?:api\/(?:v1\/)?)?skills\/([^/]+)\/([^/]+)/

/**
 * The skill that a text names, as people have it at hand: `owner/repo@skill`, an address of its repository for browsers or
 * git, of a file in it, or of its page in a catalog or at skills.sh, or its resource in MCP.
 *
 * @returns what it may be, the likeliest first: the folder that an address shows is perhaps none of a skill. Empty where it
 * names none.
 */
export function namedSkills(text: string): SkillPlace[] {
  const [, named] = /^skill:\/\/(.+)\/SKILL\.md$/i.exec(text.trim()) ?? skillPage.exec(text.trim()) ?? []
  const plain = named ?? text.trim().replace(/^(?:skill:\/\/|catalog:\/\/skills\/|github:|gh:|pkg:github\/)/i, '')
  const short = splitSkillName(plain.replace(slashesAtEnd, '').replace(/\.git$/i, ''))
  const address = short === null ? toRepositoryAddress(plain) : null
  if (address === null) {
    // A resource and a page end with the name of the skill, also where the repository is the skill.
    return short === null ? [] : named === undefined ? [short] : [short, { ...short, skill: null }]
  }
  const { hostname, pathname } = new URL(address)
  if (isForge(hostname)) {
    const repository = repositoryOf(address)
    const folder = folderOf(address)
    const skill = folder ? toSkillName(nameOf(folder)) : null
    return repository === null ? [] : [...new Set([skill, null])].map((name) => ({ ...repository, skill: name }))
  }
  const [, owner = '', repo = ''] = catalogPath.exec(pathname) ?? /^\/([^/]+)\/([^/]+)/.exec(pathname) ?? []
  const place = splitSkillName(decoded(`${owner}/${repo.replace(/\.git$/i, '')}`))
  return place === null ? [] : [place]
}

/** The line that installs skills, or clones their repository, with that and perhaps the name of one of them. */
const installLine =
  /^(?:git clone(?: --depth[ =]1)?|(?:(?:npx|bunx|pnpm dlx|yarn dlx) (?:-y |--yes )?)?skills(?:@\S+)? add) (\S+)(?: (?:-s|--skill) (\S+))?(?: -.*)?$/i

/**
 * The names in the address of a repository, or of a folder in it, or of a page at skills.sh, or in the line that installs a
 * skill or clones its repository, for a search: what stands around them is in no skill.
 *
 * @returns null for any other text
 */
export function namesInAddress(text: string): string | null {
  const [, ofPage = null] = skillPage.exec(text.trim()) ?? []
  if (ofPage !== null) {
    return ofPage
  }
  const [line, source = text, name = null] = installLine.exec(text.trim()) ?? []
  const address = /\s/.test(source) ? null : toRepositoryAddress(source)
  const isOne = line !== undefined || (address !== null && repositoryOf(address) !== null)
  const [place] = isOne ? namedSkills(source) : []
  return place === undefined ? null : [place.owner, place.repo, name ?? place.skill ?? ''].join('/').replace(/\/$/, '')
}

const isForge = (hostname: string): boolean => forges.has(hostname.toLowerCase().replace(/^www\./, ''))

/** The name of a folder. */
export const nameOf = (folder: string): string => folder.slice(folder.lastIndexOf('/') + 1)

const exampleTemplate = 'https://github.com/{owner}/{repo}'

/**
 * The address that a template gives a repository: for skills whose source has none. Null: there is no template.
 *
 * @param place valid names, as their owner writes them
 */
export const addressOf = ({ owner, repo }: RepositoryName, template: string | undefined): string | null =>
  template?.replaceAll('{owner}', owner).replaceAll('{repo}', repo) ?? null

/** `SKILL_URL_TEMPLATE` in the configuration. */
export const SkillUrlTemplate = z.string().superRefine((template, context) => {
  const address = addressOf({ owner: 'owner', repo: 'repo' }, template)
  const url = address === null ? null : parseUrl(address)
  const isWhole = template.includes('{owner}') && template.includes('{repo}')
  if (!isWhole || url === null || !['http:', 'https:'].includes(url.protocol) || /[{}]/.test(String(address))) {
    context.addIssue({
      code: 'custom',
      message: `must be an http or https address with {owner} and {repo}, such as ${exampleTemplate}`,
    })
  } else if (url.username !== '' || url.password !== '') {
    context.addIssue({ code: 'custom', message: 'must have no user name and no password: it becomes public' })
  }
})
