import type { Dirent, Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describeFileError } from './describe-file-error.js'
import { formatOfName } from './sniff-format.js'
import type { Source, SourceFormat } from './source.js'

/** A file or folder that could not be looked into. */
export interface UnreadablePath {
  label: string
  reason: string
}

/** The sources that a command's arguments name, in order, and what could not be looked into. */
export interface FoundSources {
  sources: Source[]
  unreadable: UnreadablePath[]
}

/**
 * Finds the sources of a command.
 *
 * A file is a source whatever its name; `-` is standard input. Of a folder all files below it count whose names tell a
 * format; if there is a SKILL.md among them it is a tree of skills, and what else lies beside them is part of them.
 * Names that begin with a dot, and `node_modules`, are passed over. Symbolic links are followed, each folder once.
 *
 * @param format null: each file's own
 */
export async function findSources(paths: string[], format: SourceFormat | null): Promise<FoundSources> {
  const found: FoundSources = { sources: [], unreadable: [] }
  for (const path of paths) {
    if (path === '-') {
      found.sources.push({ label: 'standard input', path: null, format, folder: null, sizeBytes: null })
      continue
    }
    const stats = await look(path, found.unreadable)
    if (stats?.isDirectory()) {
      found.sources.push(...(await findInFolder(path, stats, format, found.unreadable)))
    } else if (stats !== null) {
      found.sources.push(toSource(path, stats, format ?? formatOfName(path), null))
    }
  }
  return found
}

async function findInFolder(
  folder: string,
  stats: Stats,
  format: SourceFormat | null,
  unreadable: UnreadablePath[],
): Promise<Source[]> {
  const sources: Source[] = []
  const seen = new Set([identityOf(stats)])
  const walk = async (path: string): Promise<void> => {
    for (const entry of await list(path, unreadable)) {
      const child = join(path, entry.name)
      const own = formatOfName(entry.name)
      if (entry.name.startsWith('.') || entry.name === 'node_modules' || (entry.isFile() && own === null)) {
        continue
      }
      const childStats = await look(child, unreadable)
      if (childStats?.isDirectory() && !seen.has(identityOf(childStats))) {
        seen.add(identityOf(childStats))
        await walk(child)
      } else if (childStats?.isFile() && own !== null) {
        sources.push(toSource(child, childStats, own, folder))
      }
    }
  }
  await walk(folder)
  const skills = sources.filter((source) => source.format === 'skill-md')
  const wanted = format ?? (skills.length > 0 ? 'skill-md' : null)
  return wanted === null ? sources : sources.filter((source) => source.format === wanted)
}

const toSource = (path: string, stats: Stats, format: SourceFormat | null, folder: string | null): Source => ({
  label: path,
  path,
  format,
  folder,
  // A pipe or a device has no size that means anything.
  sizeBytes: stats.isFile() ? stats.size : null,
})

const identityOf = (stats: Stats): string => `${stats.dev}:${stats.ino}`

async function look(path: string, unreadable: UnreadablePath[]): Promise<Stats | null> {
  try {
    return await stat(path)
  } catch (error) {
    unreadable.push({ label: path, reason: describeFileError(error) })
    return null
  }
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
