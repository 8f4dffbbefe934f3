import { hash } from 'node:crypto'
import { basename, relative, sep } from 'node:path'
import MarkdownIt, { type Token } from 'markdown-it'
import { brief, FieldReader } from '../../../shared/fields/field-reader.js'
import { type GivenValue, valuesByComparableName } from '../../../shared/fields/field-values.js'
import { readFrontMatter } from '../../../shared/fields/front-matter.js'
import { repositoryOf, toSkillName } from '../../../shared/fields/web-address.js'
import { isMetadata } from '../../../shared/fields/yaml-members.js'
import { comparableName, type FieldOf, importNames, knownNames } from '../../../shared/records/field-names.js'
import { isSegment } from '../../../shared/records/fields.js'
import { skillId } from '../../../shared/records/skill.js'
import { cleanLine } from '../../../shared/text/clean-text.js'
import type { Checkout } from './checkout.js'
import { parseRecord } from './map-record.js'
import { convertToUtf8 } from './sniff-format.js'
import { isRecord, type Members, type SourceItem } from './source.js'

/** The place of what a SKILL.md says of its skill. */
export const frontMatter = 'front matter'

/** The bytes of a SKILL.md. */
interface SkillMd {
  /** Their beginning; front matter that does not end within it is read as far as it goes. */
  head: Buffer
  /** `sha256:` and the digest of all of them. */
  digest: string
}

/**
 * Reads the skill of a SKILL.md: its front matter, what its text says where that has no name or description, and where it lies.
 * In a checkout that is the path below it; in another folder the first two names of the path, `<owner>/<repo>/…/SKILL.md`, are
 * owner and repository.
 *
 * @param around the checkout, or the requested folder: only the path below it counts
 */
export function readSkillMd(path: string, around: Checkout | string, { head, digest }: SkillMd): SourceItem {
  const identity = placeOf(path, around)
  const place = { place: frontMatter, ...(identity === null ? {} : { identity }) }
  const { text, isDamaged } = decode(head)
  // A program or a picture: no text has both.
  const front = isDamaged && text.includes('\0') ? { reason: notUtf8 } : (noSkill(text) ?? readFrontMatter(text))
  if ('reason' in front) {
    return { ...place, reason: front.reason }
  }
  if (!/skill\.md$/i.test(path) && Object.keys(front.members).length === 0) {
    return { ...place, reason: pageReason }
  }
  const dropped = [...front.dropped]
  const own = withoutOdd(flatten(withoutNulls(front.members)), dropped, isDamaged)
  dropOtherRepositories(own, identity, dropped)
  const said = saidByText(own, front.body)
  if (!said.isSkill) {
    const isTemplate = dropped.some((value) => value.includes(toFillIn))
    return { ...place, reason: isDamaged ? notUtf8 : isTemplate ? templateReason : nothingReason }
  }
  const name = given(own, 'name')[0]?.value
  // One in the root is the repository's own; another has the name of its folder where it gives itself none.
  const skill = identity?.path
    ? { skill: skillOf(Array.isArray(name) && name.length === 1 ? name[0] : name, identity.path) }
    : {}
  // What the text says replaces an empty value under the same name.
  const record = { ...own, ...said.fields, ...skill, ...identity, digest }
  return { ...place, record, sizeBytes: text.length, dropped }
}

const notUtf8 = `is not UTF-8. ${convertToUtf8}`
const toFillIn = 'is still to be filled in'
const templateReason = `is that of a template: what it says ${toFillIn}`
const nothingReason =
  'is missing, and no text is there that says what the skill does: begin the file with its name and description between two lines of ---'

const pageReason =
  'is missing, and the file is no SKILL.md: a page of Markdown is read that begins with a table, or links to two repositories or more'

/** The name of a skill in a folder: its own, else that of its folder. */
const skillOf = (name: unknown, path: string): string =>
  [name, basename(path)].find((text): text is string => typeof text === 'string' && toSkillName(text) !== null) ??
  `skill-${hash('sha256', path.normalize('NFC')).slice(0, 8)}`

/** Where a SKILL.md lies, under the names of the fields of a record. */
interface Place extends Members {
  owner: string
  repo: string
  /** Its folder in the repository; empty: the root. */
  path: string
}

/** Folders that are parts of a repository, and no owners of some: one with a dot, and those in which skills are kept. */
const inRepository = /^(?:\..*|skills|plugins)$/i

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
  return owner === undefined || repo === undefined || inRepository.test(owner) || repo.startsWith('.')
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

/** The text of bytes; of UTF-16 only with its mark. `isDamaged`: they are no text in UTF-8, and have other characters in it. */
function decode(head: Buffer): { text: string; isDamaged: boolean } {
  const mark = head.toString('latin1', 0, 2)
  const encoding = mark === '\xff\xfe' ? 'utf-16le' : mark === '\xfe\xff' ? 'utf-16be' : 'utf-8'
  try {
    // The last character may go on after the beginning.
    return { text: new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true }), isDamaged: false }
  } catch {
    return { text: new TextDecoder(encoding).decode(head), isDamaged: true }
  }
}

/** Files in the place of a SKILL.md that hold no skill. */
function noSkill(text: string): { reason: string } | null {
  if (text.startsWith('version https://git-lfs.github.com/')) {
    return { reason: 'is in Git LFS, and the file only names it: fetch it with git lfs pull' }
  }
  // A symbolic link of a repository is such a file where links are not supported.
  const path = text.trim()
  return /^\S+$/.test(path) && (path.lastIndexOf('/') > 0 || /.\.md$/i.test(path))
    ? { reason: 'is only the path of another file: import that one' }
    : null
}

/** The members that are read as a field, best first. */
const given = (members: Members, field: FieldOf<'skills'>): GivenValue[] =>
  valuesByComparableName(
    members,
    importNames.skills,
  )(field).filter(({ value }) => typeof value !== 'string' || cleanLine(value) !== null)

/** What only a registry can say of a skill, and not its author; and what its folder has instead. */
const ofOthers = ['stars', 'forks', 'stats', 'formerIds', 'skillMd', 'files'] as const

/** The members without those that cannot be meant: left-over placeholders, damaged text, and what is not its author's to say. */
function withoutOdd(members: Members, dropped: string[], isDamaged: boolean): Members {
  const kept = { ...members }
  const drop = (name: string, why: string): void => {
    delete kept[name]
    dropped.push(`${name}: ${why}`)
  }
  for (const { name } of ofOthers.flatMap((field) => given(members, field))) {
    drop(name, 'is not read from a SKILL.md')
  }
  for (const { name, value } of [...given(members, 'name'), ...given(members, 'description')]) {
    if (typeof value === 'string' && isPlaceholder(value)) {
      drop(name, `${toFillIn}: ${brief(value)}`)
    }
  }
  for (const [name, value] of isDamaged ? Object.entries(kept) : []) {
    if ([value].flat().some((text) => typeof text === 'string' && text.includes('\ufffd'))) {
      drop(name, 'is not UTF-8')
    }
  }
  return kept
}

/**
 * Leaves out the addresses of other repositories in a checkout whose own is known: the path and the commit of the skill are
 * none of theirs.
 */
function dropOtherRepositories(own: Members, place: Place | null, dropped: string[]): void {
  const known = typeof place?.['url'] === 'string' ? repositoryOf(place['url']) : null
  for (const { name, value } of known === null ? [] : given(own, 'url')) {
    const address = new FieldReader(() => [{ name, value }]).repositoryAddress('url')
    const other = address === null ? null : repositoryOf(address)
    if (
      other !== null &&
      skillId(other.owner, other.repo, null) !== skillId(place?.owner ?? '', place?.repo ?? '', null)
    ) {
      delete own[name]
      dropped.push(`${name}: must be that of its repository, not ${brief(value)}`)
    }
  }
}

/** The words that templates of other tools have for what their user is to write, alone or before a colon. */
const wordsForUser = /^\W*(?:TO[ -]?DO|TBD|FIX[ -]?ME)(?:\W*$|\s*[:\]])/

/** An empty place of a template, and nothing else: `{{name}}`, `${name}`, `<description>`, `[name]`, `%NAME%`, `__name__`. */
const emptyPlace = /^(?:\{\{[^{}]*\}\}|\$?\{[^{}]*\}|<[^<>]*>|\[[^[\]]*\]|%\w+%|__\w+__)$/

/** Whether a text was left as the template of another tool has it. */
const isPlaceholder = (text: string): boolean => [wordsForUser, emptyPlace].some((pattern) => pattern.test(text.trim()))

/** Name and description from the text of the file, where its front matter has none. */
function saidByText(own: Members, body: string): { fields: Members; isSkill: boolean } {
  const [hasName, hasDescription] = [given(own, 'name').length > 0, given(own, 'description').length > 0]
  const { heading, paragraph, hasText }: OpeningText =
    hasName && hasDescription ? { heading: null, paragraph: null, hasText: true } : readOpening(body)
  const texts = Object.entries({ name: hasName ? null : heading, description: hasDescription ? null : paragraph })
  const found = texts.filter(([, text]) => text !== null)
  const isUsable = (text: string): boolean =>
    !isPlaceholder(text) && !text.includes('\ufffd') && cleanLine(text) !== null
  const usable = found.filter(([, text]) => text !== null && isUsable(text))
  const saysSomething = usable.length > 0 || found.length === 0
  return { fields: Object.fromEntries(usable), isSkill: Object.keys(own).length > 0 || (hasText && saysSomething) }
}

/**
 * The front matter with the members of its `metadata`. Those that it has itself, and objects of programs, stay in there, and
 * may withdraw it.
 */
function flatten(given: Members): Members {
  const name = Object.keys(given).find(isMetadata) ?? 'metadata'
  const { [name]: metadata, ...own } = given
  const members = typeof metadata === 'string' ? parseRecord(metadata) : { record: metadata }
  if (!('record' in members) || !isRecord(members.record)) {
    return given
  }
  const isInner = ([name, value]: [string, unknown]): boolean =>
    Object.hasOwn(own, name) || (isRecord(value) && !knownNames.skills.has(comparableName(name)))
  const all = Object.entries(members.record)
  const inner = all.filter(isInner)
  const outer = Object.fromEntries(all.filter((member) => !isInner(member)))
  return { ...outer, ...own, ...(inner.length > 0 ? { metadata: Object.fromEntries(inner) } : {}) }
}

const withoutNulls = (record: Members): Members =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== 'null' && value !== '~'))

/** What the text of a SKILL.md says first. */
interface OpeningText {
  /** The first heading above its first paragraph; null: it has none. */
  heading: string | null
  /** Its first paragraph; null: it has none. */
  paragraph: string | null
  /** Whether it has more than headings. */
  hasText: boolean
}

/** Without HTML: its blocks and its comments are no text. */
const markdown = new MarkdownIt('commonmark', { maxNesting: 20 }).enable('strikethrough')

/** The tags of a template, and the rows of a table. */
const noProse = /^(?:\{%|\|)/

/** Reads the first heading and the first paragraph of Markdown, as plain text. */
function readOpening(text: string): OpeningText {
  const tokens = markdown.parse(text.replace(/<!--[\s\S]*?(?:-->|$)/g, ''), {})
  // Those of lists and quotes lie deeper.
  const texts = tokens.flatMap((token, at) =>
    token.level === 1 ? [{ isHeading: tokens[at - 1]?.type === 'heading_open', text: toPlain(token) }] : [],
  )
  const place = texts.findIndex(({ isHeading, text }) => !isHeading && text !== '' && !noProse.test(text))
  const heading = texts
    .slice(0, place === -1 ? undefined : place)
    .find(({ isHeading, text }) => isHeading && text !== '')
  return {
    heading: heading?.text ?? null,
    paragraph: texts[place]?.text ?? null,
    hasText: tokens.some(({ type, level }) => level === 0 && !/^(?:heading_|hr$)/.test(type)),
  }
}

/** The text of a block on one line, without pictures and HTML. */
const toPlain = ({ children }: Token): string =>
  (children ?? [])
    .map(({ type, content }) => (type.endsWith('break') ? ' ' : ['text', 'code_inline'].includes(type) ? content : ''))
    .join('')
    .trim()
