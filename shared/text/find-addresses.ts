import { isUnspaced } from './analyze.js'

/** Where an e-mail address is in a text, in UTF-16 code units; `end` is the first one after it. */
export interface AddressRange {
  start: number
  end: number
}

/** The most octets of a local part, and of a domain's label (RFC 5321, 4.5.3.1.1; RFC 1035, 2.3.4). */
const maxLocalPart = 64
const maxLabel = 63

/** The most labels that a domain of 255 octets can have (RFC 5321, 4.5.3.1.2). */
const maxLabels = 127

/** The most code units of an address without invisible characters: a local part, a sign, a domain. */
export const maxAddressLength = maxLocalPart + 16 + 255

/** A script without spaces does not show where a name begins: so many characters before the sign are taken for it. */
const maxUnspacedName = 4

// Characters that are not displayed, such as the zero-width space and the soft hyphen: all are one UTF-16 code unit.
const hidden = String.raw`\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8`
const gap = String.raw`[\s${hidden}]{0,8}`
const inWord = `[${hidden}]{0,8}`
const bracketed = (word: string): string => `${gap}[([{]${gap}${word}${gap}[)\\]}]${gap}`

/**
 * Every way of writing the sign `@`: itself, full-width, small, percent-encoded, as a character reference of HTML, and
 * as a bracketed word. No part of it repeats without a bound, so that a search is linear.
 */
const signs = `[@＠﹫]|%40|&#0{0,8}64;?|&#[xX]0{0,8}40;?|&[cC][oO][mM][mM][aA][tT];|[([{]${gap}[aA]${inWord}[tT]${gap}[)\\]}]`
const sign = new RegExp(signs)
const eachSign = new RegExp(signs, 'g')

const ordinaryDot = new RegExp(
  `[.．․]|%2[eE]|&#0{0,8}46;?|&#[xX]0{0,8}2[eE];?|&period;|${bracketed(`[dD]${inWord}[oO]${inWord}[tT]`)}`,
  'y',
)
const ideographicDot = /[。｡]/y
const addressLiteral = /\[(?:IPv6:)?[0-9A-Fa-f:.]{2,64}\]/iy

/** What ends the name of a file or a unit (`icon@2x.png`, `getty@tty1.service`) and no domain. */
const fileSuffix = /^(?:png|jpe?g|gif|svg|webp|js|ts|json|ya?ml|html|css|service|socket|timer)$/i

const topLevel = /^(?:[\p{L}\p{M}]{2,63}|xn--[a-z0-9-]{1,59})$/iu
const hiddenCharacters = new RegExp(`[${hidden}]+`, 'g')
const hiddenCharacter = new RegExp(`^[${hidden}]$`)

/** What a character can be in an address: part of a word, of a word without spaces, punctuation of a local part. */
type Kind = 'spaced' | 'unspaced' | 'punctuation' | 'hidden' | 'other'

/** Whether a text may hold an address. False for most texts, and cheap. */
export const mayHoldAddress = (text: string): boolean => sign.test(text)

/**
 * Finds the e-mail addresses of a text, in order: with a quoted local part or an address literal (RFC 5321, 4.1.2),
 * international ones (RFC 6531), and those that are disguised by another sign, other dots or invisible characters.
 *
 * Not addresses: a sign without a domain that has a top level (`user@localhost`, `@scope/package`, `name@1.2.3`,
 * `name@latest`), and `git@` anything.
 *
 * Linear: from each sign it looks left as far as the sign before it, right as far as the sign after it, and at no more
 * visible characters than an address can have.
 */
export function* findAddresses(text: string): Generator<AddressRange> {
  let floor = 0
  for (const match of text.matchAll(eachSign)) {
    const end = match.index + match[0].length
    if (match.index < floor) {
      continue
    }
    const isBracketed = /^[([{]/.test(match[0])
    const start = localPartStart(text, match.index, floor, isBracketed)
    const domainEnd = start === null ? null : domainEndOf(text, end, isBracketed)
    // The account of repositories by SSH (`git@github.com:owner/repo`) is a server's, no person's.
    if (start !== null && domainEnd !== null && text.slice(start, match.index) !== 'git') {
      yield { start, end: domainEnd }
      floor = domainEnd
    } else {
      floor = end
    }
  }
}

/** Where the local part begins that ends before `end`; null when there is none. */
function localPartStart(text: string, end: number, floor: number, isBracketed: boolean): number | null {
  const from = isBracketed ? skipBack(text, end, floor, 8) : end
  if (text[from - 1] === '"') {
    return quotedStart(text, from - 1, floor)
  }
  let start: number | null = null
  let script: 'spaced' | 'unspaced' | null = null
  let at = from
  for (let characters = 0; at > floor && characters < maxLocalPart; ) {
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
    characters += kind === 'hidden' ? 0 : 1
    if (script === 'unspaced' && characters === maxUnspacedName) {
      break
    }
  }
  return start
}

/**
 * Where a quoted local part begins whose closing quote is at `close`; null when there is none. In `"domain": "@acme.org"`
 * the quote before the sign opens a text instead: the one before it follows a word.
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

/** Where the domain ends that begins at `from`; null when there is none with a top level. */
function domainEndOf(text: string, from: number, isBracketed: boolean): number | null {
  let at = isBracketed ? skip(text, from, 8) : skipHidden(text, from)
  const literal = endOf(addressLiteral, text, at)
  if (literal !== null) {
    return literal
  }
  const labels: string[] = []
  let [dots, end, script]: [RegExp | null, number | null, Kind] = [null, null, 'other']
  while (labels.length < maxLabels) {
    const label = readLabel(text, at)
    // After a full stop of Chinese or Japanese, another script is another sentence.
    if (label === null || (dots === ideographicDot && label.script !== script)) {
      break
    }
    labels.push(label.text)
    script = label.script
    if (labels.length > 1 && topLevel.test(label.text) && !fileSuffix.test(label.text)) {
      end = label.end
    }
    const dot = skipHidden(text, label.end)
    const kinds: RegExp[] = dots === null ? [ordinaryDot, ideographicDot] : [dots]
    dots = kinds.find((kind) => endOf(kind, text, dot) !== null) ?? null
    if (dots === null) {
      break
    }
    at = skipHidden(text, endOf(dots, text, dot) ?? dot)
  }
  // Numbers after the sign are a version: 1.2.3, 2.0.0-rc.next.
  const isVersion = /^v?\d+$/.test(labels[0] ?? '') && /^\d/.test(labels[1] ?? '')
  return isVersion ? null : end
}

/** The label of a domain that begins at `from`: letters, digits and hyphens of one kind of script. */
function readLabel(text: string, from: number): { text: string; end: number; script: Kind } | null {
  let [at, end, characters, script]: [number, number, number, Kind] = [from, from, 0, 'other']
  while (at < text.length) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    const kind: Kind = script !== 'other' && /^[0-9-]$/.test(character) ? script : kindOf(character)
    const isLetter = kind === 'spaced' || kind === 'unspaced'
    if (kind !== 'hidden' && (!isLetter || (characters > 0 && kind !== script))) {
      break
    }
    at += character.length
    if (isLetter) {
      script = kind
      end = at
      characters += 1
      if (characters > maxLabel) {
        return null
      }
    }
  }
  return characters === 0 ? null : { text: text.slice(from, end).replace(hiddenCharacters, ''), end, script }
}

function kindOf(character: string): Kind {
  if (/^[A-Za-z0-9_]$/.test(character)) {
    return 'spaced'
  }
  if (/^[.%+'＿．＋－-]$/.test(character)) {
    return 'punctuation'
  }
  if (hiddenCharacter.test(character)) {
    return 'hidden'
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

function skipHidden(text: string, from: number): number {
  let at = from
  while (at < text.length && hiddenCharacter.test(text.charAt(at))) {
    at += 1
  }
  return at
}

/** Past at most so many spaces and invisible characters, to the right. */
function skip(text: string, from: number, most: number): number {
  let at = from
  while (at < from + most && isBlank(text.charAt(at))) {
    at += 1
  }
  return at
}

/** As `skip`, to the left, no further than `floor`. */
function skipBack(text: string, from: number, floor: number, most: number): number {
  let at = from
  while (at > floor && at > from - most && isBlank(text.charAt(at - 1))) {
    at -= 1
  }
  return at
}

const isBlank = (character: string): boolean => /^[ \t]$/.test(character) || hiddenCharacter.test(character)

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}
