import { readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { isNativeError } from 'node:util/types'
import type { ReadContent } from '../../../shared/fields/skill-content.js'
import {
  type RepositoryName,
  repositoryEnding,
  repositoryOf,
  splitFullName,
  toRepositoryAddress,
} from '../../../shared/fields/web-address.js'

/** Why a gzip file is not read to its end, to follow its name. */
export const bytesAfterGzip = 'has other bytes after its gzip data. Unpack it with gunzip, and import what that writes.'

/** Describes why a file or folder could not be read, to follow its name, and what to do. */
export function describeFileError(error: unknown): string {
  const code = isNativeError(error) && 'code' in error ? String(error.code) : ''
  switch (code) {
    case 'ENOENT':
      return 'does not exist. Check the path.'
    case 'EACCES':
    case 'EPERM':
      return 'may not be read by this user. Check its permissions.'
    case 'ELOOP':
      return 'is a symbolic link to itself.'
    case 'ENXIO':
      return 'cannot be opened as a pipe. Use - for standard input.'
    case 'Z_BUF_ERROR':
      return 'ends in the middle of its gzip data: the file is truncated.'
    case 'Z_DATA_ERROR':
      // A source is unpacked where its header is one: this is what comes after its data.
      return isNativeError(error) && error.message === 'incorrect header check'
        ? bytesAfterGzip
        : 'has damaged gzip data. Download or pack it again.'
    default:
      return `cannot be read: ${isNativeError(error) ? error.message : error}`
  }
}

/** A folder with the files of a repository. */
export interface Checkout extends RepositoryName {
  folder: string
  /** The address of the repository; null: not known, as of one that was cloned from a folder. */
  url: string | null
  /** The commit that is checked out; null: not known. */
  commit: string | null
}

/**
 * Reads which repository a folder with a `.git` is a checkout of, by its remote `origin`. No program of git is run: it would
 * run what the repository's configuration names.
 *
 * @param repository what the operator says it is; null: as `origin` has it
 * @returns null where there is no `.git`, or where nothing names an owner and a repository
 * @see https://git-scm.com/docs/gitrepository-layout
 */
export async function readCheckout(folder: string, repository: RepositoryName | null): Promise<Checkout | null> {
  const gitFolder = await gitFolderOf(join(folder, '.git'))
  if (gitFolder === null) {
    return repository === null ? null : { ...repository, folder, url: null, commit: null }
  }
  // What several worktrees share is in the folder of the first.
  const shared = resolve(gitFolder, (await textOf(join(gitFolder, 'commondir'))) ?? '.')
  const origin = originIn((await textOf(join(shared, 'config'))) ?? '')
  const url = origin === null ? null : addressIn(origin)
  const named = repository ?? (url === null ? null : repositoryOf(url)) ?? lastNames(url ?? origin ?? '')
  return named === null ? null : { ...named, folder, url, commit: await commitOf(gitFolder, shared) }
}

/** The address of a remote for a browser; null: it has none, as at the alias of a host, which only this machine knows. */
function addressIn(origin: string): string | null {
  // As `git@host:path`, of which the user may be another one, or none.
  const address = toRepositoryAddress(origin.replace(/^(?:[\w.-]+@)?(?=[\w-]+(?:\.[\w-]+)+:[^/\d])/, 'git@'))
  return address !== null && new URL(address).hostname.includes('.') ? address : null
}

/** The folder of git's own files: `.git`, or the folder that such a file names, as in a submodule. */
async function gitFolderOf(path: string): Promise<string | null> {
  const stats = await stat(path).catch(() => null)
  if (stats?.isDirectory()) {
    return path
  }
  const [, target] = /^gitdir: (.+)$/m.exec((stats?.isFile() ? await textOf(path) : null) ?? '') ?? []
  return target === undefined ? null : resolve(path, '..', target)
}

/** The trimmed text of a small file; null: there is none. */
async function textOf(path: string): Promise<string | null> {
  const stats = await stat(path).catch(() => null)
  return stats?.isFile() && stats.size < 10_000_000 ? (await readFile(path, 'utf8')).trim() : null
}

/** The address of the remote `origin`; null: there is none. */
export function originIn(config: string): string | null {
  const lines = config.split('\n').map((line) => line.trim())
  const start = lines.findIndex((line) => line.startsWith(originSection))
  const [first = '', ...others] = start === -1 ? [] : lines.slice(start)
  const end = others.findIndex((line) => line.startsWith('['))
  const section = [first.slice(originSection.length).trim(), ...(end === -1 ? others : others.slice(0, end))]
  return section.map((line) => /^url\s*=\s*"?([^"]+?)"?$/.exec(line)?.[1]).find((url) => url !== undefined) ?? null
}

const originSection = '[remote "origin"]'

/** Owner and repository at the end of an address of any host, or of the folder that was cloned. */
function lastNames(address: string): RepositoryName | null {
  const [repo = '', owner = ''] = address
    .replace(/^[a-z][a-z+]*:\/\/[^/]*/i, '')
    .replace(repositoryEnding, '')
    // Azure DevOps has this between a project and a repository of it.
    .replace('/_git/', '/')
    .split(/[/:\\]/)
    .reverse()
  return splitFullName(`${owner}/${repo}`)
}

async function commitOf(gitFolder: string, shared: string): Promise<string | null> {
  const head = await textOf(join(gitFolder, 'HEAD'))
  const [, ref] = /^ref: (refs\/.+)$/.exec(head ?? '') ?? []
  const commit =
    ref === undefined || ref.includes('..')
      ? head
      : ((await textOf(join(shared, ref))) ??
        (await textOf(join(shared, 'packed-refs')))
          ?.split('\n')
          .find((line) => line.endsWith(` ${ref}`))
          ?.split(' ', 1)[0] ??
        null)
  return commit !== null && /^[0-9a-f]{40,64}$/.test(commit) ? commit : null
}

/** The formats of sources. */
export const sourceFormats = ['ndjson', 'json', 'csv', 'skill-md'] as const
export type SourceFormat = (typeof sourceFormats)[number]

/** The maximum text of one record in bytes, in any format: 1 MiB. */
export const maxRecordBytes = 1_048_576

/** One record as its source has it, or the fault of it. */
export type SourceItem = {
  /** Its place in its file, for instance `line 12`. */
  place: string
  /** Its identity, where that is known apart from its content. */
  identity?: Record<string, unknown>
} & (
  | {
      record: Record<string, unknown>
      sizeBytes: number
      /** What its reader has left out of it, and why. */
      dropped?: string[]
      /** Of a SKILL.md: its text, and the files with it. */
      content?: ReadContent
      /** Of a row of CSV, which is without the apostrophes of an export: the names of its columns. */
      columns?: readonly string[]
      /** For a CSV row with line breaks in its cells: the lines in them that may be rows of their own. */
      rowsInCells?: () => Record<string, unknown>[]
    }
  | { reason: string }
)

/** The size of all records that wait for the end of what is around them, at most. */
export const maxHeldBytes = 32 * maxRecordBytes

/** The bytes that a waiting record takes: its text, and what it needs besides. */
export const heldSize = (item: SourceItem): number => 512 + ('sizeBytes' in item ? item.sizeBytes : 0)

/** Whether this is an object, as a record must be, and not a list or a single value. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** A source of records, found by the arguments of a command. */
export interface Source {
  /** Its name for the operator. */
  label: string
  /** Its path; null for standard input. */
  path: string | null
  /** Null: detected by its content. */
  format: SourceFormat | null
  /** For a SKILL.md: the requested folder, below which the path names owner and repository. */
  folder: string | null
  /** For a SKILL.md: the checked-out repository that it lies in; absent: none is known. */
  checkout?: Checkout | null
  /** For a SKILL.md in a folder: the folders of all skills in it. */
  skillFolders?: ReadonlySet<string>
  /** Null for standard input and pipes. */
  sizeBytes: number | null
  /** A file with a copy of its content, which is read instead. */
  copyPath?: string
}

/**
 * Thrown by a reader that cannot continue: records before it are valid, the rest is unknown.
 * Its message says why and what to do; it begins in lower case, to follow the source's name.
 */
export class UnreadableSource extends Error {
  override readonly name = 'UnreadableSource'
}

/** Folders that hold what programs keep for themselves. */
const privateFolders =
  /^(?:node_modules|\.(?:git|hg|svn|bzr|jj|cache|venv|tox|npm|yarn|pnpm-store|next|nuxt|gradle|terraform|trash))$/i

/** Whether a folder of this name is skipped: it holds what a program keeps for itself. */
export const isPrivateFolder = (name: string): boolean => privateFolders.test(name)

/** Adds items to a list. As the arguments of one `push` more than some 120,000 are too many. */
export function addAll<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) {
    list.push(item)
  }
}

/** Folders with the files of a skill, and of tests wherever they are. */
const partsOfSkill = /^(?:references?|examples?|assets|templates?|resources|scripts|backups?)$/i
const tests = /^(?:tests?|__tests__|fixtures?|__fixtures__|test-?data|test-?fixtures)$/i

/**
 * Whether a SKILL.md is a file of another skill, or of tests.
 *
 * @param folder the requested folder
 * @param folders the absolute paths of the folders that have a SKILL.md
 */
export function isPartOfSkill({ label, checkout }: Source, folder: string, folders: ReadonlySet<string>): boolean {
  const root = resolve(checkout?.folder ?? folder)
  const names = relative(root, dirname(label)).split(sep)
  return names.some((name, place) => {
    const above = names.slice(0, place).map((_name, at) => join(root, ...names.slice(0, at + 1)))
    const isInSkill = [root, ...above].some((ancestor) => folders.has(ancestor))
    // Outside of a checkout the first two names are an owner and a repository, which may have such names.
    return (isInSkill && (partsOfSkill.test(name) || tests.test(name))) || ((checkout || place > 1) && tests.test(name))
  })
}
