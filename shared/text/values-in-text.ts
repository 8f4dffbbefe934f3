import retired from 'spdx-license-ids/deprecated.json' with { type: 'json' }
import current from 'spdx-license-ids/index.json' with { type: 'json' }
import { parseJson } from '../runtime/http-answers.js'

/**
 * An escaped character, or a separator. Not the end of an HTML character reference, which may be part of an e-mail
 * address (`jane&#64;mail.example`).
 */
const tokens =
  /\\([^\p{L}\p{N}\s])|[,|]|(?<!&(?:amp;){0,3}(?:#\w{1,10}|amp|commat|period|quot|shy|zwn?j|ZeroWidthSpace|NoBreak));/giu

/** The brackets around a list that a program has written as a text, with what closes each. */
const brackets: Record<string, string> = { '[': ']', '{': '}', '(': ')' }

/**
 * The items of a list in a text: separated by `,`, `|` or `;`, of which `\` makes a part of an item; or a list as
 * programs write one: JSON, Python's and numpy's (`['a', 'b']`, `['a' 'b']`), DuckDB's (`[a, 'b c']`), PostgreSQL's
 * (`{a,"b c"}`).
 */
export function splitList(text: string): string[] {
  return bracketedList(text.trim()) ?? separatedList(text)
}

/** Separators of other scripts. */
const otherSeparators = '，、；｜،؛'

const topicEnd = new RegExp(String.raw`[\r\n]+|(?<!\\)[${otherSeparators}]`)

const toEscape = new RegExp(String.raw`[\\,;|${otherSeparators}]`, 'g')

/**
 * As `splitList`, of topics, which may also be lines, or have the separators of other scripts, or be words with a `#` and
 * nothing but blanks between them.
 */
export const splitTopics = (text: string): string[] =>
  /^\s*#\S+(?:\s+#\S+)+\s*$/.test(text)
    ? text.trim().split(/[\s,;|]+/)
    : isBracketed(text)
      ? splitList(text)
      : text.split(topicEnd).flatMap(splitList)

/** Whether a text is a list in brackets. */
export const isBracketed = (text: string): boolean => bracketedList(text.trim()) !== null

/** A list as a text that `splitList` and `splitTopics` read, separated by `|`. */
export function joinList(items: readonly string[]): string {
  const joined = items.map((item) => item.replace(toEscape, '\\$&')).join('|')
  // Unescaped, the whole would be read as a list in brackets, or as a word for no value.
  return joined.replace(/^(\s*)([[{(<])/, '$1\\$2').replace(/^n(?=\/a$)/i, '$&\\')
}

function separatedList(text: string): string[] {
  const items = ['']
  let end = 0
  for (const token of text.matchAll(tokens)) {
    const [whole, escaped] = token
    items.push(`${items.pop()}${text.slice(end, token.index)}${escaped ?? ''}`)
    end = token.index + whole.length
    if (escaped === undefined) {
      items.push('')
    }
  }
  items.push(`${items.pop()}${text.slice(end)}`)
  return items
}

/** A quoted item, an item without quotes, or a separator, at the beginning of a rest of a list. */
const quotedItem = /\s*(?:u|b)?(?:"((?:[^"\\]|\\[\s\S]|"")*)"|'((?:[^'\\]|\\[\s\S]|'')*)')\s*/uy
const bareItem = /\s*([^,'"[\]{}()\s](?:[^,[\]{}]*[^,[\]{}\s])?)\s*/uy

/** Null for a text that is no list in brackets, or one of lists. */
function bracketedList(text: string): string[] | null {
  const closing = brackets[text[0] ?? '']
  if (closing === undefined || !text.endsWith(closing) || text.length < 2) {
    return null
  }
  const items: string[] = []
  const inner = text.slice(1, -1)
  let position = 0
  let separated = true
  while (position < inner.length) {
    const quoted = at(quotedItem, inner, position)
    const bare = quoted === null && separated ? at(bareItem, inner, position) : null
    const match = quoted ?? bare
    if (match === null) {
      return inner.slice(position).trim() === '' ? items : null
    }
    const [whole, double, single] = match
    position += whole.length
    if (bare === null) {
      items.push(unquoted(double ?? single ?? '', double === undefined ? "'" : '"'))
    } else if (!/^(?:null|none|nan)$/i.test(bare[1] ?? '') || /^[a-z]+$/.test(bare[1] ?? '')) {
      // Without quotes, NULL and None are no items.
      items.push(bare[1] ?? '')
    }
    // numpy separates by blanks alone.
    separated = inner[position] === ','
    if (!separated && (bare !== null || !/\s$/.test(whole)) && position < inner.length) {
      return null
    }
    position += separated ? 1 : 0
  }
  return items
}

function at(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  return pattern.exec(text)
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** The text between two quotes, with its escapes as JSON and Python write them, or with doubled quotes. */
const unquoted = (text: string, quote: string): string =>
  text.replace(
    /\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|U([\da-fA-F]{8})|([\s\S]))|""|''/g,
    (whole, short?: string, byte?: string, long?: string, character?: string) => {
      const code = short ?? byte ?? long
      if (code !== undefined) {
        return Number.parseInt(code, 16) <= 0x10ffff ? String.fromCodePoint(Number.parseInt(code, 16)) : whole
      }
      return character === undefined ? (whole[0] === quote ? quote : whole) : (escapes[character] ?? character)
    },
  )

/** More characters than the objects of records have. */
const maxObjectCharacters = 20_000

/** A text in quotes, or a word without them. A quote that is never closed takes all of the rest, which is read once. */
const objectTokens = /"(?:[^"\\]|\\[\s\S])*"?|'((?:[^'\\]|\\[\s\S])*)'?|[^\s'"{}[\],:][^'"{}[\],]*/g

/**
 * The object, or the list of objects, that a text is, as a cell of a table has it: in JSON, as Python prints it
 * (`{'private': True}`), or as DuckDB writes it (`{'name': MIT License}`).
 *
 * @returns null for any other text
 */
export function objectIn(text: string): unknown {
  if (text.length > maxObjectCharacters || !/^\s*(?:\[\s*)?\{/.test(text)) {
    return null
  }
  return parseJson(text) ?? parseJson(text.replace(objectTokens, toJson)) ?? null
}

function toJson(part: string, quoted?: string): string {
  if (part.startsWith('"')) {
    return part
  }
  const word = part.trim()
  if (quoted !== undefined) {
    return JSON.stringify(unquoted(quoted, "'"))
  }
  return /^(?:true|false)$/i.test(word)
    ? word.toLowerCase()
    : /^(?:none|null|nan)$/i.test(word)
      ? 'null'
      : /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(word)
        ? word
        : JSON.stringify(word)
}

/** Thousands, as a page shows them. */
const multiples: Record<string, number> = { k: 1_000, m: 1_000_000 }

/** What pages write around the number of stars. */
const aroundCount = /^[★☆⭐]\ufe0f?\s*|\s*(?:[★☆⭐]\ufe0f?|stars?)$|(?<=[\dkm])\+$/giu

/** The number in a text, however programs and pages write it; null for none. */
export function countIn(text: string): number | null {
  const plain = text.trim().slice(0, 100).normalize('NFKC').replace(aroundCount, '')
  const [, given = '', multiple = ''] =
    /^\+?(\d[\d.,_' \u00a0\u202f]*(?:e\+?\d{1,2})?)(?<! ) ?([km]?)$/i.exec(plain) ?? []
  // A comma before other than three digits is a decimal one, as in 1,2k and 12,0.
  const digits = given.replace(multiple === '' ? /^(\d+),(?=0{1,2}$)/ : /^(\d+),(?=\d{1,2}$)/, '$1.')
  // Groups of three digits, with one sign between all of them.
  const grouped = /^\d{1,3}([,_' \u00a0\u202f])\d{3}(?:\1\d{3})*(?:\.0*)?$|^\d{1,3}(\.)\d{3}(?:\.\d{3})+$/.exec(digits)
  const separator = grouped?.[1] ?? grouped?.[2]
  const number = separator === undefined ? digits : digits.split(separator).join('')
  if (!/^\d+(?:\.\d*)?(?:e\+?\d+)?$/i.test(number)) {
    return null
  }
  // Rounded as far as decimal fractions are inexact: 1.001k is 1001.
  const count = Number(number) * (multiples[multiple.toLowerCase()] ?? 1)
  return multiple === '' ? count : Math.round(count)
}

/** SPDX identifiers (https://spdx.org/licenses/) by their lower case; GitHub names GPL-3.0, which is retired. */
const licences = new Map([...retired, ...current].map((id) => [id.toLowerCase(), id]))

/** More characters than a name has that one of the identifiers stands for. */
const maxLicenceName = 100

/** The names of families of licences, and the beginnings of their identifiers. */
const families: [name: RegExp, id: string][] = [
  [/\b(?:gnu )?affero general public\b/, 'agpl'],
  [/\b(?:gnu )?(?:lesser|library) general public\b/, 'lgpl'],
  [/\b(?:gnu )?general public\b|\bgnu gpl\b/, 'gpl'],
  [/\bmozilla public\b/, 'mpl'],
  [/\beclipse public\b/, 'epl'],
  [/\beuropean union public\b/, 'eupl'],
  [/\bcreative commons zero\b/, 'cc0'],
  [/\bcreative commons attribution\b/, 'cc by'],
  [/^([23]) clause bsd\b/, 'bsd $1 clause'],
  [/^gnu (?=[al]?gpl)/, ''],
  // Its page, and the classifiers of PyPI.
  [/^https? (?:www\.)?apache\.org licenses license (2\.0)(?:\.\w+)?\b/, 'apache $1'],
  [/^(?:license )?osi approved\b/, ''],
]

/** Words of a name that its identifier leaves out. */
const licenceWords = /\b(?:the|licen[sc]ed?|version|universal|international|software|new or revised|simplified)\b/g

/** The name of a licence, of a text that begins with it and goes on with its terms; any other text as it is. */
export function licenceTitle(text: string): string {
  const [first = ''] = text
    .trim()
    .slice(0, 2 * maxLicenceName)
    .split(/[\r\n]/, 1)
  return licences.has(licenceName(first.trim()).toLowerCase()) ? first : text
}

/**
 * The SPDX identifier of a licence that is named in another way, such as `mit`, `MIT License`, `Apache License, Version 2.0`
 * or `GPLv3`; any other text as it is.
 */
export function licenceName(text: string): string {
  const known = licences.get(text.toLowerCase())
  if (known !== undefined || text.length > maxLicenceName) {
    return known ?? text
  }
  const [, ofPage = ''] =
    /^https?:\/\/(?:www\.)?(?:spdx|opensource)\.org\/licen[cs]es?\/([^/]+?)(?:\.\w{3,4})?\/?$/i.exec(text) ?? []
  if (licences.has(ofPage.toLowerCase())) {
    return licenceName(ofPage)
  }
  const [, name = '', inBrackets = ''] = /^([^()]+)\(([^()]+)\)$/.exec(text) ?? []
  if (name !== '') {
    // As in `The MIT License (MIT)`; in other brackets are exceptions.
    const [outer, inner] = [name.trim(), inBrackets].map(licenceName)
    return outer === inner ? String(inner) : text
  }
  const words = families
    .reduce((name, [pattern, id]) => name.replace(pattern, id), text.toLowerCase().replace(/[^a-z0-9.+]+/g, ' '))
    .replace(licenceWords, ' ')
    .replace(/(?<=\b|gpl|mpl|epl)v(?=\d)/g, ' ')
    .trim()
    .replace(/ +/g, '-')
  return licences.get(words) ?? licences.get(words.replace(/-(\d)$/, '-$1.0')) ?? text
}
