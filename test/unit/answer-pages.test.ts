import { expect, test } from '@jest/globals'
import { AnswerPages } from '../../services/indexer/import/answer-pages.js'
import { readJson, readNdjson } from '../../services/indexer/import/read-json.js'
import { inPieces, readAll } from '../support/source-items.js'

const read = (content: string) => readAll(readJson(inPieces(content), 'skills'))

const one = { full_name: 'acme/one' }
const two = { full_name: 'acme/two' }
const items = [one, two]

test.each(['incomplete_results', 'timed_out'])('an answer that says %s is read, and reported', async (name) => {
  for (const answer of [
    { total_count: 9, [name]: true, items: [one] },
    { items: [one], total_count: 9, [name]: true },
  ]) {
    const text = JSON.stringify(answer)

    expect(await read(text)).toEqual([
      'record 1: {"full_name":"acme/one"}',
      expect.stringContaining(`says ${JSON.stringify(name)}`),
    ])
    expect(await readAll(readNdjson(inPieces(text), 'skills'))).toHaveLength(2)
  }
})

const another = 'there is another page'

test.each<[documents: object[], missing: string | null]>([
  [[{ total_count: 9, items }], 'there are 9 records, and have 2'],
  [[{ items, total_count: '9' }], 'there are 9 records, and have 2'],
  [[{ data: items, pagination: { page: 1, total: 2, hasNext: true } }], another],
  [[{ data: items, meta: { pagination: { total: 3 } } }], 'there are 3 records, and have 2'],
  [[{ hits: { total: { value: 3 }, hits: [{ _source: one }, { _source: two }] } }], 'there are 3 records, and have 2'],
  [[{ items, next: 'https://acme.example/?page=2' }], another],
  [[{ _links: { next: { href: 'https://acme.example/?page=2' } }, items }], another],
  [[{ data: { search: { nodes: items, pageInfo: { hasNextPage: true, endCursor: 'x' } } } }], another],
  [
    [
      { items, next: 'x' },
      { items, next: 'y' },
    ],
    another,
  ],
  [[{ items, next: 'x' }, { items }], null],
  [
    [
      { items, next: null },
      { next: 'x', items },
    ],
    null,
  ],
  [
    [
      { items, total: 4 },
      { items, total: 4 },
    ],
    null,
  ],
  [[{ items, paging: { more: true } }], another],
  [[{ records: items, offset: 'itrX/recY' }], another],
  [[{ items, offset: '20', limit: 20 }], null],
  [[{ hits: items, nbHits: 9, page: 0 }], 'there are 9 records, and have 2'],
  [[{ results: [{ hits: items, nbHits: 9 }] }], 'there are 9 records, and have 2'],
  [[{ rows: items, num_rows_total: 3 }], 'there are 3 records, and have 2'],
  [[{ response: { numFound: 9, start: 0, docs: items } }], 'there are 9 records, and have 2'],
  [[{ data: items, rows: 2, rows_before_limit_at_least: 5 }], 'there are 5 records, and have 2'],
  [[{ total_rows: 3, offset: 0, rows: items }], 'there are 3 records, and have 2'],
  [[{ '@odata.count': 3, value: items }], 'there are 3 records, and have 2'],
  [[{ value: items, '@odata.nextLink': 'https://acme.example/?$skip=2' }], another],
  [[{ page: 1, total_pages: 2, items }], 'there are 2 pages, and are 1'],
  [[{ data: items, meta: { last_page: 1 } }], null],
  [
    [
      { items, total_pages: 2 },
      { items, total_pages: 2 },
    ],
    null,
  ],
  [[{ items, more: [{ x: 1 }] }], null],
  [[{ items, has_more: false, next_cursor: 'x' }], null],
  [[{ items: [{ ...one, total: 9, next: 'x' }, two], count: 2 }], null],
  [[{ facets: [{ total: 9 }], items, owners: { total: 9 }, next: [1] }], null],
])('whether all pages are there: %j', async (documents, missing) => {
  const text = documents.map((document) => `${JSON.stringify(document)}\n`).join('')
  for (const [readPages, size] of [
    [readJson, 1_000],
    [readJson, 3],
    [readNdjson, 1_000],
  ] as const) {
    const pages = new AnswerPages()
    const read = await readAll(readPages(inPieces(text, size), 'skills', pages))

    expect(pages.missing(read.length)).toEqual(missing === null ? null : expect.stringContaining(missing))
  }
})
