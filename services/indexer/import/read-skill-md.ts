import { hash } from 'node:crypto'
import { basename, relative, sep } from 'node:path'
import { isMap, Lexer, Parser, parse, parseDocument, YAMLParseError } from 'yaml'
import { isSegment } from '../../../shared/records/fields.js'
import type { Checkout } from './checkout.js'
import { parseRecord } from './parse-record.js'
import { isRecord, maxNesting, type SourceItem } from './source.js'

/** The front matter: the YAML between a first line `---` and the next one. */
const frontMatter = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*\r?$/m

/** The bytes of a SKILL.md. */
interface SkillMd {
  /** Their beginning; front matter that does not end within it is rejected. */
  head: string
  /** `sha256:` and the digest of all of them. */
  digest: string
}

/**
 * Reads the skill of a SKILL.md: its front matter, and where it lies. In a checkout that is the path below it; in another
 * folder the first two names of the path, `<owner>/<repo>/…/SKILL.md`, are owner and repository.
 *
 * @param around the checkout, or the requested folder: only the path below it counts
 */
export function readSkillMd(path: string, around: Checkout | string, { head, digest }: SkillMd): SourceItem {
  const identity = placeOf(path, around)
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
    const { matter: frontMatter, dropped, twice } = parseFrontMatter(text)
    if (twice !== null) {
      return { ...place, reason: `has ${JSON.stringify(twice)} twice: leave one of them` }
    }
    if (!isRecord(frontMatter)) {
      return { ...place, reason: 'must be a list of names and values' }
    }
    const own = withoutNulls(flatten(frontMatter))
    // One in the root is the repository's own; another has the name of its folder where it gives itself none.
    const { name } = own
    const skill = identity?.path ? { skill: typeof name === 'string' ? name : basename(identity.path) } : {}
    const record = { ...own, ...skill, ...identity, digest }
    return { ...place, record, sizeBytes: text.length, dropped }
  } catch (error) {
    return { ...place, reason: `is not valid YAML: ${faultOf(error)}` }
  }
}

/** All scalars stay text: as a number, version 1.10 would become 1.1. */
const options = { schema: 'failsafe', uniqueKeys: false, logLevel: 'error' } as const

const parseYaml = (text: string): unknown => parse(text, options) ?? {}

/** The first name that YAML has twice, at its top or in its `metadata`, whose members count as well; null: none. */
function repeatedName(text: string): string | null {
  const { contents } = parseDocument(text, options)
  for (const map of [contents, isMap(contents) ? contents.get('metadata') : null]) {
    const names = new Set<string>()
    const given = isMap(map) ? map.items.map(({ key }) => String(key)) : []
    const twice = given.find((name) => names.size === names.add(name).size)
    if (twice !== undefined) {
      return twice
    }
  }
  return null
}

const faultOf = (error: unknown): string =>
  error instanceof YAMLParseError ? (error.message.split('\n', 1)[0] ?? '') : String(error)

/**
 * Parses front matter. When that fails, each of its members is read by itself: a text with a colon or a quote in it is
 * often not quoted. A member that cannot be read is left out.
 *
 * @throws when the parts cannot be read together either
 */
function parseFrontMatter(text: string): { matter: unknown; dropped: string[]; twice: string | null } {
  try {
    return { matter: parseYaml(text), dropped: [], twice: repeatedName(text) }
  } catch (error) {
    if (!(error instanceof YAMLParseError)) {
      throw error
    }
  }
  const members: string[] = []
  const dropped: string[] = []
  for (const member of text.split(/^(?=[^\s#:-][^:\n]*:(?:\s|$))/m)) {
    const [, name = '', value = ''] = /^([^\s:][^:\n]*):([\s\S]*)$/.exec(member) ?? []
    // Tabs do not indent in YAML.
    const candidates = [member, member.replace(/^\t+/gm, (tabs) => '  '.repeat(tabs.length)), quoted(name, value)]
    const readable = candidates.find((candidate) => candidate !== null && isMember(candidate))
    if (readable === undefined || readable === null) {
      dropped.push(`${name === '' ? member.trim().slice(0, 60) : name}: is not valid YAML`)
    } else {
      members.push(readable)
    }
  }
  const readable = members.join('')
  return { matter: parseYaml(readable), dropped, twice: repeatedName(readable) }
}

function isMember(text: string): boolean {
  try {
    return isRecord(parseYaml(text))
  } catch {
    return false
  }
}

/** A member with its value as a text, or as a list of texts; null: it seems to be neither. */
function quoted(name: string, value: string): string | null {
  const lines = value
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (name === '' || lines.length === 0 || /^[{[&*!|>]/.test(lines[0] ?? '')) {
    return null
  }
  const isList = lines.every((line) => /^- /.test(line))
  const texts = isList ? lines.map((line) => line.slice(2)) : [lines.join(' ')]
  const scalars = texts.map((line) => JSON.stringify(line.trim().replace(/^(["'])(.*)\1$/, '$2')))
  return `${name}: ${isList ? `[${scalars.join(', ')}]` : scalars[0]}\n`
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

/** Where a SKILL.md lies, under the names of the fields of a record. */
interface Place extends Record<string, unknown> {
  owner: string
  repo: string
  /** Its folder in the repository; empty: the root. */
  path: string
}

/** Where a SKILL.md lies; null: its path does not say it, and the front matter decides. */
function placeOf(path: string, around: Checkout | string): Place | null {
  if (typeof around !== 'string') {
    const { folder, owner, repo, url, commit } = around
    const names = relative(folder, path).split(sep).slice(0, -1)
    return {
      owner,
      repo,
      path: names.join('/'),
      ...(url === null ? {} : { url }),
      ...(commit === null ? {} : { commit }),
    }
  }
  const [owner, repo, ...names] = relative(around, path).split(sep).slice(0, -1)
  // A folder with a dot is a part of a repository.
  return owner === undefined || repo === undefined || owner.startsWith('.') || repo.startsWith('.')
    ? null
    : { owner: toSegment(owner), repo: toSegment(repo), path: names.join('/') }
}

/**
 * The name of a folder as that of an owner or a repository. One with other characters keeps those that may be in it,
 * followed by a digest of all of them.
 */
function toSegment(folder: string): string {
  if (isSegment(folder)) {
    return folder
  }
  const words = folder
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .match(/[A-Za-z0-9._]+/g) ?? ['skill']
  const digest = hash('sha256', folder.normalize('NFC')).slice(0, 8)
  return `${words.join('-').slice(0, 80)}-${digest}`
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
