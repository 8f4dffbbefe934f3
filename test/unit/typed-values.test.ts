import { describe, expect, test } from '@jest/globals'
import { fromTyped } from '../../services/indexer/import/typed-values.js'
import { mapDocument } from '../support/source-items.js'

describe('values with their types', () => {
  const record = { id: 'acme/kit', stars: 12, topics: ['a', 'b'], license: 'MIT', state: 'hidden' }

  const fields = {
    fullName: { stringValue: 'acme/kit' },
    stars: { integerValue: '12' },
    tags: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: 'b' }] } },
    license: { mapValue: { fields: { spdx_id: { stringValue: 'MIT' } } } },
    hidden: { booleanValue: true },
    note: { nullValue: null },
    more: { arrayValue: {} },
  }
  const document = { name: 'projects/p/databases/d/documents/skills/a', fields, createTime: '2026-01-01T00:00:00Z' }

  test.each<[what: string, answer: object]>([
    ['a list', { documents: [document] }],
    ['an answer of a query', [{ document, readTime: '2026-01-01T00:00:00Z' }]],
  ])('of Firestore, in %s', async (_what, answer) => {
    expect(await mapDocument(answer)).toMatchObject([{ ...record, name: 'kit' }])
  })

  const item = {
    fullName: { S: 'acme/kit' },
    stars: { N: '12' },
    tags: { L: [{ S: 'a' }, { S: 'b' }] },
    license: { M: { spdx_id: { S: 'MIT' } } },
    hidden: { BOOL: true },
    note: { NULL: true },
  }

  test.each<[what: string, answer: object]>([
    ['an export', { Item: item }],
    ['an answer', { Items: [item, item], Count: 2 }],
  ])('of DynamoDB, in %s', async (_what, answer) => {
    expect((await mapDocument(answer))[0]).toMatchObject(record)
  })
})

test('every value of a document of Solr is in a list', async () => {
  const document = { id: '1', full_name: ['acme/kit'], stars: [12], tags: ['a', 'b'], license: ['MIT'], hidden: [true] }

  expect(await mapDocument({ response: { numFound: 1, docs: [{ ...document, _version_: 17 }] } })).toMatchObject([
    { id: 'acme/kit', stars: 12, topics: ['a', 'b'], license: 'MIT', state: 'hidden', version: null },
  ])
  expect(
    await mapDocument({ hits: { hits: [{ _id: 'acme/kit', _version: 3, _source: { stars: 12 } }] } }),
  ).toMatchObject([{ id: 'acme/kit', stars: 12, version: null }])
})

test('the fields of a document of Elasticsearch are in lists', async () => {
  const hit = { _id: '1', fields: { full_name: ['acme/kit'], stars: [12], tags: ['a', 'b'], private: [true] } }

  expect(await mapDocument({ hits: { total: { value: 1 }, hits: [hit] } })).toMatchObject([
    { id: 'acme/kit', stars: 12, topics: ['a', 'b'], state: 'hidden' },
  ])
})

describe('the properties of a page of Notion are the columns of its table', () => {
  const text = (...parts: string[]) => ({ type: 'rich_text', rich_text: parts.map((part) => ({ plain_text: part })) })
  const page = (properties: object, more: object = {}) => ({
    results: [{ object: 'page', id: 'a', archived: false, properties, url: 'https://www.notion.so/a', ...more }],
  })

  test('of every type', async () => {
    const properties = {
      Name: { id: 'title', type: 'title', title: [{ plain_text: 'PDF ' }, { plain_text: 'kit' }] },
      Repository: { type: 'url', url: 'https://github.com/acme/kit' },
      Description: text(),
      Summary: text('Reads ', 'PDF.'),
      Tags: { type: 'multi_select', multi_select: [{ name: 'a' }, { name: 'b' }] },
      Language: { type: 'select', select: null },
      License: { type: 'select', select: { name: 'MIT' } },
      Stars: { type: 'formula', formula: { type: 'number', number: 12 } },
      Updated: { type: 'date', date: { start: '2026-03-04', end: null } },
      Published: { type: 'checkbox', checkbox: false },
    }

    expect(await mapDocument(page(properties))).toMatchObject([
      {
        ...{
          id: 'acme/kit',
          name: 'PDF kit',
          description: 'Reads PDF.',
          topics: ['a', 'b'],
          license: 'MIT',
          stars: 12,
        },
        ...{ updatedAt: '2026-03-04T00:00:00.000Z', language: null, state: 'hidden' },
      },
    ])
  })

  test.each([[{ archived: true }], [{ in_trash: true }]])('one in the trash is removed: %j', async (more) => {
    expect(await mapDocument(page({ Repo: text('acme/kit') }, more))).toMatchObject([
      { id: 'acme/kit', state: 'removed' },
    ])
  })
})

test.each([
  [{ id: 'acme/kit', skills: ['pdf'], tags: ['a'] }],
  [{ full_name: ['acme/kit'], stars: 12, tags: ['a'] }],
  [{ fullName: { S: 'acme/kit' }, stars: 12 }],
  [{ fullName: { S: 12 } }],
  [{ fullName: { toString: 'acme/kit' } }],
  [{ fields: { fullName: 'acme/kit' } }],
  [{}],
])('%j has others', (record) => {
  expect(fromTyped(record)).toBe(record)
})
