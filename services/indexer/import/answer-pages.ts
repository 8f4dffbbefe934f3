import { comparableName } from '../../../shared/records/field-names.js'
import { wrappers } from './envelopes.js'
import { isRecord } from './source.js'

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Members of an answer with the number of all its records. */
const totals = wordsOf(
  'total totalcount totalresults totalitems totalrecords totalhits totalsize count nbhits estimatedtotalhits found ' +
    'numrowstotal repositorycount odatacount numfound totalelements totalrows rowsbeforelimitatleast',
)

/** Members with the number of all pages. */
const pageTotals = wordsOf('totalpages pagestotal pagecount numpages nbpages lastpage')

/** Members that are true or false, and members with the address or the mark of the next page. */
const nextPages = wordsOf(
  'next nextcursor nextpage nextpageurl nextpagetoken nexttoken nexturl nextlink odatanextlink nextoffset ' +
    'hasnext hasnextpage hasmore more',
)

/** Objects of an answer with such members. */
const pagers = wordsOf('pagination paging pageinfo pages meta metadata links page cursor cursors')

/** Members that are true where the search that is answered ended early. */
const endedEarly = wordsOf('incompleteresults timedout')

/** Whether a member of an answer says that records may be missing in it. */
export const saysIncomplete = (key: string, value: unknown): boolean =>
  value === true && endedEarly.has(comparableName(key))

/** Whether a member of an answer is an object that says something about its pages. */
export const isPager = (key: string): boolean => pagers.has(comparableName(key))

/** What the answers of a service say about pages: a list may have only the first of its records. */
export class AnswerPages {
  #total = 0
  #totalPages = 0
  /** Whether one of the answers is the last: another page follows each of the others. */
  #hasLast = false
  /** What the present answer says: whether another page follows; null: nothing. */
  #hasNext: boolean | null = null
  #answers = 0

  /** An answer begins. */
  begin(): void {
    this.#hasLast ||= this.#answers > 0 && this.#hasNext !== true
    this.#answers += 1
    this.#hasNext = null
  }

  /** Notes a member of an answer, or of one of its pagers. */
  note(key: string, value: unknown): void {
    const name = comparableName(key)
    if (totals.has(name)) {
      const total = Number(isRecord(value) ? value['value'] : value)
      this.#total = Math.max(this.#total, Number.isNaN(total) ? 0 : total)
    } else if (pageTotals.has(name) && Number(value) > 0) {
      this.#totalPages = Math.max(this.#totalPages, Number(value))
    } else if (name === 'offset' && typeof value === 'string' && !/^\d*$/.test(value)) {
      // As a number it is that of the first record.
      this.#hasNext = true
    } else if (nextPages.has(name) && !Array.isArray(value)) {
      const isLast = value === null || value === false || value === ''
      // Some answers have the member of a next page, with a value that says there is none.
      this.#hasNext = this.#hasNext !== false && !isLast
    }
  }

  /** Notes the members of an answer that come before its list. */
  noteAll(answer: Record<string, unknown>): void {
    for (const [key, value] of Object.entries(answer)) {
      this.note(key, value)
      if (isRecord(value) && (isPager(key) || wrappers.has(comparableName(key)))) {
        this.noteAll(value)
      }
    }
  }

  /**
   * Why the answers are not all that the service has; null: they may be, or do not say so.
   *
   * @param read the number of records in all of them
   */
  missing(read: number): string | null {
    const what =
      this.#total > read
        ? `say that there are ${this.#total} records, and have ${read}`
        : this.#totalPages > this.#answers
          ? `say that there are ${this.#totalPages} pages, and are ${this.#answers}`
          : this.#hasNext === true && !this.#hasLast
            ? 'say that there is another page'
            : null
    return what === null ? null : `the sources ${what}: ask their service for all pages, and name these together`
  }
}
