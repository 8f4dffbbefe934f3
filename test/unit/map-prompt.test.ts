import { describe, expect, test } from '@jest/globals'
import { mapRecord } from '../../services/indexer/import/map-record.js'
import { findHandle } from '../../shared/privacy/personal-addresses.js'
import { promptId, promptIdentity } from '../../shared/text/prompt-id.js'

const map = (source: Record<string, unknown>): Record<string, unknown> => {
  const mapped = mapRecord('prompts', source)
  return 'reason' in mapped ? { id: mapped.id, reason: mapped.reason } : mapped.record
}

test('the field names of prompt collections are supported', () => {
  expect(
    map({ act: 'Linux Terminal', prompt: 'Act as a\r\nterminal.', type: 'TEXT', for_devs: 'TRUE', contributor: '@f' }),
  ).toEqual({
    id: promptId('Linux Terminal', 'author f'),
    title: 'Linux Terminal',
    description: null,
    content: 'Act as a\nterminal.',
    type: 'text',
    topics: [],
    author: 'f',
    url: null,
    license: null,
    createdAt: null,
    updatedAt: null,
    state: 'published',
    removedAt: null,
    for_devs: 'TRUE',
  })
})

test.each([
  [{ title: 'Poet', system_prompt: 'Be a poet.' }],
  [{ title: { de: 'Dichter', en: 'Poet' }, content: { de: 'Sei ein Dichter.', en: 'Be a poet.' } }],
  [{ title: { fr: 'Poet', 'pt-BR': 'Poeta' }, content: { 'pt-BR': 'Seja um poeta.', fr: 'Be a poet.' } }],
  [{ title: { 'en-GB': 'Poet', de: 'Dichter' }, content: { de: 'Sei ein Dichter.', en_US: 'Be a poet.' } }],
])('%j is read as another spelling of a prompt', (source) => {
  expect(map(source)).toMatchObject({ title: 'Poet', content: 'Be a poet.' })
})

test.each([
  [
    {
      prompt: [
        { role: 'system', content: 'Be a poet.' },
        { role: 'user', content: '{{topic}}' },
      ],
    },
  ],
  [
    {
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be a poet.' }] },
        { role: 'user', content: '{{topic}}' },
      ],
    },
  ],
  [
    {
      prompt_template: {
        type: 'chat',
        messages: [
          { role: 'system', content: 'Be a poet.' },
          { type: 'placeholder' },
          { role: 'user', content: '{{topic}}' },
        ],
      },
    },
  ],
])('the messages of a chat are one text: %j', (source) => {
  expect(map({ prompt_name: 'Poet', ...source })).toMatchObject({ content: 'system: Be a poet.\n\nuser: {{topic}}' })
})

test('what a prompt lacks may be in objects of it, and nothing else of them is read', () => {
  const poet = {
    meta: { title: 'Poet', tags: ['verse'] },
    config: { systemRole: 'Be a poet.' },
    metadata: { title: 'P' },
  }

  expect(map(poet)).toMatchObject({ title: 'Poet', content: 'Be a poet.', topics: ['verse'] })
  expect(map({ ...poet, name: 'Bard', prompt: 'Sing.' })).toMatchObject({ title: 'Bard', content: 'Sing.' })
  expect(map({ ...poet, metadata: { private: true } })).toMatchObject({ title: 'Poet', state: 'hidden' })
})

test('a single message has no role in its text', () => {
  const parts = { type: 'completion', content: [{ type: 'text', text: 'Be a poet.' }] }

  expect(map({ title: 'Poet', messages: [{ role: 'user', content: 'Be a poet.' }] })).toMatchObject({
    content: 'Be a poet.',
  })
  expect(map({ title: 'Poet', prompt_template: parts })).toMatchObject({ content: 'Be a poet.' })
  expect(map({ title: 'Poet', prompt: ['Be a poet.'] })).toMatchObject({
    reason: 'prompt: must be text, not ["Be a poet."]',
  })
})

test('an object without a text in a language is none', () => {
  expect(map({ title: { key: 'poet' }, content: 'x' })).toMatchObject({
    reason: 'title: must be text, not {"key":"poet"}',
  })
})

test('a long type is shortened, as in documents of other applications', () => {
  expect(map({ act: 'Linux Terminal', prompt: 'Act.', type: 'x'.repeat(60) })).toMatchObject({
    type: `${'x'.repeat(49)}…`,
  })
})

describe('identity', () => {
  test('the id of the source is kept, in lower case', () => {
    expect(map({ id: 'Explain-It', title: 'Explain it', content: 'x' })).toMatchObject({ id: 'explain-it' })
    expect(map({ objectID: 'k1', title: 'Explain it', content: 'x' })).toMatchObject({ id: 'k1' })
  })

  test('equal titles have equal ids, which contain the words', () => {
    expect(promptId('Ethereum Developer')).toBe('ethereum-developer-8de2a30ffe8c')
  })

  test('prompts of one title are distinguished by their authors, and without one by their contents', () => {
    const id = (prompt: object) => map({ act: 'Code Reviewer', ...prompt })['id']
    const ids = [
      id({ prompt: 'one', contributor: 'jane' }),
      id({ prompt: 'one', contributor: 'hans' }),
      id({ prompt: 'one' }),
      id({ prompt: 'two', contributor: 'jane@mail.example' }),
    ]

    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toContain(id({ prompt: 'a correction', contributor: 'Jane' }))
    expect(ids).toContain(id({ prompt: 'one ', contributor: 'hans@mail.example' }))
  })

  test('an identity by content does not depend on how texts are cleaned', () => {
    const identities = ['Be brief.\r\n🛠\ufe0f\u{e0041}', 'Be brief. 🛠 ', '\ufeffBe brief.🛠'].map((content) =>
      promptIdentity({ author: null, content }),
    )

    expect(new Set(identities).size).toBe(1)
  })

  test('titles with the same words have different ids', () => {
    const titles = ['C', 'C#', 'C++', 'c', '提示', '翻译', '🚀', 'Linux Terminal', 'linux terminal', 'linux-terminal']

    expect(new Set(titles.map((title) => promptId(title))).size).toBe(titles.length)
  })

  test('an id is short for any title', () => {
    expect(promptId('word '.repeat(200)).length).toBeLessThanOrEqual(80)
  })
})

describe('author', () => {
  test.each([
    ['f', 'f'],
    ['@ameya-2003', 'ameya-2003'],
    ['https://github.com/f', 'f'],
    ['user-ddc9552e@mail.example', null],
    ['someone@mail.example, f', 'f'],
    ['Jane Doe <jane@mail.example>', null],
    ['Jane Doe', null],
    [`ghp_${'aB3dE5gH7jK9'.repeat(3)}`, null],
    ['@jane@social.example', null],
    ['', null],
    [['jane@mail.example', 'kim'], 'kim'],
    [{ name: 'Jane Doe', email: 'jane@mail.example' }, null],
    [{ login: 'jane', email: 'jane@mail.example' }, 'jane'],
  ])('of %j it is %j', (value, author) => {
    expect(findHandle([value])).toBe(author)
  })
})

test.each([
  [{ prompt: 'x' }, { id: null, reason: 'title: is missing' }],
  [
    { title: 'Empty', prompt: ' ' },
    { id: null, reason: 'content: is missing' },
  ],
  [
    { title: 'Wrong', prompt: ['x'] },
    { id: null, reason: 'prompt: must be text, not ["x"]' },
  ],
])('%j is rejected', (source, rejected) => {
  expect(map(source)).toEqual(rejected)
})

test('what a program writes for no value is neither an id nor an author; a title it may be', () => {
  expect(map({ id: 'NULL', title: 'null', content: 'Write.', author: 'None' })).toMatchObject({
    id: expect.stringMatching(/^null-/),
    title: 'null',
    author: null,
  })
})

describe('organizations', () => {
  test("GitHub's field names are supported", () => {
    const mapped = mapRecord('organizations', {
      login: 'Acme',
      id: 9,
      name: 'Acme Works',
      url: 'https://api.github.com/orgs/Acme',
      html_url: 'https://github.com/Acme',
      avatar_url: 'https://avatars.example/9.png',
      bio: 'We make anvils.',
      email: 'info@mail.example',
      created_at: '2020-01-01T00:00:00Z',
    })

    expect(mapped).toEqual({
      id: 'acme',
      hasState: false,
      dropped: [],
      record: {
        login: 'acme',
        name: 'Acme Works',
        description: 'We make anvils.',
        url: 'https://github.com/Acme',
        avatarUrl: 'https://avatars.example/9.png',
        createdAt: '2020-01-01T00:00:00.000Z',
        updatedAt: null,
        state: 'published',
        removedAt: null,
        id: 9,
        email: 'info@mail.example',
      },
    })
  })

  test('a name that is a valid login replaces a missing login', () => {
    expect(mapRecord('organizations', { name: 'Acme' })).toMatchObject({ id: 'acme' })
  })

  test.each([
    [{}, /^login: is missing$/],
    [{ name: 'Acme Works' }, /^login: must be .*, not "acme works"$/],
  ])('%j is rejected', (source, reason) => {
    expect(mapRecord('organizations', source)).toEqual({ id: null, reason: expect.stringMatching(reason) })
  })
})
