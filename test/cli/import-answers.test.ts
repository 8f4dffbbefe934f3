import { describe, expect, test } from '@jest/globals'
import { fileOf, line } from '../support/import-input.js'
import { runCatalog, withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Imports a file and returns the published skills and the result. */
async function importAnswer(content: string, type: 'skills' | 'prompts' = 'skills', name = 'answer.json') {
  const folder = temporaryFolder()
  const { json, stderr } = await runCatalog(folder, [
    'import',
    fileOf(name, content),
    '--type',
    type,
    '--no-update',
    '--json',
  ])
  const { rows } = await withStoresOf(folder, ({ catalog }) => catalog.exportRows(type, 10))
  return { rows, json, stderr }
}

describe('answers of services are read as they come', () => {
  test.each<[service: string, answer: unknown, skills: object[]]>([
    [
      'GitHub',
      {
        total_count: 1,
        incomplete_results: false,
        items: [
          {
            id: 7,
            node_id: 'MDEwOlJlcG9zaXRvcnkxMjk2MjY5',
            name: 'Label-Printer',
            full_name: 'acme/Label-Printer',
            private: false,
            owner: { login: 'acme', id: 2, type: 'User' },
            html_url: 'https://github.com/acme/Label-Printer',
            url: 'https://api.github.com/repos/acme/Label-Printer',
            description: 'Prints labels',
            fork: false,
            forks_count: 9,
            stargazers_count: 12,
            language: 'C',
            license: { key: 'mit', name: 'MIT License', spdx_id: 'MIT' },
            topics: ['Printing', 'API', 'api '],
            archived: true,
            disabled: false,
            homepage: '',
            visibility: 'public',
            pushed_at: '2011-01-26T19:06:43Z',
            created_at: '2011-01-26T19:01:12Z',
            updated_at: '2020-01-26T19:14:43Z',
          },
        ],
      },
      [
        {
          ...{ id: 'acme/label-printer', owner: 'acme', repo: 'Label-Printer', name: 'Label-Printer' },
          ...{ description: 'Prints labels', topics: ['printing', 'api'], license: 'MIT', language: 'C' },
          ...{ homepage: null, url: 'https://github.com/acme/Label-Printer', stars: 12, forks: 9, version: null },
          ...{ archived: true, createdAt: '2011-01-26T19:01:12.000Z', updatedAt: '2011-01-26T19:06:43.000Z' },
        },
      ],
    ],
    [
      'a registry with objects for owner, version and tags',
      {
        skill: {
          slug: 'label-printer',
          displayName: 'Labels',
          tags: { latest: '1.2.0' },
          topics: [],
          stats: { stars: 12 },
        },
        latestVersion: { version: '1.2.0', createdAt: 1_760_000_000_000 },
        owner: { handle: 'acme', displayName: 'Acme' },
        moderation: { isSuspicious: false, isMalwareBlocked: false, verdict: 'clean' },
      },
      [{ id: 'acme/label-printer', name: 'Labels', stars: 12, version: '1.2.0', topics: [] }],
    ],
    [
      'the registry of MCP servers',
      {
        servers: [
          {
            server: {
              name: 'io.github.acme/one',
              repository: { url: 'https://github.com/acme/one', source: 'github' },
              packages: [{ identifier: 'x' }],
            },
            _meta: { 'registry.example/official': { status: 'active', isLatest: true } },
          },
          {
            server: {
              name: 'io.github.acme/two',
              repository: { url: 'https://github.com/acme/two' },
              _meta: { publisher: {} },
            },
            _meta: { 'registry.example/official': { status: 'deleted' } },
          },
        ],
        metadata: { count: 2 },
      },
      [{ id: 'acme/one', name: 'io.github.acme/one' }],
    ],
  ])('%s', async (_service, answer, skills) => {
    const { rows, json, stderr } = await importAnswer(JSON.stringify(answer))

    expect([json['status'], json['droppedValues'], stderr]).toEqual([0, 0, ''])
    expect(rows).toEqual(skills.map((skill) => expect.objectContaining(skill)))
  })

  test('prompts', async () => {
    const prompts = [
      {
        id: 'p1',
        title: 'Reviewer',
        content: 'Review this.',
        author: { username: 'jane' },
        tags: [{ tag: { name: 'Code' } }],
      },
      { id: 'p2', title: 'Tester', content: 'Test this.', author: { username: 'hans' }, isPrivate: true },
    ]

    const { rows } = await importAnswer(JSON.stringify({ prompts, total: 2 }), 'prompts')

    expect(rows).toEqual([expect.objectContaining({ id: 'p1', author: 'jane', topics: ['code'] })])
  })
})

test('--replace removes nothing that is in a second list, whether it is read or not', async () => {
  const folder = temporaryFolder()
  await runCatalog(folder, ['import', fileOf('a.ndjson', line('a') + line('b')), '--type', 'skills', '--no-update'])
  const [a, b] = ['a', 'b'].map((repo) => ({ owner: 'acme', repo }))
  const replaceWith = (document: object) =>
    runCatalog(folder, [
      'import',
      fileOf('a.json', JSON.stringify(document)),
      '--type',
      'skills',
      '--no-update',
      '--replace',
      '--json',
    ])

  const read = await replaceWith({ items: [a], data: [b] })
  const unread = await replaceWith({ items: [a], others: [b] })
  const removed = await replaceWith({ meta: { lists: [[1]] }, items: [a] })

  expect([read.status, read.json['removed'], read.json['unchanged']]).toEqual([0, 0, 2])
  expect([unread.status, unread.json['removed']]).toEqual([1, 0])
  expect(unread.stderr).toContain('has another list of records, "others", which was not read')
  expect(unread.stderr).toContain('Nothing was removed, despite --replace: not every source was read to its end.')
  expect([removed.status, removed.json['removed']]).toEqual([0, 1])
})

test('--replace removes nothing when its answer is the first of several pages', async () => {
  const folder = temporaryFolder()
  const importing = (name: string, content: string, ...more: string[]) =>
    runCatalog(folder, ['import', fileOf(name, content), '--type', 'skills', '--no-update', '--json', ...more])
  await importing('a.ndjson', line('a') + line('b'))
  const answer = (total: number) => JSON.stringify({ items: [{ owner: 'acme', repo: 'a' }], total_count: total })

  const first = await importing('first.json', answer(2), '--replace')
  const preview = await importing('first.json', answer(2), '--replace', '--dry-run')
  const whole = await importing('whole.json', answer(1), '--replace')

  expect([first.status, first.json['removed'], first.json['unchanged']]).toEqual([1, 0, 1])
  expect(first.stderr).toContain('say that there are 2 records, and have 1: ask their service for all pages')
  expect([preview.status, preview.json['removed']]).toEqual([1, 0])
  expect([whole.status, whole.json['removed']]).toEqual([0, 1])
})
