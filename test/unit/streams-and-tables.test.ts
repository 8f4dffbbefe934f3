import { describe, expect, test } from '@jest/globals'
import { readCsv } from '../../services/indexer/import/read-csv.js'
import { readJson, readNdjson } from '../../services/indexer/import/read-json.js'
import { sniffFormat } from '../../services/indexer/import/sniff-format.js'
import { knownNames } from '../../shared/records/field-names.js'
import { inPieces, mapAll, mapDocument, readAll } from '../support/source-items.js'

const one = { full_name: 'acme/one', stars: 1 }
const two = { full_name: 'acme/two', private: true }
const both = [
  { id: 'acme/one', stars: 1, state: 'published' },
  { id: 'acme/two', state: 'hidden' },
]

const read = (text: string) => mapAll(readJson(inPieces(text), 'skills'))

describe('documents in an order', () => {
  const lines = (...documents: object[]): string => documents.map((each) => `${JSON.stringify(each)}\n`).join('')

  test.each<[of: string, documents: object[]]>([
    [
      'Airbyte',
      [
        { type: 'LOG', log: { level: 'INFO', message: 'Reads.' } },
        { type: 'RECORD', record: { stream: 'skills', data: one, emitted_at: 1 } },
        { type: 'RECORD', record: { stream: 'skills', data: two, emitted_at: 2 } },
        { type: 'STATE', state: { data: {} } },
      ],
    ],
    [
      'Singer',
      [
        { type: 'SCHEMA', stream: 'skills', schema: { properties: {} } },
        { type: 'RECORD', stream: 'skills', record: one },
        { type: 'RECORD', stream: 'skills', record: two },
        { type: 'STATE', value: { page: 2 } },
      ],
    ],
    ['Elasticsearch', [{ index: { _index: 'skills', _id: '1' } }, one, { create: {} }, two]],
    ['Neo4j', [{ n: { labels: ['Skill'], properties: one } }, { type: 'node', labels: ['Skill'], properties: two }]],
    [
      'EventBridge',
      [
        { version: '0', id: 'a', source: 'acme', detail: one },
        { id: 'b', detail: two },
      ],
    ],
    [
      'CloudEvents',
      [
        { specversion: '1.0', id: 'a', source: '/a', type: 'added', data: one },
        { specversion: '1.0', id: 'b', source: '/a', type: 'added', data: two },
      ],
    ],
  ])('as %s writes them', async (_of, documents) => {
    expect(await read(lines(...documents))).toMatchObject(both)
    expect(await mapAll(readNdjson(inPieces(lines(...documents)), 'skills'))).toMatchObject(both)
  })

  test('what an event says of itself is not read, but that it removes its record', async () => {
    const [added, removed] = await read(
      lines(
        { version: '0', source: 'acme/other', detail: one },
        { specversion: '1.0', type: 'com.acme.deleted', data: one },
      ),
    )

    expect(added).toMatchObject({ version: null, state: 'published' })
    expect(added).not.toHaveProperty('source')
    expect(removed).toMatchObject({ state: 'removed' })
  })

  test('one that Elasticsearch is to delete is no message', async () => {
    expect(await read(lines({ delete: { _id: 'acme/one' } }, one))).toMatchObject([{ reason: expect.any(String) }, {}])
  })
})

describe('images of DynamoDB', () => {
  const image = { full_name: { S: 'acme/one' }, stars: { N: '1' } }
  const keys = { full_name: { S: 'acme/one' } }

  test.each<[state: string, document: object]>([
    ['published', { eventName: 'INSERT', dynamodb: { Keys: keys, NewImage: image } }],
    ['published', { Metadata: {}, Keys: keys, NewImage: image, OldImage: {} }],
    ['removed', { eventName: 'REMOVE', dynamodb: { Keys: keys, OldImage: image } }],
    ['removed', { Metadata: {}, Keys: keys, OldImage: image }],
  ])('%s: %j', async (state, document) => {
    expect(await mapDocument({ Records: [document] })).toMatchObject([{ id: 'acme/one', stars: 1, state }])
  })

  test('before a change are no records', async () => {
    const document = { eventName: 'MODIFY', dynamodb: { Keys: keys, OldImage: image } }

    expect(await mapDocument(document)).toEqual([{ reason: expect.stringContaining('whose it is') }])
  })
})

describe('rows as lists', () => {
  const header = ['Full Name', 'description', 'path', 'private', '']

  test('are those of a table where the first one names its columns', async () => {
    const values = [header, ['acme/one', 'One.', ''], ['acme/two', 'Two.', '', 'TRUE', 'note'], []]

    expect(await mapDocument({ range: 'A1:E3', values })).toMatchObject([
      { id: 'acme/one', description: 'One.', path: null, state: 'published' },
      { id: 'acme/two', state: 'hidden' },
      { reason: expect.stringContaining('whose it is') },
    ])
  })

  test('with more cells than columns are rejected', async () => {
    expect(await mapDocument({ values: [header.slice(0, 2), ['acme/one', 'One.', 'TRUE']] })).toEqual([
      { reason: expect.stringContaining('is not a JSON object, but a list of values') },
    ])
  })

  test.each([
    [[['acme/one', 1]]],
    [
      [
        ['full_name', 'acme/one'],
        ['stars', '3'],
      ],
    ],
  ])('without their columns are rejected: %j', async (values) => {
    for (const record of await mapDocument({ values })) {
      expect(record).toEqual({ reason: expect.stringContaining('is not a JSON object, but a list of values') })
    }
  })
})

test.each(['hydra:member', 'member'])('the records of a collection of Hydra, %s', async (name) => {
  expect(await mapDocument({ '@type': 'Collection', totalItems: 2, [name]: [one, two] })).toMatchObject(both)
})

test.each([
  ['[[skills]]\nfull_name = "acme/one"\n', 'yq -p toml'],
  ['// skills\n[{"full_name": "acme/one"}]\n', 'without comments'],
  ['<skills><skill/></skills>\n', 'yq -p xml'],
  ['data\n"{""full_name"": ""acme/one""}"\n', 'the JSON of each row'],
])('%j is named as what it is', async (text, remedy) => {
  expect(sniffFormat(text, 'skills')).toBe('csv')
  const items = readCsv(Buffer.from(text), inPieces(text), knownNames.skills)
  expect(await readAll(items)).toEqual([expect.stringContaining(remedy)])
})
