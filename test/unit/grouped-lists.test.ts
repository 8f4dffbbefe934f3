import { describe, expect, test } from '@jest/globals'
import type { RecordType } from '../../shared/records/records.js'
import { mapDocument } from '../support/source-items.js'

const pdf = { name: 'pdf', repo: 'acme/kit', description: 'Fills forms.' }
const csv = { name: 'csv', repo: 'acme/tables', description: 'Cleans tables.' }
const both = [
  { id: 'acme/kit@pdf', description: 'Fills forms.' },
  { id: 'acme/tables@csv', description: 'Cleans tables.' },
]

describe('records in an object', () => {
  test.each<[what: string, document: unknown]>([
    [
      'in named groups',
      {
        name: 'A list',
        categories: [
          { name: 'Documents', skills: [pdf] },
          { name: 'Data', skills: [csv] },
        ],
      },
    ],
    ['in groups of items', { groups: [{ title: 'Documents', items: [pdf, csv] }] }],
    ['in groups of groups', { sections: [{ name: 'A', categories: [{ name: 'B', skills: [pdf, csv] }] }] }],
    [
      'in the groups of a repository',
      {
        categories: [
          { name: 'A', repository: 'acme/kit', skills: [{ name: 'pdf', description: 'Fills forms.' }] },
          { name: 'B', skills: [csv] },
        ],
      },
    ],
    ['in a page of Spring', { content: [pdf, csv], pageable: { pageNumber: 0 }, totalElements: 2 }],
    ['in a page of Spring with its model', { content: [pdf, csv], page: { size: 20, totalElements: 2 } }],
  ])('are read: %s', async (_what, document) => {
    expect(await mapDocument(document)).toMatchObject(both)
  })

  test('in groups are those of the repository around them', async () => {
    const categories = [
      { name: 'A', skills: [{ name: 'pdf', path: 'skills/pdf' }] },
      { name: 'B', skills: [{ name: 'csv', path: 'skills/csv' }] },
    ]

    expect(await mapDocument({ repository: 'acme/kit', stars: 7, categories })).toMatchObject([
      { id: 'acme/kit@pdf', path: 'skills/pdf', stars: 7 },
      { id: 'acme/kit@csv', path: 'skills/csv', stars: 7 },
    ])
  })

  test('are withdrawn with what is around them', async () => {
    expect(await mapDocument({ categories: [{ name: 'A', visibility: 'private', skills: [pdf] }] })).toMatchObject([
      { id: 'acme/kit@pdf', state: 'hidden' },
    ])
  })

  test('may be prompts, in a list with a title', async () => {
    const prompts = [{ title: 'Poet', content: 'Be a poet.' }]

    expect(await mapDocument({ title: 'Mine', categories: [{ name: 'Writing', prompts }] }, 'prompts')).toMatchObject([
      { title: 'Poet', content: 'Be a poet.' },
    ])
  })
})

test('the categories of a record are no lists of records', async () => {
  const record = { full_name: 'acme/kit', categories: [{ name: 'Documents' }], content: [{ type: 'text' }] }

  expect(await mapDocument(record)).toMatchObject([{ id: 'acme/kit' }])
})

test.each<[what: string, item: object]>([
  [
    'the owner and name of its repository at GitHub',
    { ...pdf, repo: undefined, github: { owner: 'acme', repo: 'kit', stars: 7 } },
  ],
  ['what Airbyte copies', { _airbyte_raw_id: '1', _airbyte_data: { ...pdf, stars: 7 } }],
  ['what Airbyte copies as text', { _airbyte_raw_id: '1', _airbyte_data: JSON.stringify({ ...pdf, stars: 7 }) }],
  ['a message of Kafka', { schema: null, payload: { ...pdf, stars: 7 } }],
  ['a message of Kafka with its key', { topic: 'a', key: '1', value: { ...pdf, stars: 7 }, offset: 1 }],
  [
    'a row of Airtable',
    {
      id: 'rec1',
      createdTime: '2026-01-01T00:00:00.000Z',
      fields: { Name: 'pdf', 'Repo URL': 'https://github.com/acme/kit/tree/main/pdf', Stars: 7 },
    },
  ],
])('a record may have its members in an object: %s', async (_what, item) => {
  expect(await mapDocument([item])).toMatchObject([{ id: 'acme/kit@pdf', name: 'pdf', stars: 7 }])
})

test('the fields of a form are no record', async () => {
  const item = { name: 'pdf', url: 'https://github.com/acme/kit', fields: { name: { type: 'text' }, owner: {} } }

  expect(await mapDocument([item])).toMatchObject([{ id: 'acme/kit', name: 'pdf' }])
})

test('a document of Elasticsearch may have its id outside of it', async () => {
  const hits = {
    total: { value: 1 },
    hits: [{ _index: 'skills', _id: 'acme/kit', _source: { stars: 7, tags: ['pdf'] } }],
  }

  expect(await mapDocument({ hits })).toMatchObject([{ id: 'acme/kit', stars: 7, topics: ['pdf'] }])
})

test.each<[list: string, type: RecordType, item: object, read: object]>([
  ['itemListElement', 'skills', { '@type': 'ListItem', item: { ...pdf, codeRepository: 'x' } }, both[0] ?? {}],
  ['@graph', 'skills', { '@type': 'SoftwareSourceCode', ...pdf, codeRepository: 'x' }, both[0] ?? {}],
  ['agents', 'prompts', { name: 'Poet', systemPrompt: 'Be a poet.' }, { title: 'Poet', content: 'Be a poet.' }],
  [
    'customModes',
    'prompts',
    { slug: 'poet', name: 'Poet', roleDefinition: 'Be a poet.' },
    { id: 'poet', content: 'Be a poet.' },
  ],
])('records may be in a list %s', async (list, type, item, read) => {
  expect(await mapDocument({ [list]: [item] }, type)).toMatchObject([read])
})

test('a skill with the name of its repository at GitHub has its address', async () => {
  expect(await mapDocument([{ name: 'pdf', github: { owner: 'acme', repo: 'kit' } }])).toMatchObject([
    { url: 'https://github.com/acme/kit' },
  ])
})
