import type { Dirent, Stats } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type RepositoryName, splitFullName } from '../../../shared/fields/web-address.js'
import type { RecordType } from '../../../shared/records/records.js'
import { type Checkout, checkoutOfPart, folderAround, isBareRepository, readCheckout } from './checkout.js'
import { isWithin, linkedSkills } from './marketplace.js'
import { isPromptAt } from './read-prompt-md.js'
import { foreignFormatOfName, formatOfName, isProjectFile } from './sniff-format.js'
import { addAll, describeFileError, isPartOfSkill, isPrivateFolder, type Source, type SourceFormat } from './source.js'

/** A file or folder that could not be read. */
export interface UnreadablePath {
  label: string
  reason: string
}

/** The sources of a command's arguments, in order, and the unreadable paths. */
export interface FoundSources {
  sources: Source[]
  unreadable: UnreadablePath[]
  /** Files that are part of a skill, and no skills; and links that are not followed, with their place in their file. */
  ignored: (UnreadablePath & { place?: string })[]
}

/**
 * Finds the sources of a command.
 *
 * A file or a named pipe of any name is a source; `-` is standard input. Of a folder all files below it count
 * whose names have the extension of a format; if there is a SKILL.md among them it is a tree of skills, and the other
 * files are part of them. So are SKILL.md files in what belongs to a skill, such as its `references`, and in tests, unless a
 * marketplace of plugins in the root of their repository names them. Of a
 * folder whose name begins with a dot only its SKILL.md files count: programs keep skills there. A catalog's own data
 * folder is not read. Symbolic links are
 * followed within the folder, each folder once: one that leads out of it could publish other files of the machine.
 *
 * @param format null: each file's own
 * @param signal stops the search between two files
 * @param repository what the folders are checkouts of; null: as their `.git` has it
 * @param type of the records: prompts are also files by themselves, and none of them is a SKILL.md
 */
export async function findSources(
  paths: string[],
  format: SourceFormat | null,
  signal: AbortSignal,
  repository: RepositoryName | Checkout | null = null,
  type: RecordType = 'skills',
): Promise<FoundSources> {
  const found: FoundSources = { sources: [], unreadable: [], ignored: [] }
  const checkouts = new Map<string, FoundSources>()
  for (const path of paths) {
    if (path === '-') {
      found.sources.push({ label: 'standard input', path: null, format, folder: null, sizeBytes: null })
      continue
    }
    const stats = await examine(path, found.unreadable)
    if (stats?.isDirectory()) {
      const around = type === 'prompts' ? await folderAround(path, null) : null
      const part = around === null ? await checkoutOfPart(path) : await readCheckout(around, null)
      const checkout = repository ?? part
      addAll(found.sources, await findInFolder(path, stats, format, found, { signal, repository: checkout, type }))
    } else if (stats?.isFile() && format === null && isProjectFile(basename(path))) {
      found.unreadable.push({ label: path, reason: projectFileReason })
    } else if (stats?.isFile() || stats?.isFIFO()) {
      const own = format ?? formatOfName(path) ?? (/\.md$/i.test(path) ? 'skill-md' : null)
      const around = own === 'skill-md' || type === 'prompts' ? await folderAround(path, repository) : null
      const mayBeSkill = around !== null && type !== 'prompts'
      const isFound = mayBeSkill && (await findWithin(path, around, found, checkouts, { signal, repository, type }))
      const checkout = around === null ? null : await readCheckout(around, repository)
      found.sources.push(...(isFound ? [] : [{ ...toSource(path, stats, own, null), checkout }]))
    } else if (stats !== null) {
      const reason = 'is neither a file nor a folder. Name one of them, or - for standard input.'
      found.unreadable.push({ label: path, reason })
    }
  }
  return found
}

/** See `findSources`. */
interface SearchOptions {
  signal: AbortSignal
  repository: RepositoryName | Checkout | null
  type: RecordType
}

const projectFileReason =
  'belongs to a project and holds no records. Import the folder, for its SKILL.md files; or give the --format of its records.'

const dataFolderReason =
  'is the data folder of a catalog, whose files are of several times, and have records that are hidden by now. ' +
  'Import what the catalog exports, or copy it with catalog mirror or catalog backup.'

const isDataFolder = (entries: Dirent[]): boolean =>
  ['catalog.db', 'locks'].every((each) => entries.some(({ name }) => name === each))

const unnamedCheckout =
  'is a repository of git, and its remote origin names no owner and repository: say whose it is with --repository owner/repo.'

/**
 * Finds a SKILL.md that is named by itself as in the folder around it, where it has the same id.
 *
 * @param root that folder, such as a checkout
 * @param checkouts what was found in such folders of other files
 * @returns false where an import of that folder would not look for it
 */
async function findWithin(
  path: string,
  root: string,
  found: FoundSources,
  checkouts: Map<string, FoundSources>,
  options: SearchOptions,
): Promise<boolean> {
  const all = checkouts.get(root) ?? { sources: [], unreadable: [], ignored: [] }
  if (!checkouts.has(root)) {
    checkouts.set(root, all)
    all.sources = await findInFolder(root, await stat(root), 'skill-md', all, options)
    found.unreadable.push(...all.unreadable.filter(({ label }) => label === root))
  }
  const isIt = ({ label }: { label: string }): boolean => label === resolve(path)
  const [sources, ignored] = [all.sources.filter(isIt), all.ignored.filter(isIt)]
  found.sources.push(...sources.map((source) => ({ ...source, label: path })))
  found.ignored.push(...ignored)
  return sources.length > 0 || ignored.length > 0 || all.unreadable.some(({ label }) => label === root)
}

async function findInFolder(
  folder: string,
  stats: Stats,
  format: SourceFormat | null,
  { unreadable, ignored }: FoundSources,
  { signal, repository, type }: SearchOptions,
): Promise<Source[]> {
  const sources: Source[] = []
  const foreign: UnreadablePath[] = []
  const visited = new Set([identityOf(stats)])
  let root: string
  try {
    root = await realpath(folder)
  } catch (error) {
    unreadable.push({ label: folder, reason: describeFileError(error) })
    return []
  }
  /** Checkouts that do not say of which repository; their SKILL.md files would get the names of folders. */
  const unnamed = new Set<string>()
  /** What a marketplace of plugins names as skills: skills wherever they are. */
  const linked = new Map<string, Checkout | null>()
  const walk = async (path: string, around: Checkout | string | null): Promise<void> => {
    const entries = await list(path, unreadable)
    if (isDataFolder(entries)) {
      foreign.push({ label: path, reason: dataFolderReason })
      return
    }
    const isCheckout = entries.some(({ name }) => name === '.git')
    const isNamed = path === folder && around !== null
    const checkout = isCheckout && !isNamed ? await checkoutAt(path, folder) : around
    if (typeof checkout !== 'string' && entries.some(({ name }) => name === '.claude-plugin')) {
      const isRoot = checkout === null ? relative(folder, path).split(sep).length === 2 : checkout.folder === path
      const links = isRoot ? await linkedSkills(path) : null
      for (const file of links?.files ?? []) {
        linked.set(file, checkout)
      }
      addAll(ignored, links?.ignored ?? [])
    }
    for (const entry of entries) {
      signal.throwIfAborted()
      const child = join(path, entry.name)
      const named = formatOfName(entry.name)
      const own = named === 'skill-md' || !isHidden(relative(folder, child)) ? named : null
      const isPrompt = type === 'prompts' && own === null && isPromptAt(child)
      const isRead = own !== null || isPrompt
      if (isPrivateFolder(entry.name) || (!isRead && !mayBeFolder(entry))) {
        const reason = foreignFormatOfName(entry.name)
        if (reason !== null && !entry.isDirectory()) {
          foreign.push({ label: child, reason })
        }
        continue
      }
      if (!isRead && entry.isSymbolicLink() && !(await leadsToFolder(child))) {
        continue
      }
      const childStats = await examine(child, unreadable, entry.isSymbolicLink() ? root : null)
      if (childStats?.isDirectory() && !visited.has(identityOf(childStats))) {
        visited.add(identityOf(childStats))
        await walk(child, checkout)
      } else if (childStats?.isFile() && isRead) {
        if (typeof checkout === 'string' && own === 'skill-md' && type === 'skills') {
          unnamed.add(checkout)
        } else {
          const known = typeof checkout === 'string' ? null : checkout
          sources.push({ ...toSource(child, childStats, own, folder), checkout: known })
        }
      } else if (childStats !== null && !childStats.isDirectory() && isRead) {
        unreadable.push({ label: child, reason: 'is a pipe, a socket or a device, which is not read in a folder.' })
      }
    }
  }
  const known = repository !== null && 'folder' in repository
  await walk(folder, known ? repository : repository && (await readCheckout(folder, repository)))
  const found = new Set(sources.map(({ label }) => label))
  for (const [file, checkout] of [...linked].filter(([path]) => !found.has(path))) {
    sources.push({ ...toSource(file, await stat(file), 'skill-md', folder), checkout })
  }
  if (sources.length === 0 && (await isBareRepository(folder))) {
    const address = pathToFileURL(resolve(folder)).href
    unreadable.push({
      label: folder,
      reason: `is a bare repository of git, without files: import its address, ${address}`,
    })
  }
  unreadable.push(...[...unnamed].map((label) => ({ label, reason: unnamedCheckout })))
  if (format === null && sources.some((source) => source.format === null)) {
    return sources.filter((source) => source.format !== 'skill-md')
  }
  const skills = sources.filter((source) => source.format === 'skill-md')
  const wanted = format ?? (skills.length > 0 ? 'skill-md' : null)
  if (wanted !== 'skill-md') {
    // Files in formats that are not read may be copies of the others.
    addAll(unreadable, sources.length === 0 ? foreign : [])
    return wanted === null ? sources : sources.filter((source) => source.format === wanted)
  }
  const folders = new Set(skills.map(({ label }) => resolve(dirname(label))))
  const parts = new Set(skills.filter((source) => !linked.has(source.label) && isPartOfSkill(source, folder, folders)))
  const reason = 'is in what belongs to a skill or to tests, and no skill'
  addAll(
    ignored,
    [...parts].map(({ label }) => ({ label, reason })),
  )
  // Of copies with one name the first counts, see `RepeatedSkills`.
  const own = skills.filter((source) => !parts.has(source)).sort(byPath)
  const skillFolders = new Set(own.map(({ label }) => dirname(label)))
  return own.map((source) => ({ ...source, skillFolders }))
}

/**
 * The checkout in a folder: of the repository of its `origin`, else of `<owner>/<repo>`, its path below the requested folder.
 *
 * @returns the folder itself where neither says whose it is
 */
async function checkoutAt(path: string, folder: string): Promise<Checkout | string> {
  const named = splitFullName(relative(folder, path).split(sep).join('/'))
  return (await readCheckout(path, null)) ?? (named && (await readCheckout(path, named))) ?? path
}

const isHidden = (path: string): boolean => path.split(sep).some((name) => name.startsWith('.'))

const byPath = ({ label: a }: Source, { label: b }: Source): number => a.length - b.length || (a < b ? -1 : 1)

/** Whether a link leads to a folder: another one is a file without a format, or leads nowhere, as in a partial checkout. */
const leadsToFolder = async (link: string): Promise<boolean> =>
  (await stat(link).catch(() => null))?.isDirectory() ?? false

const mayBeFolder = (entry: Dirent): boolean => entry.isDirectory() || entry.isSymbolicLink()

const toSource = (path: string, stats: Stats, format: SourceFormat | null, folder: string | null): Source => ({
  label: path,
  path,
  format,
  folder,
  sizeBytes: stats.isFile() ? stats.size : null,
})

const identityOf = (stats: Stats): string => `${stats.dev}:${stats.ino}`

/**
 * The target of a path; null, with the reason in `unreadable`, when it cannot be followed.
 *
 * @param root the real path of the folder that must contain the target; null: it may be anywhere
 */
async function examine(path: string, unreadable: UnreadablePath[], root: string | null = null): Promise<Stats | null> {
  try {
    if (root !== null && !isWithin(root, await realpath(path))) {
      unreadable.push({ label: path, reason: 'is a symbolic link out of the folder, which is not followed.' })
      return null
    }
    return await stat(path)
  } catch (error) {
    unreadable.push({ label: path, reason: describeFileError(error) })
    return null
  }
}

async function list(path: string, unreadable: UnreadablePath[]): Promise<Dirent[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true })
    // A folder with a dot may be the target of links from others, whose names say more.
    const key = ({ name }: Dirent): string => `${name.startsWith('.') ? 1 : 0}${name}`
    return entries.sort((a, b) => (key(a) < key(b) ? -1 : 1))
  } catch (error) {
    unreadable.push({ label: path, reason: describeFileError(error) })
    return []
  }
}
