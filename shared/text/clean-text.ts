/** Half of a surrogate pair: not a character, and not encodable as UTF-8. */
const loneSurrogates = /\p{Surrogate}/gu

/** Control characters other than tab and line feed. */
const controls = /(?![\t\n])\p{Cc}/gu

/**
 * The characters that nobody sees, for a class of a regular expression with the flag `u`: those that Unicode names default ignorable (joiners, marks of direction, tags,
 * soft hyphens, variation selectors, the byte order mark), marks of annotations, and noncharacters.
 */
export const invisible = String.raw`\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufff9-\ufffb`

/** Scripts in which a joiner after a letter or mark changes how it looks. */
const joiningScripts = [
  ...['Arabic', 'Syriac', 'Nko', 'Mandaic', 'Mongolian', 'Phags_Pa', 'Adlam', 'Hanifi_Rohingya'],
  ...['Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala'],
  ...['Tibetan', 'Myanmar', 'Khmer', 'Balinese', 'Javanese'],
]
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('')

const pictograph = String.raw`\p{Extended_Pictographic}`

/** The flags of England, Scotland and Wales, which are spelled with tags. */
const tagFlags = ['gbeng', 'gbsct', 'gbwls'].map(
  (name) =>
    `\u{1f3f4}${[...name].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')}\u{e007f}`,
)

/** Invisible characters that change what is seen, each after the character that it changes. */
const effective = [
  `(?<=[${joiningScripts}])[\\u200c\\u200d]`,
  `(?<=${pictograph}\\p{Emoji_Modifier}?\\ufe0f?)\\u200d(?=${pictograph})`,
  `(?<=[${pictograph}\\p{Emoji_Modifier}])[\\ufe0e\\ufe0f]`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  String.raw`(?<=[\p{Script=Han}\p{Script=Myanmar}\p{Script=Phags_Pa}\p{Sm}])[\ufe00-\ufe02]`,
  String.raw`(?<=\p{Script=Han})[\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=\p{Script=Mongolian})[\u180b-\u180f]`,
].join('|')

/** The flags, which stay, or a character without any effect. */
const ineffective = new RegExp(`(${tagFlags.join('|')})|(?=[${invisible}])(?!${effective})[^]`, 'gu')

/** ASCII has no invisible characters. */
const ascii = /^\p{ASCII}*$/u

/** Text without invisible characters: an instruction to a model, or an e-mail address, could hide in them. */
export const visibleText = (text: string): string => (ascii.test(text) ? text : text.replace(ineffective, '$1'))

/** Text without control characters but tab and line feed, and without lone surrogates. */
export const withoutControls = (text: string): string => text.replace(controls, '').replace(loneSurrogates, '')

const lineBreaks = /\r\n?|[\u2028\u2029\u0085]/g

/** Combining marks beyond the 30 that the Stream-Safe Text Format allows in a row (UAX #15, section 13). */
const excessMarks = /(\p{M}{30})\p{M}+/gu

/** A visible character, as opposed to spaces, marks and format characters. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/**
 * Limits a text to 30 combining marks in a row, more than any language needs. Normalizing is then linear: longer rows
 * of marks are sorted in quadratic time, 5 seconds for 160,000.
 */
export const limitMarks = (text: string): string => text.replace(excessMarks, '$1')

/** Text of visible ASCII characters, with spaces and line feeds only within: it is clean as it is. */
const plainAscii = /^[!-~](?:[\n -~]*[!-~])?$/

/**
 * Cleans a text of any length for the catalog: NFC, line breaks as line feeds, without control characters, invisible
 * characters and lone surrogates, trimmed. Joiners and variation selectors stay where they change what is seen: in
 * emoji, and in scripts that need them.
 *
 * @returns null when nothing visible is left
 */
export function cleanText(text: string): string | null {
  if (plainAscii.test(text)) {
    return text
  }
  const plain = withoutControls(text.replace(lineBreaks, '\n'))
  const cleaned = limitMarks(visibleText(plain)).normalize('NFC').trim()
  return visible.test(cleaned) ? cleaned : null
}

/** As `cleanText`, on one line: line breaks and tabs become spaces, and runs of spaces one space. */
export function cleanLine(text: string): string | null {
  return cleanText(text)?.replace(/\s+/g, ' ') ?? null
}

/** The first characters of a text, without half of a surrogate pair at the end. */
export const wholeStart = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

/** A text of at most this number of characters; a longer one is shortened and ends with an ellipsis. */
export const shorten = (text: string, maxCharacters: number): string =>
  text.length <= maxCharacters ? text : cut(text, maxCharacters)

/** The beginning of a text and an ellipsis, together at most this number of characters. */
export function cut(text: string, maxCharacters: number): string {
  // Do not keep half of a surrogate pair.
  const kept = text.slice(0, maxCharacters - 1).replace(loneSurrogates, '')
  return `${kept.trimEnd()}…`
}

/**
 * Makes foreign text safe for a terminal: characters that could move the cursor or change colours become question
 * marks, and invisible ones, which could turn the direction of a line, are removed.
 */
export const printable = (text: string): string => visibleText(text).replace(/(?!\n)\p{Cc}/gu, '?')

/** As `printable`, on one line, so that a foreign text cannot look like lines of the program's own. */
export const printableLine = (text: string): string => printable(text.replace(/\s+/g, ' ').trim())

/**
 * A foreign value as text. `String` alone throws for an object whose member `toString` is no function, and a record
 * from JSON or a database may have one.
 */
export function inText(value: unknown): string {
  try {
    return String(value)
  } catch {
    return JSON.stringify(value)
  }
}

/** Spaces and invisible characters that stand within a disguised address, for a regular expression with the flag `u`. */
export const gap = String.raw`[\s${invisible}]{0,8}`

/** A word in brackets, as `[at]`, for the same. */
export const bracketed = (letters: string): string =>
  `[([{]${gap}${letters.split('').join(`[${invisible}]{0,8}`)}${gap}[)\\]}]`

/** The start of an HTML character reference, also of one that was encoded twice. */
export const reference = '&(?:amp;|#0{0,8}38;){0,3}'

/** The ways to write the sign `@` in any address. All repetitions are bounded, so that a search is linear. */
export const writtenSign = `[@＠﹫]|%(?:25){0,3}40|${reference}(?:#0{0,8}64|#x0{0,8}40|commat)`

const signOfEmail = new RegExp(`${writtenSign}|${bracketed('at')}`, 'iu')

/** Whether a text may have an e-mail address. False for most texts, and cheap: what finds them is then not asked. */
export const mayHoldAddress = (text: string): boolean => signOfEmail.test(text)

const mayHoldSome = new RegExp(`${writtenSign}|[?&#;][^\\s=&#?;<>"]{1,60}=`, 'i')

/** Of keys and tokens that their form shows. Apart: ignoring case would make it slower. */
const mayHoldKey = /gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|sk-|k_live_|AIza|npm_|hf_|PRIVATE KEY/

/** Whether a text may have credentials. Cheap. */
export const mayHoldCredentials = (text: string): boolean => mayHoldSome.test(text) || mayHoldKey.test(text)

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes a text as HTML, for an element or a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
