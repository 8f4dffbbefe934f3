import { isUtf8 } from 'node:buffer'
import {
  folderOf,
  nameOf,
  repositoryOf,
  splitFullName,
  toRepositoryAddress,
} from '../../../shared/fields/web-address.js'
import { isBlankOrLine, joinEscaped, link, withoutLinks } from './csv-form.js'
import { mapRecord } from './map-record.js'
import { readLines } from './read-json.js'
import { convertToUtf8 } from './sniff-format.js'
import type { SourceItem } from './source.js'

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
  const ids = head.split(/\r?\n/).map((line) => idOf(lines.take(line)))
  return new Set(ids.flatMap((id) => id?.split('@', 1) ?? [])).size >= minRepositories
}

/**
 * Reads the items of lists that begin with a link to a repository, or to a folder in it, and the rows of tables that name
 * one. All other text is none.
 */
export async function* readLinkList(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceItem> {
  const lines = new LinkLines()
  let next = 1
  for await (const { number, bytes } of readLines(chunks)) {
    const place = `line ${number}`
    if (number > next) {
      // Empty lines, which end a table.
      lines.take('')
    }
    next = number + 1
    if (bytes !== null && !isUtf8(bytes)) {
      yield { place, reason: `is not UTF-8. ${convertToUtf8}` }
      continue
    }
    const record = bytes === null ? null : lines.take(bytes.toString())
    if (record !== null && bytes !== null) {
      yield { place, record, sizeBytes: bytes.length }
    }
  }
}

type Members = Record<string, unknown>

const idOf = (record: Members | null): string | null => record && mapRecord('skills', record).id

/** An item of a list, of any depth. */
const listItem = /^[\s>]*(?:[-*+]|\d{1,9}[.)])[ \t]+(\S.*)$/

/** What separates the name of an item from what is said about it. Signs of emphasis before a letter begin it there. */
const separator = /^(?:[\s`:|–—-]|[*_]+(?=[\s`:|–—-]|$))+/

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

  /** The record that a line has; null: it has none. */
  take(line: string): Members | null {
    if (/^\s*(?:```|~~~)/.test(line)) {
      this.#isCode = !this.#isCode
    }
    const row = line.trim()
    const cells = row.length > 1 && row.startsWith('|') && row.endsWith('|') ? joinEscaped(row.split('|')) : null
    const header = this.#header
    this.#header = cells && (header ?? cells.map((cell) => cell.trim()))
    if (this.#isCode) {
      return null
    }
    if (cells === null) {
      return fromItem(listItem.exec(line)?.[1] ?? '')
    }
    // A row below a blank line, for instance, has no header above it.
    return header === null ? fromItem(row.slice(1, -1)) : fromRow(header, cells)
  }
}

function fromItem(text: string): Members | null {
  const [found] = text.matchAll(link)
  const [whole = '', mark, name = '', target = ''] = found ?? []
  const address = mark === '' ? toRepositoryAddress(target) : null
  const isFirst = found !== undefined && !/[\p{L}\p{N}]/u.test(text.slice(0, found.index))
  if (address === null || !isFirst || !isRepositoryOrFolder(address)) {
    return null
  }
  const rest = text.slice(found.index + whole.length).replace(link, (each, sign) => (sign === '' ? each : ''))
  const description = [separator, authors, separator, label].reduce((left, part) => left.replace(part, ''), rest)
  return {
    name: splitFullName(name) === null ? name : nameOf(isOwnName(name, address) ? (folderOf(address) ?? name) : name),
    url: address,
    description: description.replace(link, (_link, _sign, words) => words).trim(),
  }
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
