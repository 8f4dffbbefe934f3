import type { Dirent, Stats } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { describeFileError } from './describe-file-error.js'
import { formatOfName } from './sniff-format.js'
import type { Source, SourceFormat } from './source.js'

/** A file or folder that could not be read. */
export interface UnreadablePath {
  label: string
  reason: string
}

/** The sources of a command's arguments, in order, and the unreadable paths. */
export interface FoundSources {
  sources: Source[]
  unreadable: UnreadablePath[]
}

/**
 * Finds the sources of a command.
 *
 * A file or a named pipe of any name is a source; `-` is standard input. Of a folder all files below it count
 * whose names have the extension of a format; if there is a SKILL.md among them it is a tree of skills, and the other
 * files are part of them. Names that begin with a dot, and `node_modules`, are skipped. Symbolic links are followed
 * within the folder, each folder once: one that leads out of it could publish other files of the machine.
 *
 * @param format null: each file's own
 * @param signal stops the search between two files
 */
export async function findSources(
  paths: string[],
  format: SourceFormat | null,
  signal: AbortSignal,
): Promise<FoundSources> {
  const found: FoundSources = { sources: [], unreadable: [] }
  for (const path of paths) {
    if (path === '-') {
      found.sources.push({ label: 'standard input', path: null, format, folder: null, sizeBytes: null })
      continue
    }
    const stats = await examine(path, found.unreadable)
    if (stats?.isDirectory()) {
      found.sources.push(...(await findInFolder(path, stats, format, found.unreadable, signal)))
    } else if (stats?.isFile() || stats?.isFIFO()) {
      found.sources.push(toSource(path, stats, format ?? formatOfName(path), null))
    } else if (stats !== null) {
      const reason = 'is neither a file nor a folder. Name one of them, or - for standard input.'
      found.unreadable.push({ label: path, reason })
    }
  }
  return found
}

async function findInFolder(
  folder: string,
  stats: Stats,
  format: SourceFormat | null,
  unreadable: UnreadablePath[],
  signal: AbortSignal,
): Promise<Source[]> {
  const sources: Source[] = []
  const visited = new Set([identityOf(stats)])
  let root: string
  try {
    root = await realpath(folder)
  } catch (error) {
    unreadable.push({ label: folder, reason: describeFileError(error) })
    return []
  }
  const walk = async (path: string): Promise<void> => {
    for (const entry of await list(path, unreadable)) {
      signal.throwIfAborted()
      const child = join(path, entry.name)
      const own = formatOfName(entry.name)
      if (entry.name.startsWith('.') || entry.name === 'node_modules' || (own === null && !mayBeFolder(entry))) {
        continue
      }
      const childStats = await examine(child, unreadable, entry.isSymbolicLink() ? root : null)
      if (childStats?.isDirectory() && !visited.has(identityOf(childStats))) {
        visited.add(identityOf(childStats))
        await walk(child)
      } else if (childStats?.isFile() && own !== null) {
        sources.push(toSource(child, childStats, own, folder))
      } else if (childStats !== null && !childStats.isDirectory() && own !== null) {
        unreadable.push({ label: child, reason: 'is a pipe, a socket or a device, which is not read in a folder.' })
      }
    }
  }
  await walk(folder)
  const skills = sources.filter((source) => source.format === 'skill-md')
  const wanted = format ?? (skills.length > 0 ? 'skill-md' : null)
  return wanted === null ? sources : sources.filter((source) => source.format === wanted)
}

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

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

async function list(path: string, unreadable: UnreadablePath[]): Promise<Dirent[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    unreadable.push({ label: path, reason: describeFileError(error) })
    return []
  }
}
