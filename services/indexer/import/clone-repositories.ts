import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { folderOf, repositoryOf, splitFullName, toRepositoryAddress } from '../../../shared/fields/web-address.js'
import { removeCredentials } from '../../../shared/privacy/personal-addresses.js'
import type { RecordType } from '../../../shared/records/records.js'
import { operatorError } from '../../../shared/runtime/errors.js'
import { printableLine } from '../../../shared/text/clean-text.js'
import { type Checkout, readCheckout } from './checkout.js'
import type { FoundSources, UnreadablePath } from './find-sources.js'
import { isPromptAt } from './read-prompt-md.js'
import { addAll } from './source.js'

/** The maximum time for one repository, and bytes of its packed files. */
const maxMs = 300_000
const maxBytes = 1_073_741_824

/** Repositories that are cloned at the same time. */
const maxAtOnce = 4

/** Addresses in a file: a longer list is more likely another kind of file. */
const maxListBytes = 10_000_000

/** Settings by which git runs nothing of a repository, asks for nothing, and speaks no other protocol. */
const settings = [
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'credential.interactive=false', 'advice.detachedHead=false'],
  ...['protocol.allow=never', 'protocol.https.allow=always', 'protocol.ssh.allow=always', 'protocol.file.allow=always'],
].flatMap((setting) => ['-c', setting])

const environment = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  SSH_ASKPASS: 'true',
  GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
  GIT_LFS_SKIP_SMUDGE: '1',
  LC_ALL: 'C',
}

const addressForm = /^(?:[a-z][a-z0-9+.-]*:\/\/|git@[^\s:/]+:)\S+$/i
const clonedForm = /^(?:(?:https|ssh|file):\/\/|git@)/i
const fileForm = /^https:[^?#]*\.(?:json|ndjson|jsonl|csv|tsv|md|zip|gz|tgz)(?:[?#]|$)/i

/** A cloned repository. */
export interface Clone {
  address: string
  folder: string
  /** Whose it is; null: its address does not say it. */
  checkout: Checkout | null
}

/** The sources of a command, after the repositories among them have been cloned. */
export interface ClonedPaths {
  /** Files and folders, as given. */
  paths: string[]
  clones: Clone[]
  unreadable: UnreadablePath[]
}

/**
 * Clones the repositories among the sources of a command, also those that a text file (`.txt`) lists, one address a line;
 * only their latest files, and removes them after `work`.
 *
 * @param type of the records: of prompts, other files are wanted
 */
export async function withClones<R>(
  given: string[],
  signal: AbortSignal,
  work: (cloned: ClonedPaths) => Promise<R>,
  type: RecordType = 'skills',
): Promise<R> {
  const cloned: ClonedPaths = { paths: [], clones: [], unreadable: [] }
  const addresses: string[] = []
  for (const path of given) {
    if (addressForm.test(path)) {
      addresses.push(path)
    } else if (/\.txt$/i.test(path)) {
      addAll(addresses, await addressesIn(path, cloned.unreadable))
    } else {
      cloned.paths.push(path)
    }
  }
  if (addresses.length === 0) {
    return work(cloned)
  }
  const folder = await mkdtemp(join(tmpdir(), `skill-catalog-clones-${process.pid}-`)).catch((error: unknown) => {
    throw operatorError(
      'cannot_keep_input',
      `There is no folder for repositories: ${String(error)}. Set TMPDIR.`,
      error,
    )
  })
  try {
    const waiting = [...new Set(addresses)].map((address, place) => ({ address, folder: join(folder, String(place)) }))
    const one = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { address } = next
        try {
          cloned.clones.push(await clone(address, next.folder, signal, type))
        } catch (error) {
          signal.throwIfAborted()
          const remedy = fileForm.test(address) ? ' (a file is not fetched: download it, and import that)' : ''
          cloned.unreadable.push({ label: shown(address), reason: `${reasonOf(error)}${remedy}` })
        }
      }
    }
    await Promise.all(Array.from({ length: maxAtOnce }, one))
    return await work(cloned)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** An address for messages, which are kept: without a password in it. */
const shown = (address: string): string => printableLine(removeCredentials(address))

/** Names the files of clones by the addresses of their repositories. */
export function withAddresses(found: FoundSources, { address, folder }: Clone): FoundSources {
  const named = <Item extends { label: string }>(item: Item): Item => ({
    ...item,
    label: [shown(address), relative(folder, item.label)].filter((part) => part !== '').join(' '),
  })
  return {
    sources: found.sources.map(named),
    unreadable: found.unreadable.map(named),
    ignored: found.ignored.map(named),
  }
}

/** The addresses of a text file, without empty lines and those that begin with #. */
async function addressesIn(path: string, unreadable: UnreadablePath[]): Promise<string[]> {
  try {
    if ((await stat(path)).size > maxListBytes) {
      throw new Error(`has more than ${maxListBytes} bytes: a list of repositories is shorter.`)
    }
    const lines = (await readFile(path, 'utf8')).split(/\r?\n/).map((line) => line.trim())
    const wrong = lines.findIndex((line) => line !== '' && !line.startsWith('#') && !addressForm.test(line))
    if (wrong !== -1) {
      const name = splitFullName(lines[wrong] ?? '')
      const remedy = name
        ? `Write its address, such as https://github.com/${name.owner}/${name.repo}`
        : 'Give the --format of records'
      throw new Error(
        `is read as a list of addresses of repositories, one a line; line ${wrong + 1} is none. ${remedy}.`,
      )
    }
    return lines.filter((line) => line !== '' && !line.startsWith('#'))
  } catch (error) {
    unreadable.push({ label: path, reason: reasonOf(error) })
    return []
  }
}

const run = promisify(execFile)

/** The address of the repository whose folder or file a page of a known forge shows; null: an address is none of such a page. */
function repositoryOfPage(address: string): string | null {
  const page = /^https:/i.test(address) ? toRepositoryAddress(address) : null
  const named = page === null || folderOf(page) === null ? null : repositoryOf(page)
  return page === null || named === null ? null : `${new URL(page).origin}/${named.owner}/${named.repo}`
}

/** @throws Error with the reason */
async function clone(address: string, folder: string, signal: AbortSignal, type: RecordType): Promise<Clone> {
  if (!clonedForm.test(address)) {
    throw new Error(
      'is not cloned: only https, ssh and file addresses are. Download a file first; copy another catalog by catalog mirror.',
    )
  }
  const repository = repositoryOfPage(address)
  if (repository !== null) {
    throw new Error(`is a page of a repository, and no address for git. Import ${repository}`)
  }
  const tooLarge = new AbortController()
  const ended = AbortSignal.any([signal, tooLarge.signal, AbortSignal.timeout(maxMs)])
  const options = { signal: ended, env: { ...process.env, ...environment }, maxBuffer: 200_000_000 }
  const git = (...args: string[]) => run('git', [...settings, ...args], options)
  const timer = setInterval(() => {
    void packedBytes(folder).then((bytes) => bytes > maxBytes && tooLarge.abort())
  }, 1_000)
  try {
    const latest = '--depth 1 --single-branch --no-tags --filter=blob:none --no-checkout --template='.split(' ')
    await git('clone', '--quiet', ...latest, '--', address, folder)
    const { stdout } = await git('-C', folder, 'ls-tree', '-r', '-z', '--name-only', 'HEAD')
    await mkdir(join(folder, '.git', 'info'), { recursive: true })
    await writeFile(join(folder, '.git', 'info', 'sparse-checkout'), patternsOf(stdout.split('\0'), type))
    await git('-C', folder, '-c', 'core.sparseCheckout=true', 'checkout', '--quiet')
  } catch (error) {
    if (tooLarge.signal.aborted) {
      throw new Error(`has more than ${maxBytes} bytes.`)
    }
    throw ended.aborted && !signal.aborted ? new Error(`was not cloned within ${maxMs / 1_000} s.`) : error
  } finally {
    clearInterval(timer)
  }
  const own = await readCheckout(folder, null)
  // A clone of a folder on this machine is of the repository that the folder is a clone of.
  const origin = address.toLowerCase().startsWith('file:') ? await originOf(address) : null
  return { address, folder, checkout: own && origin ? { ...own, ...origin } : own }
}

/**
 * Of the working tree only the folders of skills, and what says which skills a repository has, or the files of prompts: few
 * other files are fetched.
 */
function patternsOf(paths: string[], type: RecordType): string {
  const wanted = (path: string): string | undefined =>
    type === 'prompts' && isPromptAt(path) ? path : /^((?:.*\/)?)skill\.md$/is.exec(path)?.[1]
  const folders = new Set(paths.flatMap((path) => wanted(path) ?? []))
  const escaped = [...folders]
    .filter((folder) => !folder.includes('\n'))
    .map((folder) => folder.replace(/[\\*?[\]!# ]/g, '\\$&'))
  return ['/.claude-plugin/', ...escaped.map((folder) => `/${folder}${folder === '' ? '*' : ''}`), ''].join('\n')
}

async function originOf(address: string): Promise<Pick<Checkout, 'owner' | 'repo' | 'url'> | null> {
  const checkout = await readCheckout(fileURLToPath(address), null).catch(() => null)
  return checkout?.url ? { owner: checkout.owner, repo: checkout.repo, url: checkout.url } : null
}

async function packedBytes(folder: string): Promise<number> {
  const packs = join(folder, '.git', 'objects', 'pack')
  const names = await readdir(packs).catch(() => [])
  const found = await Promise.all(names.map((name) => stat(join(packs, name)).catch(() => null)))
  return found.reduce((sum, stats) => sum + (stats?.size ?? 0), 0)
}

/** Why git failed, in its own words. */
function reasonOf(error: unknown): string {
  const { code, syscall, stderr, message } = Object(error) as Record<string, unknown>
  if (code === 'ENOENT' && syscall === 'spawn git') {
    return 'cannot be cloned: there is no git on this machine. Install it, or give a folder with a checkout.'
  }
  const said = String(stderr ?? '').split('\n')
  const line = said.find((each) => /^(?:fatal|error): /.test(each))
  // The message has the whole command, and the address in it.
  return line === undefined ? shown(String(message ?? error)) : `cannot be cloned: ${printableLine(line)}`
}
