import { describe, expect, test } from '@jest/globals'
import { readJson, readNdjson } from '../../services/indexer/import/read-json.js'
import { fromTyped } from '../../services/indexer/import/typed-values.js'
import { inPieces, mapAll } from '../support/source-items.js'

const read = async (document: unknown): Promise<object[]> => {
  const text = JSON.stringify(document)
  const records = await mapAll(readJson(inPieces(text), 'skills'))

  expect(await mapAll(readNdjson(inPieces(text), 'skills'))).toEqual(records)
  return records
}

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
    expect(await read(answer)).toMatchObject([{ ...record, name: 'kit' }])
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
    expect((await read(answer))[0]).toMatchObject(record)
  })
})

test('every value of a document of Solr is in a list', async () => {
  const document = { id: '1', full_name: ['acme/kit'], stars: [12], tags: ['a', 'b'], license: ['MIT'], hidden: [true] }

  expect(await read({ response: { numFound: 1, docs: [{ ...document, _version_: 17 }] } })).toMatchObject([
    { id: 'acme/kit', stars: 12, topics: ['a', 'b'], license: 'MIT', state: 'hidden', version: null },
  ])
  expect(await read({ hits: { hits: [{ _id: 'acme/kit', _version: 3, _source: { stars: 12 } }] } })).toMatchObject([
    { id: 'acme/kit', stars: 12, version: null },
  ])
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
