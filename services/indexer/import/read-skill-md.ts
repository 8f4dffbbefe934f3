import { relative, sep } from 'node:path'
import { parse, YAMLParseError } from 'yaml'
import { isRecord, type SourceItem } from './source.js'

/** The front matter: the YAML between a first line `---` and the next one. */
const frontMatter = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*\r?$/m

/**
 * Reads the skill of a SKILL.md: what its front matter says, and whose it is by its place `<owner>/<name>/SKILL.md`.
 *
 * @param folder the folder that was asked for: only the path below it counts
 * @param head the beginning of the file; front matter that does not end within it is refused
 */
export function readSkillMd(path: string, folder: string, head: string): SourceItem {
  const place = 'front matter'
  const matter = frontMatter.exec(head)
  if (matter === null || matter.index !== 0) {
    return { place, reason: 'is missing: the file must begin with YAML between two lines of ---' }
  }
  const text = matter[1] ?? ''
  try {
    // All scalars stay text: as a number, version 1.10 would become 1.1.
    const told: unknown = parse(text, { schema: 'failsafe', uniqueKeys: false, logLevel: 'error' }) ?? {}
    if (!isRecord(told)) {
      return { place, reason: 'must be a list of names and values' }
    }
    const { metadata, ...own } = told
    const record = withoutNulls({ ...(isRecord(metadata) ? metadata : {}), ...own })
    return { place, record: { ...record, ...ownerAndRepo(path, folder) }, sizeBytes: text.length }
  } catch (error) {
    const reason = error instanceof YAMLParseError ? error.message.split('\n', 1)[0] : String(error)
    return { place, reason: `is not valid YAML: ${reason}` }
  }
}

/** Where the path below the folder says whose the skill is, it decides; otherwise the front matter has to say. */
function ownerAndRepo(path: string, folder: string): { owner?: string; repo?: string } {
  const [repo, owner] = relative(folder, path).split(sep).slice(0, -1).reverse()
  return owner === undefined || repo === undefined || owner === '..' ? {} : { owner, repo }
}

const withoutNulls = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== 'null' && value !== '~'))
