import { Composer, type CST, type Document, isMap, isNode, isScalar, isSeq, Lexer, Parser, type YAMLMap } from 'yaml'
import { comparableName, importNames, knownNames, lifecycleObjects, namesOf } from '../records/field-names.js'
import { maxNesting } from '../records/fields.js'
import { lifecycleFields } from '../records/lifecycle-names.js'
import { mergedInto } from './yaml-merges.js'

/** The members of front matter, and what was left out of it. */
export interface Members {
  members: Record<string, unknown>
  /** What was left out of them, and why. */
  dropped: string[]
}

/** Why front matter cannot be read. */
export interface Unreadable {
  reason: string
  /** Whether it may say that the skill is not published. */
  mayWithdraw?: true
}

/** A line with a member that only a skill's front matter has, perhaps with the colon or the blank of another script. */
export const ownMember = /^["']?(?:name|title|description)["']?[ \u00a0]*[:：]/im

/** All scalars stay text: as a number, version 1.10 would become 1.1, and as a boolean the name `yes` would be `true`. */
const options = { schema: 'failsafe', uniqueKeys: false, logLevel: 'error' } as const

/** Fields of one text: where YAML sees a list or an object in it, its writer meant the text. */
const texts = namesOf('skills', 'name', 'description')

const lifecycleNames = namesOf('skills', ...lifecycleFields)

/** Fields in which either of two values may be meant, and the wrong one names or publishes another skill. */
const decisive = new Set(['name', ...lifecycleNames])

/**
 * Reads the members of YAML. When it is not valid, each of them is read by itself: a text with a colon or a quote in it is
 * often not quoted. A member that cannot be read is left out, and so is the second of two.
 *
 * @returns why it cannot be read, or null where it has no names with values
 */
export function readYamlMembers(given: string): Members | Unreadable | null {
  const text = outdented(given)
  const whole = parse(text)
  if (whole === 'nested') {
    return { reason: `is nested deeper than ${maxNesting} levels`, mayWithdraw: true }
  }
  try {
    const found = pairsIn(whole, text)
    if (found !== null || (whole.errors.length === 0 && !ownMember.test(text))) {
      return found && unite(found, [])
    }
    const dropped: string[] = []
    return unite(readOneByOne(text, dropped), dropped)
  } catch (error) {
    // Aliases that stand for millions of values.
    return { reason: `is not valid YAML: ${String(error)}`, mayWithdraw: true }
  }
}

/** A member with its value on its line, and one with the sign of a block of lines. */
const plainMember = /^[A-Za-z][\w-]*:[ \t]+[^\s|>"'[{&*!#]/
const blockMember = /^[A-Za-z][\w-]*:[ \t]+[|>]/

/**
 * YAML without blanks before its members: before all of them, or before a known one that is nowhere else and is indented
 * below the value of another, which YAML would read on, or less than that. A description goes on with anything but a name
 * and a single word.
 */
function outdented(text: string): string {
  const lines = text.split('\n')
  const base = indentOf(lines.find((line) => line.trim() !== '') ?? '')
  const given = new Set(lines.filter((line) => indentOf(line) <= base).map(nameIn))
  let above = ''
  /** The indent of what belongs to the value above; null: as the next line. */
  let needed: number | null = 0
  const read = lines.map((each) => {
    const line = each.slice(Math.min(base, indentOf(each)))
    const indent = indentOf(line)
    if (line.trim() === '' || (indent === 0 && line.startsWith('#'))) {
      return line
    }
    if (indent > 0 && (needed === null || indent >= needed || given.has(nameIn(line)) || !isMember(line, above))) {
      needed = needed === null || needed === Number.POSITIVE_INFINITY ? indent : needed
      return line
    }
    above = line.trimStart()
    needed = plainMember.test(above) ? Number.POSITIVE_INFINITY : blockMember.test(above) ? null : 0
    return above
  })
  return read.join('\n')
}

const indentOf = (line: string): number => line.length - line.replace(/^ +/, '').length

/** The name of a member, as it is compared; empty: the line has none. */
const nameIn = (line: string): string => comparableName(/^ *([A-Za-z][\w-]*):(?:\s|$)/.exec(line)?.[1] ?? '')

/** Whether an indented line is a member of its own, below another one. */
function isMember(line: string, above: string): boolean {
  const areKnown = [line, above].every((each) => knownNames.skills.has(nameIn(each)))
  const isInText = importNames.skills.description.includes(nameIn(above))
  return areKnown && (isInText ? /: +\S+\s*$/ : /: +\S/).test(line)
}

/** Whether a member is the object of the specification for what it has no member of its own for. */
export const isMetadata = (name: string): boolean => comparableName(name) === 'metadata'

interface Pair {
  name: string
  value: unknown
  /** The members of `metadata`, which count as much as those around it. */
  inner?: Pair[]
  /** Whether the value is the text of members, which is not valid as a whole. */
  isBlock?: true
  /** Whether a text without quotes ends, or is nothing, where YAML sees a comment: its writer may have meant the sign. */
  isCut?: true
}

/** Syntax first: composing recurses for each level, and a stack that is nearly full can end the process. */
function parse(text: string): Document.Parsed | 'nested' {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme))
    // The document and the scalar being read are among its levels as well.
    if (parser.stack.length > maxNesting + 2) {
      return 'nested'
    }
  }
  tokens.push(...parser.end())
  const [document] = new Composer(options).compose(tokens, true, text.length)
  if (document === undefined) {
    throw new Error('YAML was composed to no document')
  }
  return document
}

/** The members of a document; null: it is not valid, also for an alias of nothing, as `*Bold*` is one. */
function pairsIn(document: Document.Parsed, text: string): Pair[] | null {
  try {
    return document.errors.length === 0 ? pairsOf(document.contents, document, text) : null
  } catch (error) {
    if (error instanceof ReferenceError && error.message.startsWith('Unresolved alias')) {
      return null
    }
    throw error
  }
}

/** The members of a document; null: it is a list or a single value. Empty text has none. */
function pairsOf(contents: unknown, document: Document.Parsed, text: string): Pair[] | null {
  if (contents === null || (isScalar(contents) && String(contents.value ?? '') === '')) {
    return []
  }
  if (!isMap(contents)) {
    return null
  }
  const others = [...mergedInto(contents, document)]
  const own = ownPairsOf(contents, document, text)
  const merged = others.flatMap((map) => ownPairsOf(map, document, text))
  const names = new Set(own.map(({ name }) => name))
  return [...own, ...merged.filter(({ name }) => !names.has(name) && names.add(name))]
}

const ownPairsOf = (map: YAMLMap, document: Document.Parsed, text: string): Pair[] =>
  map.items.map(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : writtenAs(key, text)
    const inner = isMetadata(name) && isMap(value) ? pairsOf(value, document, text) : undefined
    const isPlain = isScalar(value) && value.type === 'PLAIN' && value.comment
    const isCut = isPlain && (value.value === '' ? knownNames.skills : texts).has(comparableName(name))
    return {
      name,
      value: valueIn(name, value, document, text),
      ...(inner && { inner }),
      ...(isCut && { isCut: true }),
    }
  })

/** A node as it is written. */
const writtenAs = (node: unknown, text: string): string =>
  isNode(node) && node.range ? text.slice(node.range[0], node.range[1]) : ''

/** A language, as the name of a text in it. */
const language = /^[a-z]{2}(?:[-_]\w+)?$|^default$/

function valueIn(name: string, node: unknown, document: Document.Parsed, text: string): unknown {
  const plain: unknown = isNode(node) ? node.toJS(document) : ''
  if (texts.has(comparableName(name)) && isScalar(node) && /^!\w/.test(node.tag ?? '') && node.type === 'PLAIN') {
    // A word with an exclamation mark before it, which its writer did not mean as a type.
    return `${node.tag} ${String(plain)}`.trim()
  }
  if (!texts.has(comparableName(name)) || isScalar(node) || typeof plain !== 'object') {
    return plain
  }
  const isWritten = isSeq(node)
    ? !node.items.every((item) => isScalar(item))
    : !isMap(node) || !node.items.every(({ key, value }) => language.test(String(key)) && String(value ?? '') !== '')
  // As `{{name}}` and `[say when to use it]` of a template; a text by language stays.
  return isWritten ? linesOf(writtenAs(node, text)).join(' ') : plain
}

/** The lines of a text that are not blank, without the space around them. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** What begins a member. */
const memberStart = /^(?=[^\s#:-][^:\n]*:(?:\s|$))/m

/** The value of a member that has members of its own, on the lines below it. */
const block = /^[ \t]*\n(?:[ \t]*\n)*[ \t]+["']?[A-Za-z][\w.-]*["']?[ \t]*:(?:\s|$)/

function readOneByOne(text: string, dropped: string[]): Pair[] {
  const spaced = text
    .replace(/[\u00a0\u3000]/g, ' ')
    .replace(/^([A-Za-z][\w-]*) *(?:：|:(?=[^\s:/])) */gm, '$1: ')
    // Tabs do not indent in YAML.
    .replace(/^\t+/gm, (tabs) => '  '.repeat(tabs.length))
  return spaced.split(memberStart).flatMap((member) => {
    const [, name = '', value = ''] = /^([^\s:][^:\n]*):([\s\S]*)$/.exec(member) ?? []
    for (const candidate of [member, quoted(name, value)]) {
      const document = candidate === null ? 'nested' : parse(candidate)
      const pairs = document === 'nested' ? null : pairsIn(document, candidate ?? '')
      if (pairs !== null) {
        return pairs
      }
      if (block.test(value) && !texts.has(comparableName(name))) {
        return [{ name, value, isBlock: true }]
      }
    }
    const shown = name === '' ? member.trim().slice(0, 60) : name
    if (mayWithdraw(name, value)) {
      throw new Error(`${shown} may say that it is not published`)
    }
    dropped.push(`${shown}: is not valid YAML`)
    return []
  })
}

/** Whether a member that cannot be read has the name of a field that withdraws a skill, or holds one as an object may. */
const mayWithdraw = (name: string, value: string): boolean => {
  const inner = [...value.matchAll(/(?<![\w-])([\w-]+)["']?\s*:/g)].map(([, key = '']) => key)
  const names = lifecycleObjects.has(comparableName(name)) ? inner : [name]
  return names.some((each) => lifecycleNames.has(comparableName(each)))
}

/** A member with its value as a text, or as a list of texts; null: it seems to be neither. */
function quoted(name: string, value: string): string | null {
  const isText = texts.has(comparableName(name))
  // The sign of a block, whose text is on its line, or is not indented.
  const lines = linesOf(isText ? value.replace(/^\s*[|>](?:[-+]\d?|\d[-+]?)?(?=\s)/, '') : value)
  if (name === '' || lines.length === 0 || (!isText && /^[{[&*!|>]/.test(lines[0] ?? ''))) {
    return null
  }
  const isList = lines.every((line) => /^- /.test(line))
  const items = isList ? lines.map((line) => line.slice(2)) : [lines.join(' ')]
  const scalars = items.map((line) => JSON.stringify(unquoted(line.trim())))
  return `${name}: ${isList ? `[${scalars.join(', ')}]` : scalars[0]}\n`
}

/** A text without the quotes around it, or without an opening quote that is never closed. */
const unquoted = (text: string): string => text.replace(/^(["'])(.*)\1$/, '$2').replace(/^(["'])(?=[^"']*$)/, '')

/** The members by their names, each once. */
function unite(pairs: Pair[], dropped: string[]): Members | Unreadable {
  const members = new Map<string, unknown>()
  for (const { name, value, inner, isBlock, isCut } of pairs) {
    if (isCut) {
      dropped.push(`${name}: all after " #", which begins a comment in YAML unless the text is in quotes`)
    }
    const isText = isBlock || (isMetadata(name) && typeof value === 'string')
    const within = !inner && isText ? readYamlMembers(String(value)) : null
    const united = inner ? unite(inner, dropped) : within
    dropped.push(...(within && 'dropped' in within ? within.dropped.map((each) => `${name}.${each}`) : []))
    if (united !== null && 'reason' in united) {
      return united
    }
    const before = members.get(name)
    if (before === undefined) {
      members.set(name, united?.members ?? value)
    } else if (JSON.stringify(before) !== JSON.stringify(united?.members ?? value)) {
      if (decisive.has(comparableName(name))) {
        const reason = `has ${JSON.stringify(name)} twice: leave one of them`
        return { reason, ...(name !== 'name' && { mayWithdraw: true }) }
      }
      dropped.push(`${name}: is there twice, and the first is used`)
    }
  }
  return { members: Object.fromEntries(members), dropped }
}
