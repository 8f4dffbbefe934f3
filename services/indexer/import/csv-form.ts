import { repositoryOf, toRepositoryAddress } from '../../../shared/fields/web-address.js'
import { comparableName, namesOf } from '../../../shared/records/field-names.js'

/** How the rows of a file are written. */
export interface CsvForm {
  delimiter: string
  /** What ends a row; none: what ends the first one. */
  lineEnds: string[]
  /** The line of the header, after one that only names the separator. */
  firstLine: number
  /** Whether it is a table of Markdown, in which `\|` is no separator. */
  isMarkdown: boolean
  /** Whether cells may be in quotes; false: quotes are text. */
  hasQuotes: boolean
  /** Whether a quote within a quoted cell has a backslash before it, as Spark and MySQL write it, and not another quote. */
  hasEscapedQuotes: boolean
  /** Whether line ends and tabs are `\n` and `\t`, as databases and jq write them between tabs. */
  isEscaped: boolean
}

/** The form of rows by the beginning of their file. */
export function csvFormOf(head: Buffer): CsvForm {
  const text = head.toString()
  const given = givenDelimiter(text)
  // Files of several programs are put together; old Macs' have line feeds within cells.
  const lineEnds = endsWithReturn.test(text) ? [] : ['\r\n', '\n']
  const isMarkdown = given === null && isMarkdownTable(text)
  const border = given === null ? (tableBorder.exec(text)?.[0] ?? '') : ''
  const delimiter = given ?? (isMarkdown ? '|' : guessDelimiter(text.slice(border.length)))
  const hasQuotes = !isMarkdown && !(delimiter === '\t' && hasQuotesAsText(text))
  const isEscaped = delimiter === '\t' && !beginsQuoted.test(text) && hasEscapes(text)
  const firstLine = given === null && border === '' ? 1 : 2
  return { delimiter, lineEnds, firstLine, isMarkdown, hasQuotes, hasEscapedQuotes: escapesQuotes(text), isEscaped }
}

/** The line above a table that a terminal shows. */
const tableBorder = /^\ufeff?[ \t]*\+[-+=]+\+[ \t]*\r?\n/

/** A cell between tabs that begins with a quote. */
const beginsQuoted = /(?:^|[\t\r\n]) *"/

/** Whether quotes are within cells only: databases write text between tabs as it is, and others a cell with a quote in quotes. */
const hasQuotesAsText = (text: string): boolean => text.includes('"') && !beginsQuoted.test(text)

/** Whether quotes within cells have a backslash before them, and none is doubled. */
const escapesQuotes = (text: string): boolean =>
  /\\"(?=[^",;\t|\r\n])/.test(text) && !/[^\\,;\t|\r\n]""|(?<!\\)""[^,;\t|\r\n]/.test(text)

/**
 * Text with the quotes within cells doubled: those with a backslash before them, since as `escape` the parser would drop every
 * other backslash, and those of `="00123"`, as programs write a text for spreadsheets.
 */
export function withDoubledQuotes(text: string, { hasQuotes, hasEscapedQuotes }: CsvForm): string {
  const doubled = hasEscapedQuotes ? text.replace(/(?<!\\)((?:\\\\)*)\\"/g, '$1""') : text
  return hasQuotes ? doubled.replace(/(?<=^|[,;\t|\r\n])="([^"\r\n]+)"(?=[,;\t|\r\n]|$)/g, '"=""$1"""') : doubled
}

/** Whether each backslash begins what databases write for a character, or for no value; the last one may be cut off. */
const hasEscapes = (text: string): boolean => text.includes('\\') && !/\\(?!$)/.test(text.replace(escapes, ''))

const escapes = /\\([\\ntrbfv0N'])/g

const escaped: Record<string, string> = { n: '\n', t: '\t', r: '\r', '\\': '\\', "'": "'", N: '\\N' }

/** A cell with the characters that its escapes stand for, without those of control. */
export const withoutEscapes = (cell: string): string =>
  cell.includes('\\') ? cell.replace(escapes, (_escape, character: string) => escaped[character] ?? '') : cell

/** A first row that ends as on old Macs. */
const endsWithReturn = /^(?:[^\r\n"]|"[^"]*")*\r(?!\r?\n)/

/** Whether a text begins with a table of Markdown: a header, and a line of dashes below it. */
export const isMarkdownTable = (text: string): boolean =>
  /^\ufeff?\s*[^\s|][^\r\n|]*\|[^\r\n]*\r?\n(?=[ \t:-]*\|)[ \t]*:?-[ \t:|-]+(?:\r?\n|$)/.test(text) ||
  /^\ufeff?\s*\|[^\r\n]*\|[ \t]*\r?\n[ \t]*\|(?=[^\r\n]*-)[ \t:|-]+(?:\r?\n|$)/.test(text)

/** Whether a cell is empty, or a part of the line below a header. */
export const isBlankOrLine = (cell: string): boolean => /^[\s:+-]*$/.test(cell)

/** Whether the name in a row of Markdown, its first cell, is struck out. */
export const isStruckRow = (cells: readonly string[]): boolean =>
  /^\s*(?:\[?~|<(?:del|s|strike)>)/i.test(cells.find((cell) => cell.trim() !== '') ?? '')

/**
 * Whether cells are none of a record. Spreadsheets write empty rows that were once used, Markdown and terminals a line below
 * the header.
 */
export const isNoRow = (cells: readonly string[], isMarkdown: boolean): boolean =>
  cells.every(isBlankOrLine) || (isMarkdown && isStruckRow(cells)) || (cells.length === 1 && isNumberOfRows(cells[0]))

/** Whether a row before the header is the title of a spreadsheet: one cell, which names no column, next to empty ones. */
export function isTitle(cells: readonly string[], known: ReadonlySet<string>): boolean {
  const [title, ...others] = cells.filter((cell) => !isBlank(cell))
  return cells.length > 1 && title !== undefined && others.length === 0 && !known.has(comparableName(title))
}

export const isBlank = (cell: string): boolean => cell.trim() === ''

/** Data frames write the numbers of their rows into a first column without a name. */
export const isRowNumber = (cell: string, column: number): boolean => column === 0 && /^\d+$/.test(cell)

/** What psql and mysql write below a table. */
const isNumberOfRows = (line = ''): boolean => /^\s*(?:\(\d+ rows?\)|\d+ rows? in set\b.*)\s*$/.test(line)

/** The cells of a row of Markdown, of which those around an escaped separator are one. */
export function joinEscaped(cells: readonly string[]): string[] {
  const joined: string[] = []
  for (const cell of cells) {
    const before = joined.at(-1)
    if (before?.endsWith('\\')) {
      joined[joined.length - 1] = `${before.slice(0, -1)}|${cell}`
    } else {
      joined.push(cell)
    }
  }
  return joined
}

/** A link or a picture. No part of it can be a part of another one: otherwise a long text takes quadratic time. */
export const link = /(!?)\[([^[\]]*)\]\(([^()\s]+)(?: "[^"()]*")?\)/g

/** Columns with the name of a record or a text about it, in which a link is no value. */
const texts = new Set([...namesOf('skills', 'skill', 'name', 'description'), ...namesOf('prompts', 'title')])

const authors = namesOf('prompts', 'author')

/** How a cell of Markdown has a line in it. */
const lineBreak = / ?<br ?\/?> ?/gi

const descriptions = namesOf('skills', 'description')

/** Columns with the name of one of several skills of a repository. */
const skills = namesOf('skills', 'skill')

/**
 * A row of Markdown, as plain text where it names or describes a record. A name with a link is that of what the link leads
 * to, perhaps of a repository as a whole.
 *
 * @returns with the address of the repository to which its name leads, or its first cell
 */
export function withoutLinks(header: string[], cells: string[]): { header: string[]; cells: string[] } {
  if (cells.length !== header.length) {
    return { header, cells }
  }
  let address: string | null = null
  const names = [...header]
  const plain = cells.map((cell, column) => {
    const name = comparableName(header[column] ?? '')
    const isText = texts.has(name)
    const isName = (isText || column === firstColumn(cells)) && !descriptions.has(name)
    for (const [, mark, , target = ''] of isName ? cell.matchAll(link) : []) {
      const found = mark === '' ? toRepositoryAddress(target) : null
      if (address === null && found !== null && repositoryOf(found) !== null) {
        address = found
        names[column] = skills.has(name) && !names.includes('name') ? 'name' : (header[column] ?? '')
      }
    }
    const isPlain = isText || authors.has(name)
    const shown = isPlain ? cell.replace(link, (_link, mark, text) => (mark === '' ? text : '')) : cell
    return (isPlain ? shown.replace(emphasis, '$1') : shown).replace(lineBreak, '\n')
  })
  return address === null ? { header, cells: plain } : { header: [...names, 'link'], cells: [...plain, address] }
}

/** A row begins with a separator, before which is an empty cell. */
const firstColumn = (cells: string[]): number => (cells[0]?.trim() === '' ? 1 : 0)

/** A text as programs write it for spreadsheets, `="00123"`, a link, `=HYPERLINK("https://…","kit")`, and a picture. */
const formula =
  /^=(?:"((?:[^"]|"")*)"|HYPERLINK\("((?:[^"]|"")*)"(?:[,;] ?"((?:[^"]|"")*)")?\)|IMAGE\("((?:[^"]|"")*)"[^"()]*\))$/i

const pictures = namesOf('organizations', 'avatarUrl')

/** Columns with an address, or a name for which one may stand. */
const addresses = new Set([
  ...namesOf('skills', 'url', 'homepage', 'repo', 'fullName', 'source'),
  ...namesOf('organizations', 'url', 'avatarUrl'),
])

/**
 * A row with the texts that its formulas hold; that of a link is its address where the column may have one.
 *
 * @returns with the address of the repository to which another column leads
 */
export function withoutFormulas(header: string[], cells: string[]): { header: string[]; cells: string[] } {
  let link: string | null = null
  const isAddress = header.map((name) => addresses.has(comparableName(name)))
  const plain = cells.map((cell, column) => {
    const found = cell.startsWith('=') ? formula.exec(cell) : null
    const [, text, target, shown = target, picture] = found?.map((part) => part?.replaceAll('""', '"')) ?? []
    const leadsTo = target === undefined || isAddress[column] ? null : toRepositoryAddress(target)
    link ??= leadsTo !== null && repositoryOf(leadsTo) !== null ? leadsTo : null
    return (
      text ??
      (isAddress[column] ? target : shown) ??
      (picture && (pictures.has(comparableName(header[column] ?? '')) ? picture : '')) ??
      cell
    )
  })
  return link === null || cells.length !== header.length || header.includes('link')
    ? { header, cells: plain }
    : { header: [...header, 'link'], cells: [...plain, link] }
}

/** The marks around all of a cell. */
const emphasis = /^\s*(?:\*\*|__|`)([^*_`]+)(?:\*\*|__|`)\s*$/

/** What to do with texts that are no tables, and how their first lines begin. */
const otherForms: Record<string, RegExp> = {
  'Write the JSON of each row in a line of its own, for instance with: psql -Atc "select row_to_json(s) from skills s"':
    /^(?:row_to_json|to_jsonb?|_airbyte_\w+|json|data|doc(?:ument)?|payload|record|value|body)$/i,
  'Write TOML as JSON, for instance with: yq -p toml -o json a.toml': /^\[\[?[\w.-]+\]\]?$/,
  'Write the address of each repository in a line of a .txt file, for instance https://github.com/acme/kit':
    /^[\w.-]+\/[\w.-]+$/,
  'Write it as JSON without comments, for instance with: npx json5 a.json5': /^\/\//,
  'Write what the program exports as JSON': /^(?:export|module\.exports|const|let|var)\b/,
  'Write XML as JSON, for instance with: yq -p xml -o json a.xml': /^<[\w!?]/,
  'Write YAML as JSON, for instance with: yq -o json a.yaml': /^(?:- )?[\w-]+:(?: |$)/,
  [`Write a table of a database as CSV, for instance with: psql -c "\\copy skills to 'a.csv' csv header"`]:
    /^(?:--(?:$|[ -])|\/\*|(?:insert into|create table|copy|pragma|begin|set|use)\b.*;?$)/i,
}

/** What to do where a text has no header, by its beginning. */
export const remedyOf = (begin: string): string =>
  Object.keys(otherForms).find((remedy) => otherForms[remedy]?.test(begin)) ??
  'Begin it with a line that names its columns, in English'

/** The separator that a first line `sep=;` gives, as Excel reads and writes it; null: there is none. */
const givenDelimiter = (text: string): string | null => /^\ufeff?"?sep=([^"\r\n])"?(?=[\r\n])/i.exec(text)?.[1] ?? null

function guessDelimiter(text: string): string {
  const headerLine = text.replace(/^[\ufeff\r\n]+/, '').split(/[\r\n]/, 1)[0] ?? ''
  const counts = [',', ';', '\t', '|'].map((delimiter) => ({ delimiter, count: headerLine.split(delimiter).length }))
  return counts.sort((a, b) => b.count - a.count)[0]?.delimiter ?? ','
}
