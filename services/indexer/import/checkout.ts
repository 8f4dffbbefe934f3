import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import {
  type RepositoryName,
  repositoryEnding,
  repositoryOf,
  splitFullName,
  toRepositoryAddress,
} from '../../../shared/fields/web-address.js'

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

/**
 * The folder that a file is read in, as a part of it: the checkout around it, up to the current folder, else its own folder
 * where its repository is named; null: its path says whose it is.
 */
export const folderAround = async (path: string, repository: RepositoryName | null): Promise<string | null> =>
  (await checkoutAround(path, resolve('.'))) ?? (repository === null ? null : dirname(resolve(path)))

/** Folders in which a repository keeps plugins, or skills for agents. */
const ofRepository = /^(?:plugins|\.(?:agents?|claude|codex|copilot|cursor|gemini|github|opencode|windsurf))$/i

/**
 * The checkout that a folder is a part of, since it is a skill itself, or has a name for such. Other folders in a checkout,
 * such as an archive, or what a crawler has written, are read by their names.
 *
 * @returns null: there is none, the folder is one itself, or it does not say whose it is
 */
export async function checkoutOfPart(folder: string): Promise<Checkout | null> {
  const path = resolve(folder)
  const isPart = ofRepository.test(basename(path)) || (await readdir(path)).some((name) => /^skill\.md$/i.test(name))
  const root = isPart ? await checkoutAround(path, null) : null
  return root === null || root === path ? null : readCheckout(root, null)
}

/**
 * The folder of the checkout around a file or a folder; null: there is none.
 *
 * @param last the last folder that is looked in; null: the root of the file system
 */
async function checkoutAround(path: string, last: string | null): Promise<string | null> {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const git = await stat(join(folder, '.git')).catch(() => null)
    if (git !== null || folder === last || folder === dirname(folder)) {
      return git && folder
    }
  }
}

/** Whether a folder is a bare repository, which has git's own files and no others. */
export const isBareRepository = async (folder: string): Promise<boolean> =>
  (await Promise.all(['HEAD', 'objects', 'refs'].map((name) => stat(join(folder, name)).catch(() => null)))).every(
    (stats) => stats !== null,
  )
