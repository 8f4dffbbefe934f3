import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { brief } from '../../../shared/fields/field-reader.js'
import { addAll, describeFileError, isRecord } from './source.js'

/** The skills that a marketplace of plugins names, and its links that were not followed. */
export interface LinkedSkills {
  /** Paths of SKILL.md files. */
  files: string[]
  ignored: { label: string; place: string; reason: string }[]
}

const maxBytes = 10_000_000

/** Links, and folders in which a SKILL.md is looked for: some repositories have thousands of skills. */
const maxExamined = 100_000

/**
 * Follows the links of `.claude-plugin/marketplace.json` in a repository. Each plugin has a `source`, a folder, in which `skills`
 * names folders of skills, or folders with such folders; without it that is the folder `skills`. Nothing outside of the repository is read.
 *
 * @param root the repository's folder
 * @see https://code.claude.com/docs/en/plugin-marketplaces
 */
export async function linkedSkills(root: string): Promise<LinkedSkills> {
  const label = join(root, '.claude-plugin', 'marketplace.json')
  const found: LinkedSkills = { files: [], ignored: [] }
  const { plugins, metadata } = await readMarketplace(label, found)
  if (plugins !== undefined && !Array.isArray(plugins)) {
    found.ignored.push({ label, place: 'the whole file', reason: 'has no list of plugins: its links are not followed' })
  }
  const pluginRoot = isRecord(metadata) && typeof metadata['pluginRoot'] === 'string' ? metadata['pluginRoot'] : '.'
  const links = new Links(root, found.files)
  for (const plugin of Array.isArray(plugins) ? plugins.filter(isRecord) : []) {
    const { name, source = './', skills } = plugin
    const place = `plugin ${JSON.stringify(name) ?? 'without a name'}`
    if (typeof source !== 'string' || /^[a-z][a-z0-9+.-]*:|^git@/i.test(source)) {
      const reason = `is in another place, ${JSON.stringify(source).slice(0, 200)}, and not fetched: import its address`
      found.ignored.push({ label, place, reason })
      continue
    }
    const base = /^(?:\.{0,2}$|\.{0,2}\/)/.test(source) ? source : join(pluginRoot, source)
    const listed = skills === undefined ? [] : [skills].flat()
    const given = listed.filter((path) => typeof path === 'string')
    for (const odd of listed.filter((path) => typeof path !== 'string')) {
      found.ignored.push({ label, place, reason: `names no folder of a skill, but ${brief(odd)}` })
    }
    for (const path of given.length > 0 ? given : ['skills']) {
      if (links.examined > maxExamined) {
        const reason = `names more than ${maxExamined} folders, and is not followed further`
        found.ignored.push({ label, place, reason })
        return found
      }
      const count = await links.follow(base, path.replace(/(?:^|\/)skill\.md$/i, ''))
      if (count === null || (count === 0 && given.length > 0)) {
        const why = count === null ? 'outside of the repository, and is not read' : 'where no SKILL.md is'
        found.ignored.push({ label, place, reason: `names ${JSON.stringify(join(base, path))}, ${why}` })
      }
    }
  }
  return found
}

/** Follows the links of a repository, each once. */
class Links {
  /** Links and folders so far. */
  examined = 0
  /** The number of files by folder. */
  readonly #followed = new Map<string, number>()

  /**
   * @param given the folder of the repository
   * @param files receives the paths of the SKILL.md files
   */
  constructor(
    private readonly given: string,
    private readonly files: string[],
  ) {}

  /** Follows a link. Returns the number of SKILL.md files that it leads to; null: it leads out of the repository. */
  async follow(base: string, path: string): Promise<number | null> {
    const root = resolve(this.given)
    this.examined += 1
    const folder = resolve(root, base, path)
    if ([base, path].some(isAbsolute) || !isWithin(root, folder)) {
      return null
    }
    const known = this.#followed.get(folder)
    if (known !== undefined) {
      return known
    }
    const realRoot = await realpath(root)
    if (relative(root, folder).split(sep).includes('.git') || !(await isReallyWithin(realRoot, folder))) {
      return null
    }
    const files = await this.#skillFilesIn(realRoot, folder)
    addAll(
      this.files,
      files.map((file) => join(this.given, relative(root, file))),
    )
    this.#followed.set(folder, files.length)
    return files.length
  }

  /** The SKILL.md of a folder, else those of the folders in it. */
  async #skillFilesIn(realRoot: string, folder: string): Promise<string[]> {
    const own = await skillFileOf(realRoot, folder)
    if (own !== null) {
      return [own]
    }
    const names = await readdir(folder).catch(() => [])
    this.examined += names.length
    const files = await Promise.all(names.sort().map((name) => skillFileOf(realRoot, join(folder, name))))
    return files.filter((file) => file !== null)
  }
}

async function readMarketplace(path: string, { ignored }: LinkedSkills): Promise<Record<string, unknown>> {
  const place = 'the whole file'
  try {
    if (!(await isReallyWithin(await realpath(dirname(dirname(path))), path)) || (await stat(path)).size > maxBytes) {
      ignored.push({ label: path, place, reason: `is outside of the repository, or has more than ${maxBytes} bytes` })
      return {}
    }
    const content: unknown = JSON.parse((await readFile(path, 'utf8')).replace(/^\ufeff/, ''))
    return isRecord(content) ? content : {}
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    const reason =
      error instanceof SyntaxError ? 'is not valid JSON: its links are not followed' : describeFileError(error)
    ignored.push(...(isMissing ? [] : [{ label: path, place, reason }]))
    return {}
  }
}

async function skillFileOf(realRoot: string, folder: string): Promise<string | null> {
  const names = await readdir(folder).catch(() => [])
  const name = names.sort().find((each) => /^skill\.md$/i.test(each))
  const file = name === undefined ? null : join(folder, name)
  return file !== null && (await isReallyWithin(realRoot, file)) && (await stat(file)).isFile() ? file : null
}

/** Whether a path stays within a folder when its links are followed; also true of one that leads nowhere. */
const isReallyWithin = async (realRoot: string, path: string): Promise<boolean> =>
  isWithin(realRoot, await realpath(path).catch(() => realRoot))

/** Whether a path is that of a folder, or of something in it. */
export const isWithin = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
