import { relative, sep } from 'node:path'
import { Lexer, Parser, parse, YAMLParseError } from 'yaml'
import { parseRecord } from './parse-record.js'
import { isRecord, maxNesting, type SourceItem } from './source.js'

/** The front matter: the YAML between a first line `---` and the next one. */
const frontMatter = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*\r?$/m

/**
 * Reads the skill of a SKILL.md: its front matter, and its owner and repository by its path `<owner>/<name>/SKILL.md`.
 *
 * @param folder the requested folder: only the path below it counts
 * @param head the beginning of the file; front matter that does not end within it is rejected
 */
export function readSkillMd(path: string, folder: string, head: string): SourceItem {
  const identity = ownerAndRepo(path, folder)
  const place = { place: 'front matter', ...(identity === null ? {} : { identity }) }
  const matter = frontMatter.exec(head)
  if (matter === null || matter.index !== 0) {
    return { ...place, reason: 'is missing: the file must begin with YAML between two lines of ---' }
  }
  const text = matter[1] ?? ''
  if (isNestedTooDeeply(text)) {
    return { ...place, reason: `is nested deeper than ${maxNesting} levels` }
  }
  try {
    // All scalars stay text: as a number, version 1.10 would become 1.1.
    const frontMatter: unknown = parse(text, { schema: 'failsafe', uniqueKeys: false, logLevel: 'error' }) ?? {}
    if (!isRecord(frontMatter)) {
      return { ...place, reason: 'must be a list of names and values' }
    }
    return { ...place, record: { ...withoutNulls(flatten(frontMatter)), ...identity }, sizeBytes: text.length }
  } catch (error) {
    const reason = error instanceof YAMLParseError ? error.message.split('\n', 1)[0] : String(error)
    return { ...place, reason: `is not valid YAML: ${reason}` }
  }
}

/**
 * Whether YAML text is nested deeper than a record may be. `parse` recurses for each level, and a stack that is
 * nearly full can end the process; the parser of the syntax alone keeps its levels in a list.
 */
function isNestedTooDeeply(text: string): boolean {
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    for (const _token of parser.next(lexeme)) {
      // Only the nesting matters here.
    }
    // The document and the scalar being read are in the list as well.
    if (parser.stack.length > maxNesting + 2) {
      return true
    }
  }
  return false
}

/** Owner and repository by the path below the folder; null: the path has none, and the front matter decides. */
function ownerAndRepo(path: string, folder: string): { owner: string; repo: string } | null {
  const [repo, owner] = relative(folder, path).split(sep).slice(0, -1).reverse()
  return owner === undefined || repo === undefined || owner === '..' ? null : { owner, repo }
}

/** The front matter with the members of its `metadata`; those that it has itself stay in there, and may withdraw it. */
function flatten({ metadata, ...own }: Record<string, unknown>): Record<string, unknown> {
  const members = typeof metadata === 'string' ? parseRecord(metadata) : { record: metadata }
  if (!('record' in members) || !isRecord(members.record)) {
    return own
  }
  const repeated = Object.entries(members.record).filter(([name]) => Object.hasOwn(own, name))
  return { ...members.record, ...own, ...(repeated.length > 0 ? { metadata: Object.fromEntries(repeated) } : {}) }
}

const withoutNulls = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== 'null' && value !== '~'))
