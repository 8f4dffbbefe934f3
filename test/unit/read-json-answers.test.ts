import { describe, expect, test } from '@jest/globals'
import { readJson, readNdjson } from '../../services/indexer/import/read-json.js'
import { inPieces, mapDocument, readAll } from '../support/source-items.js'

const read = (content: string | Buffer, size?: number) => readAll(readJson(inPieces(content, size), 'skills'))

describe('answers of services', () => {
  const one = { full_name: 'acme/one', topics: [{ data: [1] }] }
  const two = { full_name: 'acme/two' }
  const both = ['record 1: {"full_name":"acme/one","topics":[{"data":[1]}]}', 'record 2: {"full_name":"acme/two"}']

  test.each<[what: string, document: unknown]>([
    ['a member before the list that has lists itself', { meta: { a: [{ x: 1 }] }, more: [1], items: [one, two] }],
    ['the name of their type', { query: 'x', skills: [one, two], count: 2 }],
    ['an object around the list', { success: true, data: { skills: [one, two], pagination: { total: 2 } } }],
    ['objects of GraphQL', { data: { search: { edges: [{ node: one }, { node: two }] } } }],
    ['nodes of GraphQL', { data: { viewer: { id: 'x', repositories: { nodes: [one, two], pageInfo: {} } } } }],
    ['several queries of GraphQL', { data: { a: { nodes: [one] }, b: { nodes: [two] } } }],
    [
      'pages in a list',
      [
        { total_count: 2, items: [one] },
        { total_count: 2, items: [two] },
      ],
    ],
    ['lists in a list', [[one], [two]]],
    ['two lists', { items: [one], data: [two] }],
    ['two lists at different depths', { data: { items: [one] }, items: [two] }],
    ['records of two types', { organizations: [{ login: 'acme' }], skills: [one, two], prompts: [{ id: 'x' }] }],
    ['other lists of objects', { facets: [{ value: 'a' }], items: [one, two], links: [{ rel: 'next' }] }],
    ['rows of a page of a data set', { rows: [{ row: one }, { row: two }], partial: false }],
    ['fields of a table', { records: [{ fields: one }, { fields: two }] }],
    ['a list of that name', { code: 0, data: { list: [one, two], total: 2 } }],
    ['values', { pagelen: 10, values: [one, two], next: null }],
    ['the value of OData', { '@odata.context': 'x', '@odata.count': 2, value: [one, two] }],
    ['results of OData', { d: { results: [one, two], __count: '2' } }],
    ['packages', { total: 2, packages: [one, two] }],
    ['answers in a list', { results: [{ nbHits: 1, hits: [one] }, { hits: [] }, { hits: [two], index: 'skills' }] }],
    ['answers of several searches', { responses: [{ hits: { hits: [{ _source: one }, { _source: two }] } }] }],
    [
      'groups',
      {
        data: [
          { name: 'a', skills: [one] },
          { category: 'b', skills: [two] },
        ],
      },
    ],
    ['wrapped records', { total: 2, objects: [{ package: one, score: 1 }, { repo: two }] }],
  ])('%s', async (_what, document) => {
    const texts = [JSON.stringify(document), JSON.stringify(document, null, 1)]
    const found = await Promise.all([
      ...texts.map((text) => read(text, 5)),
      readAll(readNdjson(inPieces(`${texts[0]}\n`), 'skills')),
    ])

    for (const items of found) {
      expect(items.map((item) => item.replace(/"score":1,|^line 1, /g, ''))).toEqual(both)
    }
  })

  test('several follow each other, in one line or in several', async () => {
    const pages = [JSON.stringify({ total_count: 2, items: [one] }), JSON.stringify({ total_count: 2, items: [two] })]

    for (const separator of ['', '\n']) {
      expect(await read(pages.join(separator), 5)).toEqual(both)
      expect(await read(`[${JSON.stringify(one)}]${separator}[${JSON.stringify(two)}]`)).toEqual(both)
      const items = await readAll(readNdjson(inPieces(pages.join(separator)), 'skills'))
      expect(items.map((item) => item.replace(/^line \d, record \d/, ''))).toEqual(
        both.map((item) => item.replace(/^record \d/, '')),
      )
    }
  })

  test.each([
    ['after it', { items: [one], plugins: [two] }],
    ['before it', { plugins: [two], items: [one] }],
    ['in an object', { data: { items: [one], plugins: [{ repository: two }] } }],
  ])('another list of records is named: %s', async (_where, document) => {
    const text = JSON.stringify(document)
    const expected = [
      'record 1: {"full_name":"acme/one","topics":[{"data":[1]}]}',
      expect.stringContaining('"plugins", which was not read'),
    ]

    expect(await read(text, 5)).toEqual(expected)
    expect((await readAll(readNdjson(inPieces(text), 'skills'))).at(-1)).toContain('"plugins", which was not read')
  })

  test.each([
    ['records with lists of such names', { full_name: 'acme/one', items: [{ full_name: 'acme/two' }], nodes: [] }],
    ['objects with lists of such names', { full_name: 'acme/one', data: { items: [{ full_name: 'acme/two' }] } }],
  ])('%s are records', async (_what, record) => {
    expect(await read(JSON.stringify(record))).toEqual([`record 1: ${JSON.stringify(record)}`])
    expect(await read(JSON.stringify([record]))).toEqual([`record 1: ${JSON.stringify(record)}`])
    expect(await readAll(readNdjson(inPieces(JSON.stringify(record)), 'skills'))).toEqual([
      `line 1: ${JSON.stringify(record)}`,
    ])
  })

  test.each([
    { source: 'acme/kit', skillId: 'pdf', tags: [{ name: 'a' }] },
    { github: 'https://github.com/acme/kit', contributors: [{ login: 'jane' }] },
    { ownerHandle: 'acme', skillName: 'pdf', files: [{ name: 'SKILL.md' }] },
    { objectID: 'acme/kit', labels: [{ id: 1, title: 'x' }] },
  ])('%j is a record with a list', async (record) => {
    expect(await read(JSON.stringify([record]))).toEqual([`record 1: ${JSON.stringify(record)}`])
  })

  test.each<[document: unknown, what: string]>([
    [
      { name: 'market', owner: { name: 'Acme' }, plugins: [{ name: 'docs', source: './' }] },
      'a marketplace of plugins',
    ],
    [
      { name: 'web', version: '1.0.0', scripts: { test: 'jest' }, repository: 'acme/web' },
      'the package.json of a project',
    ],
    [
      { message: 'Not Found', documentation_url: 'https://docs.example' },
      'the error that a service answered, "Not Found"',
    ],
    [{ error: { code: 429, message: 'Slow down' } }, 'the error that a service answered, {"code":429'],
    [
      { tag_name: 'v1', tarball_url: 'https://a.example', html_url: 'https://github.com/acme/one' },
      'a release of a repository',
    ],
    [
      { number: 7, title: 'Bug', comments_url: 'x', html_url: 'https://github.com/acme/one/issues/7' },
      'an issue or a pull request',
    ],
    [
      {
        sha: 'a',
        url: 'https://api.github.com/repos/acme/one/git/trees/a',
        tree: [{ path: 'SKILL.md', type: 'blob' }],
      },
      'a list of the files of a repository',
    ],
    [{ before: { full_name: 'acme/one' }, after: null }, 'a change of a row'],
    [{ before: null, after: { full_name: 'acme/one' }, op: 'c', source: { db: 'a' } }, 'a change of a row'],
    [{ old: { full_name: 'acme/one' }, new: null }, 'a change of a row'],
    [{ payload: { before: { full_name: 'acme/one' }, after: null, op: 'd' } }, 'a change of a row'],
    [{ operationType: 'delete', documentKey: { _id: '1' } }, 'a change of a document of MongoDB'],
    [{ schema: { name: 'skills' }, payload: { full_name: 'acme/one' } }, 'a message with its schema'],
    [{ sequence: 7, id: 'acme/one', change: 'removed', skill: null }, 'an entry of a change feed'],
    [{ full_name: { 0: 'acme/one', 1: 'acme/two' }, stars: { 0: 1, 1: 2 } }, 'is a table by columns: write it by rows'],
    [{ full_name: ['acme/one', 'acme/two'], stars: [1, 2] }, 'is a table by columns'],
    [{ plugins: 'none', tools: [{ name: 'a', url: 'x' }] }, 'has a list "tools"'],
  ])('%j is no record, and named', async (document, what) => {
    expect(await read(JSON.stringify(document))).toEqual([
      expect.stringContaining(`record 1 rejected: is no record: it `),
    ])
    expect((await read(JSON.stringify(document)))[0]).toContain(what)
  })
})

test('a skill in a lock file has its place in its repository, or the name under which it stands', async () => {
  const source = 'acme/kit'
  const skills = {
    pdf: { source, skillPath: 'skills/pdf/SKILL.md' },
    csv: { source, sourceType: 'github', computedHash: 'ab12' },
    author: { source },
  }

  expect(await mapDocument({ version: 3, skills })).toMatchObject([
    { id: 'acme/kit@pdf', path: 'skills/pdf' },
    { id: 'acme/kit@csv' },
    { id: 'acme/kit@author' },
  ])
})

describe('an object that has each record under a name', () => {
  test.each<[what: string, document: object, ids: string[]]>([
    ['its id', { 'acme/one': { stars: 1 }, 'acme/two@csv': {} }, ['acme/one', 'acme/two@csv']],
    ['its id, alone', { 'acme/one': { stars: 1 } }, ['acme/one']],
    ['its id, in a member', { version: 1, skills: { 'acme/one': { description: 'One.' } } }, ['acme/one']],
    ['its number', { 0: { full_name: 'acme/one' }, 1: { full_name: 'acme/two' } }, ['acme/one', 'acme/two']],
    ['its key', { '-NxA1': { owner: 'acme', repo: 'one' }, '-NxA2': { repo: 'acme/two' } }, ['acme/one', 'acme/two']],
    ['its name', { pdf: { repo: 'acme/kit' }, csv: { repo: 'acme/kit' } }, ['acme/kit@pdf', 'acme/kit@csv']],
  ])('is read as a list of them: %s', async (_what, document, ids) => {
    expect(await mapDocument(document)).toEqual(ids.map((id) => expect.objectContaining({ id })))
  })

  test.each([
    ...['0', '65a1b2c3d4e5f60718293a4b', '-NxA1bCdEfGhIjKlMnOp', 'x8Kd93kdMd92kd03kAb1'],
    ...['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'k57e9cm2v8y3n4p5q6r7s8t9a0b1c2d3'],
  ])('names no record by its key %s', async (key) => {
    const document = { [key]: { full_name: 'acme/one' }, 'acme/two': {} }

    expect(await mapDocument(document)).toMatchObject([{ id: 'acme/one', name: 'one' }, {}])
  })

  test('costs an odd one that one', async () => {
    const document = { a1: { repo: 'acme/one' }, a2: { stars: 3 }, a3: { repo: 'acme/three' } }

    expect(await mapDocument(document)).toEqual([
      expect.objectContaining({ id: 'acme/one@a1' }),
      { reason: expect.stringContaining('does not say whose it is') },
      expect.objectContaining({ id: 'acme/three@a3' }),
    ])
  })

  test('keeps the titles of prompts, and gives them their names otherwise', async () => {
    const text = JSON.stringify({ a1: { act: 'Terminal', prompt: 'Be a terminal.' }, Poet: { prompt: 'Be a poet.' } })

    expect(await readAll(readJson(inPieces(text), 'prompts'))).toEqual([
      'record 1: {"act":"Terminal","prompt":"Be a terminal."}',
      'record 2: {"title":"Poet","prompt":"Be a poet."}',
    ])
  })
})

describe('a project of GitLab', () => {
  const project = {
    ...{ id: 1, name: 'Kit', path: 'kit', description: 'A kit.', star_count: 3, visibility: 'public' },
    ...{
      last_activity_at: '2026-10-01T00:00:00.000Z',
      namespace: { name: 'Acme Inc.', path: 'acme', full_path: 'acme' },
    },
  }

  test('is a repository: its path is no folder', async () => {
    const [url, path_with_namespace] = ['https://gitlab.com/acme/kit', 'acme/kit']

    expect(await mapDocument([{ ...project, path_with_namespace, web_url: url }])).toMatchObject([
      { id: 'acme/kit', name: 'Kit', path: null, stars: 3, url, updatedAt: '2026-10-01T00:00:00.000Z' },
    ])
  })

  test('in a group within a group has more than one owner, and is rejected', async () => {
    const deep = { ...project, path_with_namespace: 'acme/tools/kit', web_url: 'https://gitlab.com/acme/tools/kit' }

    expect(await mapDocument([deep])).toEqual([
      { reason: expect.stringMatching(/^web_url: must be the address of an owner\/repo at /) },
    ])
  })
})

test('a repository of Gitee and GitCode is read: its path is no folder', async () => {
  const repository = { full_name: 'acme/kit', human_name: 'Acme/Kit', path: 'kit', name: 'Kit', status: '开始' }

  expect(await mapDocument([repository])).toMatchObject([
    { id: 'acme/kit', name: 'Kit', path: null, state: 'published' },
  ])
})

test('the stars of a repository at Forgejo are read', async () => {
  const answer = { data: [{ full_name: 'acme/kit', stars_count: 4, html_url: 'https://codeberg.org/acme/kit' }] }

  expect(await mapDocument(answer)).toMatchObject([{ stars: 4 }])
})
