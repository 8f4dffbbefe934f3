import { isUnspaced } from '../text/analyze.js'
import { bracketed, gap, invisible, reference } from '../text/clean-text.js'

/** The position of an e-mail address in a text, in UTF-16 code units; `end` is exclusive. */
export interface AddressRange {
  start: number
  end: number
}

/** Maximum octets of a local part, and of a domain's label (RFC 5321, 4.5.3.1.1; RFC 1035, 2.3.4). */
const maxLocalPart = 64
const maxLabel = 63

/** Maximum labels of a domain of 255 octets (RFC 5321, 4.5.3.1.2). */
const maxLabels = 127

/** Maximum code units of an address without invisible characters: local part, sign and domain. */
export const maxEmailLength = maxLocalPart + 16 + 255

/** In scripts without spaces the start of a name is unknown: this number of characters before the sign is removed. */
const maxUnspacedName = 4

const gapOnLine = String.raw`[ \t${invisible}]{0,8}`
/** A disguised or invisible character; the named group says which character it stands for. */
const disguises = new RegExp(
  [
    `(?<none>[${invisible}]+|\\\\{1,2}(?=[@._+-]))`,
    `(?<at>[＠﹫]|%(?:25){0,3}40|${gapOnLine}${bracketed('at')}${gapOnLine})`,
    `(?<dot>[．․]|%(?:25){0,3}2e|${gap}${bracketed('dot')}${gap})`,
    '(?<quote>[“”„‟＂])',
    `${reference}(?:#0{0,8}(?<decimal>64|46|[1-9]\\d{0,5})|#x0{0,8}(?<hex>40|2e|[1-9a-f][\\da-f]{0,4})|(?<name>[a-z]{3,14}(?=;)));?`,
  ].join('|'),
  'giu',
)
const namedCharacters: Record<string, string> = { commat: '@', period: '.', quot: '"' }
const hiddenNames = /^(?:shy|zwn?j|lrm|rlm|zerowidthspace|nobreak|invisible(?:times|comma)|applyfunction)$/i

const ideographicDot = /[。｡]/y
const ordinaryDot = /\./y
const addressLiteral = /\[(?:IPv6:)?[0-9A-Fa-f:.]{2,64}\]/iy

/** Endings of file and unit names (`icon@2x.png`, `getty@tty1.service`), which are not domains. */
const fileSuffix = /^(?:png|jpe?g|gif|svg|webp|js|ts|json|ya?ml|html|css|service|socket|timer)$/i

const topLevel = /^(?:[\p{L}\p{M}]{2,63}|xn--[a-z0-9-]{1,59})$/iu
const hiddenCharacter = new RegExp(`^[${invisible}]$`, 'u')

/** Kinds of characters in an address: of a word, of a word without spaces, punctuation of a local part. */
type Kind = 'spaced' | 'unspaced' | 'punctuation' | 'other'

/**
 * Finds the e-mail addresses of a text, in order: with a quoted local part or an address literal (RFC 5321, 4.1.2),
 * international ones (RFC 6531), and disguised ones, see `disguises`.
 *
 * Not addresses: a sign without a domain that has a top level (`user@localhost`, `@scope/package`, `name@1.2.3`,
 * `name@latest`), and `git@` anything.
 *
 * Linear: from each sign it reads at most the length of a local part to the left, and to the right up to the next
 * sign.
 */
export function* findAddresses(text: string): Generator<AddressRange> {
  const { plain, toOffset } = withoutDisguise(text)
  let floor = 0
  for (const match of plain.matchAll(/@+/g)) {
    if (match.index < floor) {
      continue
    }
    const start = localPartStart(plain, match.index, floor)
    const end = start === null ? null : domainEndOf(plain, match.index + match[0].length)
    // The SSH account of a repository (`git@github.com:owner/repo`) belongs to a server, not a person.
    if (start !== null && end !== null && plain.slice(start, match.index) !== 'git') {
      yield { start: toOffset(start), end: toOffset(end) }
      floor = end
    }
  }
}

/**
 * The text with every disguised character replaced and invisible ones removed. `toOffset` returns the offset in the
 * text of an index in `plain`; call it with ascending indexes.
 */
function withoutDisguise(text: string): { plain: string; toOffset: (index: number) => number } {
  const resumes: { index: number; offset: number }[] = [{ index: 0, offset: 0 }]
  let [plain, from] = ['', 0]
  for (const match of text.matchAll(disguises)) {
    plain += text.slice(from, match.index) + replacementOf(match)
    from = match.index + match[0].length
    resumes.push({ index: plain.length, offset: from })
  }
  plain += text.slice(from)
  let [next, last] = [0, { index: 0, offset: 0 }]
  const toOffset = (index: number): number => {
    for (let resume = resumes[next]; resume !== undefined && resume.index <= index; resume = resumes[next]) {
      last = resume
      next += 1
    }
    return last.offset + index - last.index
  }
  return { plain, toOffset }
}

/** The character that a disguise stands for; empty for an invisible one. */
function replacementOf(match: RegExpExecArray): string {
  const { none, at, dot, quote, decimal, hex, name } = match.groups ?? {}
  if (none !== undefined || (name !== undefined && hiddenNames.test(name))) {
    return ''
  }
  if (name !== undefined) {
    return namedCharacters[name.toLowerCase()] ?? match[0]
  }
  if (decimal !== undefined || hex !== undefined) {
    const character = String.fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal))
    return hiddenCharacter.test(character) ? '' : character
  }
  return (at && '@') ?? (dot && '.') ?? (quote && '"') ?? match[0]
}

/** The start of the local part that ends before `end`; null when there is none. */
function localPartStart(text: string, end: number, floor: number): number | null {
  if (text[end - 1] === '"') {
    return quotedStart(text, end - 1, floor)
  }
  let start: number | null = null
  let script: 'spaced' | 'unspaced' | null = null
  let at = end
  for (let characters = 0; at > floor && characters < maxLocalPart; characters += 1) {
    const character = characterBefore(text, at)
    const kind = kindOf(character)
    if (
      kind === 'other' ||
      (kind === 'unspaced' && script === 'spaced') ||
      (kind === 'spaced' && script === 'unspaced')
    ) {
      break
    }
    at -= character.length
    if (kind === 'spaced' || kind === 'unspaced') {
      script = kind
      start = at
    }
    if (script === 'unspaced' && characters + 1 === maxUnspacedName) {
      break
    }
  }
  return start
}

/**
 * The start of a quoted local part whose closing quote is at `close`; null when there is none. In `"domain":
 * "@acme.org"` the quote before the sign opens a text instead: the quote before it follows a word.
 */
function quotedStart(text: string, close: number, floor: number): number | null {
  const least = Math.max(floor, close - maxLocalPart)
  for (let at = close - 1; at >= least && text[at] !== '\n'; at -= 1) {
    if (text[at] === '"' && text[at - 1] !== '\\') {
      const opens = at === 0 || /[\s<(:,;=>]/.test(text.charAt(at - 1))
      return opens && /[\p{L}\p{N}]/u.test(text.slice(at, close)) ? at : null
    }
  }
  return null
}

/** The end of the domain that begins at `from`; null when there is none with a top level. */
function domainEndOf(text: string, from: number): number | null {
  let at = from
  const literal = endOf(addressLiteral, text, at)
  if (literal !== null) {
    return literal
  }
  const labels: string[] = []
  let [dots, end, script]: [RegExp | null, number | null, Kind] = [null, null, 'other']
  while (labels.length < maxLabels) {
    const label = readLabel(text, at)
    // After a Chinese or Japanese full stop, another script begins another sentence.
    if (label === null || (dots === ideographicDot && label.script !== script)) {
      break
    }
    labels.push(label.text)
    script = label.script
    if (labels.length > 1 && topLevel.test(label.text) && !fileSuffix.test(label.text)) {
      end = label.end
    }
    const dot = label.end
    const kinds: RegExp[] = dots === null ? [ordinaryDot, ideographicDot] : [dots]
    dots = kinds.find((kind) => endOf(kind, text, dot) !== null) ?? null
    if (dots === null) {
      break
    }
    at = endOf(dots, text, dot) ?? dot
  }
  // Numbers after the sign are a version: 1.2.3, 2.0.0-rc.next.
  const isVersion = /^v?\d+$/.test(labels[0] ?? '') && /^\d/.test(labels[1] ?? '')
  return isVersion ? null : end
}

/** The domain label that begins at `from`: letters, digits and hyphens of one kind of script. */
function readLabel(text: string, from: number): { text: string; end: number; script: Kind } | null {
  let [end, characters, script]: [number, number, Kind] = [from, 0, 'other']
  while (end < text.length) {
    const character = String.fromCodePoint(text.codePointAt(end) ?? 0)
    const kind: Kind = script !== 'other' && /^[0-9-]$/.test(character) ? script : kindOf(character)
    const isLetter = kind === 'spaced' || kind === 'unspaced'
    if (!isLetter || (characters > 0 && kind !== script)) {
      break
    }
    script = kind
    end += character.length
    characters += 1
    if (characters > maxLabel) {
      return null
    }
  }
  return characters === 0 ? null : { text: text.slice(from, end), end, script }
}

function kindOf(character: string): Kind {
  if (/^[A-Za-z0-9_]$/.test(character)) {
    return 'spaced'
  }
  if (/^[.%+'＿＋－-]$/.test(character)) {
    return 'punctuation'
  }
  if (!/^[\p{L}\p{N}\p{M}]$/u.test(character)) {
    return 'other'
  }
  return isUnspaced(character) ? 'unspaced' : 'spaced'
}

function characterBefore(text: string, at: number): string {
  const pair = at >= 2 ? (text.codePointAt(at - 2) ?? 0) : 0
  return pair > 0xffff ? String.fromCodePoint(pair) : text.charAt(at - 1)
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}
