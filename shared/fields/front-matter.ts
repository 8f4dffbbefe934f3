import { parse as parseToml } from 'smol-toml'
import { visibleText } from '../text/clean-text.js'
import { type Members, ownMember, readYamlMembers, type Unreadable } from './yaml-members.js'

/** What a SKILL.md begins with, and the text that follows. */
export interface FrontMatter extends Members {
  body: string
}

/** The usual front matter: the YAML between a first line `---` and the next one. */
const usual = /^---[ \t]*\n([\s\S]*?)^---[ \t]*$/m

/** A line that begins or ends front matter, also one in which a program has made a dash of the hyphens. */
const fence = /^\s*(?:-{3,}|[–—]+-*)\s*(?:ya?ml\s*)?(?:\s#.*)?$/i
const end = /^(?:-{3,}|[–—]+-*|\.{3})\s*$/
const tomlFence = /^\+{3}\s*$/
/** A line of hyphens with the name of a language other than YAML, of which JSON is read as YAML. */
const languageFence = /^-{3,}[ \t]*(json|toml)\s*$/i
const codeFence = /^\s*(?:```|~~~)/

const memberLine = /^["']?[A-Za-z][\w .-]{0,60}["']?[ \u00a0]*[:：]/

/** More text than this before a block is no mere note above the front matter: the block is then an example. */
const maxLinesBefore = 20

/**
 * Reads the front matter of a SKILL.md as a person would find it: also below a note or a heading, in a code block, in TOML,
 * indented, without a first or a last line of hyphens.
 *
 * @param text the beginning of the file
 * @returns why it cannot be read
 */
export function readFrontMatter(text: string): FrontMatter | Unreadable {
  const plain = text.replace(/\r\n?/g, '\n').replace(/^\ufeff+/, '')
  const [whole, yaml] = usual.exec(plain) ?? []
  if (whole !== undefined && yaml?.trim() && plain.startsWith(whole) && !hasHeading(yaml)) {
    const read = readYamlMembers(yaml)
    if (read !== null) {
      return 'reason' in read ? read : { ...read, body: plain.slice(whole.length) }
    }
  }
  const found = findBlock(visibleText(plain).split('\n'))
  const read = found === null ? null : found.isToml ? readTomlMembers(found.text) : readYamlMembers(found.text)
  if (found !== null && read !== null) {
    return 'reason' in read ? read : { ...read, body: found.body }
  }
  const isList = whole !== undefined && plain.startsWith(whole) && /^\s*- /.test(yaml ?? '')
  const body = isList ? plain.slice(whole.length) : plain
  return isList && body.trim() === ''
    ? { reason: 'must be a list of names and values' }
    : { members: {}, dropped: isList ? ['front matter: is no list of names and values'] : [], body }
}

/** Whether a blank line and a heading, or a block of code, are in YAML: it was never closed, and a rule of the text ends it. */
const hasHeading = (yaml: string): boolean => /\n[ \t]*\n(?:#{1,6} |```|~~~)/.test(yaml)

interface Block {
  text: string
  isToml: boolean
  body: string
}

/** Null: there is none. */
function findBlock(lines: string[]): Block | null {
  const opening = findOpening(lines)
  if (opening === null) {
    return null
  }
  const { line, indent, isInCode } = opening
  const isInPluses = tomlFence.test(lines[line - 1] ?? '')
  const isToml = isInPluses || languageFence.exec(lines[line - 1] ?? '')?.[1]?.toLowerCase() === 'toml'
  const rest = lines.slice(line).map((each) => (each.slice(0, indent).trim() === '' ? each.slice(indent) : each))
  const closing = rest.findIndex((each) => (isInPluses ? tomlFence : isInCode ? codeFence : end).test(each))
  const isClosed = closing !== -1 && !hasHeading(rest.slice(0, closing).join('\n'))
  const length = isClosed ? closing : isToml ? 0 : countMembers(rest)
  const body = rest.slice(isClosed ? length + 1 : length)
  return { text: `${rest.slice(0, length).join('\n')}\n`, isToml, body: body.join('\n') }
}

/** Where the members begin, by how much their lines are indented, and whether a block of code is around them. */
interface Opening {
  line: number
  indent: number
  isInCode: boolean
}

function findOpening(lines: string[]): Opening | null {
  /** Lines that are more than notes for programs. */
  let before = 0
  let isInCode = false
  for (const [at, line] of lines.entries()) {
    const isCode = codeFence.test(line)
    const isNamed = tomlFence.test(line) || languageFence.test(line)
    if (isNamed || fence.test(line)) {
      const begins = before === 0 || holdsOwnMember(lines.slice(at + 1))
      if (begins && (isNamed || memberLine.test(firstOf(lines, at + 1).trim()))) {
        return { line: at + 1, indent: indentOf(line), isInCode: false }
      }
    } else if (before === 0 && ownMember.test(line)) {
      return { line: at, indent: 0, isInCode }
    }
    if (isCode && (isInCode || before > 0)) {
      return null
    }
    isInCode ||= isCode
    before += line.trim() === '' || /^\s*<!--.*-->\s*$/.test(line) || isCode ? 0 : 1
    if (before > maxLinesBefore) {
      return null
    }
  }
  return null
}

/** The first line from here that is neither blank nor a comment. */
const firstOf = (lines: string[], from: number): string =>
  lines.slice(from).find((line) => line.trim() !== '' && !/^\s*#/.test(line)) ?? ''

const indentOf = (line: string): number => line.length - line.trimStart().length

/** Whether a name or a description is among the members that begin here. */
function holdsOwnMember(lines: string[]): boolean {
  const count = lines.findIndex((line) => fence.test(line))
  return count !== -1 && lines.slice(0, count).some((line) => ownMember.test(line.trim()))
}

/** The number of lines that are members, of front matter that is never closed. */
function countMembers(lines: string[]): number {
  let count = 0
  let isBlank = false
  let isOpen = false
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') {
      isBlank = true
      continue
    }
    const isMember = memberLine.test(line) && (!isBlank || count === 0 || ownMember.test(line))
    const isPart = count > 0 && /^(?:[ \t]|- )/.test(line) && (!isBlank || isOpen)
    const isComment = count === 0 && line.startsWith('#')
    if (!isMember && !isPart && !isComment) {
      break
    }
    isOpen = isMember ? /[:：]\s*(?:[|>][-+]?\d?)?\s*$/.test(line) : isOpen
    count = isComment ? count : at + 1
    isBlank = false
  }
  return count
}

/** The members of TOML, whose numbers and times are texts as well. */
function readTomlMembers(text: string): ReturnType<typeof readYamlMembers> {
  try {
    const members: Record<string, unknown> = JSON.parse(JSON.stringify(parseToml(text)), (_name, value: unknown) =>
      typeof value === 'number' ? String(value) : value,
    )
    return { members, dropped: [] }
  } catch {
    // Texts without quotes, for instance.
    return readYamlMembers(text.replace(/^([\w-]+)[ \t]*=[ \t]*/gm, '$1: '))
  }
}
