import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import {
  type RepositoryName,
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
  const url = origin === null ? null : toRepositoryAddress(origin)
  const named = repository ?? (url === null ? null : repositoryOf(url)) ?? lastNames(url ?? origin ?? '')
  return named === null ? null : { ...named, folder, url, commit: await commitOf(gitFolder, shared) }
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

function originIn(config: string): string | null {
  const [, section = ''] = /^\s*\[remote "origin"\]([^[]*)/m.exec(config) ?? []
  const [, url = null] = /^\s*url\s*=\s*"?([^"\n]+?)"?\s*$/m.exec(section) ?? []
  return url
}

/** Owner and repository at the end of an address of any host, or of the folder that was cloned. */
function lastNames(address: string): RepositoryName | null {
  const [repo = '', owner = ''] = address
    .replace(/(?:\.git)?\/*$/i, '')
    .split(/[/:\\]/)
    .reverse()
  return splitFullName(`${owner}/${repo}`)
}

async function commitOf(gitFolder: string, shared: string): Promise<string | null> {
  const head = await textOf(join(gitFolder, 'HEAD'))
  const [, ref] = /^ref: (refs\/[\w./-]+)$/.exec(head ?? '') ?? []
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
