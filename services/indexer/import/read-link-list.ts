import { isUtf8 } from 'node:buffer'
import {
  folderOf,
  nameOf,
  repositoryOf,
  splitFullName,
  toRepositoryAddress,
} from '../../../shared/fields/web-address.js'
import { isBlankOrLine, isStruckRow, joinEscaped, link, withoutLinks } from './csv-form.js'
import { mapRecord } from './map-record.js'
import { readLines } from './read-json.js'
import { convertToUtf8 } from './sniff-format.js'
import type { Members, SourceItem } from './source.js'

/** The number of different repositories that make a page a list of such. */
const minRepositories = 2

/**
 * Whether a page of Markdown is a list of repositories or skills, as collections of links are (“awesome lists”), and no
 * SKILL.md.
 *
 * @param name the name of the file
 * @param head its beginning
 */
export function isLinkList(name: string, head: string): boolean {
  if (/(?:^|[._-])skill\.md$/i.test(name) || /^\ufeff?\s*(?:-{3}|\+{3})/.test(head)) {
    return false
  }
  const lines = new LinkLines()
  const items = head.split(/\r?\n/).flatMap((line, at) => lines.take(line, at))
  const ids = [...items, ...lines.end()].map(({ record }) => idOf(record))
  return new Set(ids.flatMap((id) => id?.split('@', 1) ?? [])).size >= minRepositories
}

/**
 * Reads the items of lists, and the headings, that begin with a link to a repository, or to a folder in it, and the rows of
 * tables that name one. All other text is none, but for the line below one that does not describe it.
 */
export async function* readLinkList(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceItem> {
  const lines = new LinkLines()
  let next = 1
  for await (const { number, bytes } of readLines(chunks)) {
    const place = `line ${number}`
    if (number > next) {
      // Empty lines, which end a table.
      yield* lines.take('', number).map(toItem)
    }
    next = number + 1
    if (bytes !== null && !isUtf8(bytes)) {
      yield { place, reason: `is not UTF-8. ${convertToUtf8}` }
      continue
    }
    yield* lines.take(bytes?.toString() ?? '', number).map(toItem)
  }
  yield* lines.end().map(toItem)
}

/** A record of a page, and the number of its line. */
interface Found {
  record: Members
  number: number
}

/** How many links by reference wait for their addresses, at the end of a page. The `url` of more is their label alone. */
const maxReferences = 100_000

/** An address that links refer to by its label: `[kit]: https://…`. */
const definition = /^ {0,3}\[([^[\]]{1,200})\]:[ \t]*<?(https?:\/\/[^\s<>]{1,2000})>?(?:[ \t]|$)/i

/** A link by reference that an item begins with: `[PDF kit][kit]`, `[kit][]`, `[kit]`. */
const reference = /^([^\p{L}\p{N}[!~]{0,20})\[([^[\]~]{1,200})\](?!\()(?:\[([^[\]]{0,200})\])?/u

/** Labels are compared without case. */
const labelOf = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase()

const toItem = ({ record, number }: Found): SourceItem => ({
  place: `line ${number}`,
  record,
  sizeBytes: JSON.stringify(record).length,
})

const idOf = (record: Members | null): string | null => record && mapRecord('skills', record).id

/** A heading, but for the title of the page. */
const heading = /^#{2,6}[ \t]+(\S.*)$/

/** A line below a heading that is no text, but a list, a table, code, HTML, a picture or another heading. */
const noText = /^(?:[#|<>!]|[-*+] |\d{1,9}[.)] |[-*_=]{3}|```|~~~|\[[^\]]{0,200}\]:)/

/** An item of a list, of any depth. */
const listItem = /^[\s>]*(?:[-*+]|\d{1,9}[.)])[ \t]+(\S.*)$/

/** What separates the name of an item from what is said about it. Signs of emphasis before a letter begin it there. */
const separator = /^(?:[\s`:|–—-]|[*_~]+(?=[\s`:|–—-]|$))+/

/** Whose an item is, before what is said about it: `by [Jane](…) -`. */
const author = /(?:\[[^\]]{1,100}\]\([^()\s]{1,500}\)|@[\w-]{1,100})/.source
const authors = new RegExp(`^\\(?by ${author}(?:(?:,| &| and) ${author}){0,5}\\)?(?:\\s*[:|–—-]+\\s|\\s*$)`, 'i')

/** The word for a description before one. */
const label = /^[*_]{0,3}description[*_]{0,3}\s?:\s?[*_]{0,3}/i

/** Reads the lines of a page one after the other. */
class LinkLines {
  #isCode = false
  /** The names of the columns of the present table; null: the line before is none of a table. */
  #header: string[] | null = null

  /** A record without a description, which the next line may have. */
  #pending: (Found & { isHeading: boolean }) | null = null
  readonly #addresses = new Map<string, string>()
  /** Records whose `url` is the label of an address, which may follow. */
  readonly #references: Found[] = []

  /** The records that end with a line. */
  take(line: string, number: number): Found[] {
    return this.#withoutReferences(this.#take(line, number))
  }

  #withoutReferences(records: Found[]): Found[] {
    return records.filter((found) => {
      const waits = String(found.record['url']).startsWith('[') && this.#references.length < maxReferences
      return !waits || this.#references.push(found) === 0
    })
  }

  #take(line: string, number: number): Found[] {
    const record = this.#read(line)
    const pending = this.#pending
    const isHeading = heading.test(line)
    if (record === null && pending !== null && !this.#isCode) {
      const text = line.trim()
      if (text === '' && pending.isHeading) {
        return []
      }
      const isText = (pending.isHeading || /^\s/.test(line)) && text !== '' && !noText.test(text)
      pending.record['description'] = isText ? describe(text) : ''
    }
    const isOpen = record !== null && this.#header === null && record['description'] === ''
    this.#pending = isOpen ? { record, number, isHeading } : null
    return [...(pending === null ? [] : [pending]), ...(record === null || isOpen ? [] : [{ record, number }])]
  }

  /** The records that have waited for a line, or an address. */
  end(): Found[] {
    const last = this.#withoutReferences(this.#pending === null ? [] : [this.#pending])
    const found = this.#references.flatMap(({ record, number }) => {
      const address = this.#addresses.get(String(record['url']))
      const whole = address === undefined ? null : toRecord(String(record['name']), address, record['description'])
      return whole === null ? [] : [{ record: whole, number }]
    })
    return [...last, ...found]
  }

  /** The record that a line has; null: it has none. */
  #read(line: string): Members | null {
    if (/^\s*(?:```|~~~)/.test(line)) {
      this.#isCode = !this.#isCode
    }
    const row = line.trim()
    const cells = row.length > 1 && row.startsWith('|') && row.endsWith('|') ? joinEscaped(row.split('|')) : null
    const header = this.#header
    this.#header = cells && (header ?? cells.map((cell) => cell.trim()))
    if (this.#isCode || (cells !== null && isStruckRow(cells))) {
      return null
    }
    const [, label = '', address = ''] = definition.exec(line) ?? []
    if (address !== '' && this.#addresses.size < maxReferences) {
      this.#addresses.set(`[${labelOf(label)}]`, address)
    }
    if (cells === null) {
      return fromItem((listItem.exec(line) ?? heading.exec(line))?.[1] ?? '')
    }
    // A row below a blank line, for instance, has no header above it.
    return header === null ? fromItem(row.slice(1, -1)) : fromRow(header, cells)
  }
}

/** A link of HTML. */
const anchor = /<a\s[^>]{0,200}?href="([^"\s()]{1,500})"[^>]{0,200}>([^<[\]]{1,200})<\/a>/gi

/** The box of a task at the beginning of an item, and an address in the place of a link. */
const box = /^\[[ x]\]\s+/i
const bareAddress = /^([*_`]{0,3})<?(https?:\/\/[^\s<>()[\]*`]{1,500}?)>?(?=[*_`:,.;]{0,5}(?:\s|$))/i

function fromItem(given: string): Members | null {
  const text = given.replace(anchor, '[$2]($1)').replace(box, '').replace(bareAddress, '$1[]($2)')
  const [found] = text.matchAll(link)
  const [whole = '', mark, name = '', target = ''] = found ?? []
  // Signs of emphasis may be before a link, but a name that is struck out is none.
  const isFirst = found !== undefined && !/[\p{L}\p{N}~]/u.test(text.slice(0, found.index)) && !name.startsWith('~')
  return mark === '' && isFirst
    ? toRecord(name, target, describe(text.slice(found.index + whole.length)))
    : fromReference(text)
}

/** An item by its reference, with the label in the place of its address. */
function fromReference(text: string): Members | null {
  const [whole = '', , name = '', label = ''] = reference.exec(text) ?? []
  // Its text has links of the same form.
  const rest = text.slice(whole.length).replace(/\]\[[^[\]]{0,200}\]/g, '](#)')
  return name === '' ? null : { name, url: `[${labelOf(label || name)}]`, description: describe(rest) }
}

function toRecord(name: string, target: string, description: unknown): Members | null {
  const address = toRepositoryAddress(target)
  if (address === null || !isRepositoryOrFolder(address)) {
    return null
  }
  return {
    name: splitFullName(name) === null ? name : nameOf(isOwnName(name, address) ? (folderOf(address) ?? name) : name),
    url: address,
    description,
  }
}

/** What is said about an item after its name. */
function describe(text: string): string {
  const rest = text.replace(link, (each, sign) => (sign === '' ? each : ''))
  const description = [separator, authors, separator, label].reduce((left, part) => left.replace(part, ''), rest)
  return description.replace(link, (_link, _sign, words) => words).trim()
}

/** Whether `owner/repo` is the repository of an address. */
const isOwnName = (fullName: string, address: string): boolean => nameOf(fullName) === repositoryOf(address)?.repo

/** Whether an address is that of a repository, of a folder in it, or of a SKILL.md, and of no other page. */
function isRepositoryOrFolder(address: string): boolean {
  const { pathname } = new URL(address)
  const isWhole = pathname.split('/').filter((part) => part !== '').length === 2
  const isFile = /\/(?:blob|raw|edit)\/.*\.[^/]+$/.test(pathname) && !/\/SKILL\.md$/i.test(pathname)
  return repositoryOf(address) !== null && (isWhole || (folderOf(address) !== null && !isFile))
}

function fromRow(columns: string[], row: string[]): Members | null {
  const { header, cells } = withoutLinks(columns, row)
  const record = Object.fromEntries(
    header.flatMap((name, column) => {
      const cell = cells[column]?.trim() ?? ''
      return name === '' || isBlankOrLine(cell) ? [] : [[name, cell]]
    }),
  )
  return idOf(record) === null ? null : record
}
