import { describe, expect, test } from '@jest/globals'
import { Decimal128, Double, Int32, Long, ObjectId } from 'mongodb'
import { mapRecord } from '../../services/indexer/import/map-record.js'
import { documentToStored } from '../../shared/adapters/servers/mongo/catalog/document.js'
import { defaultDocumentSettings, FieldNamesText } from '../../shared/records/document-settings.js'
import { documentNames } from '../../shared/records/field-names.js'
import { type RecordType, recordTypes } from '../../shared/records/records.js'

type Input = Record<string, unknown>

const fromImport = (type: RecordType, input: Input): Input => {
  const mapped = mapRecord(type, input)
  return 'reason' in mapped ? { reason: mapped.reason } : { ...mapped.record }
}

const fromDocument = (type: RecordType, input: Input): Input =>
  documentToStored(type, { _id: new ObjectId('65a000000000000000000000'), ...input }, defaultDocumentSettings)

/** What identifies a record of each type, under names that are in no other row. */
const identified: Record<RecordType, Input> = {
  skills: { ownerLogin: 'acme', repoName: 'tool' },
  prompts: { id: 'poet', act: 'Poet', body: 'Write.' },
  organizations: { login: 'acme' },
}

const time = ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z']
const address = ['https://acme.example/a', 'https://acme.example/a']
const text = ['Some text', 'Some text']

/** For each field: a value, what it is stored as, and the field in which it is stored where that is another one. */
const samples: Record<RecordType, Record<string, readonly unknown[]>> = {
  skills: {
    owner: ['Other', 'Other'],
    repo: ['Other', 'Other'],
    fullName: ['Other/Thing', 'other/thing', 'id'],
    identity: ['Other/Thing', 'other/thing', 'id'],
    source: ['Other/Thing', 'other/thing', 'id'],
    stats: [{ stars: 7, downloads: 9 }, 7, 'stars'],
    name: text,
    description: text,
    topics: ['#One, two', ['one', 'two']],
    license: [{ spdx_id: 'MIT' }, 'MIT'],
    language: text,
    homepage: address,
    url: ['git@github.com:acme/tool.git', 'https://github.com/acme/tool'],
    stars: [{ totalCount: '7' }, 7],
    forks: ['7', 7],
    version: [2, '2'],
    archived: ['yes', true],
    publishedAt: time,
    formerIds: ['Acme/Old', ['acme/old']],
    skill: ['PDF', 'acme/tool@pdf', 'id'],
    path: ['skills/pdf/SKILL.md', 'skills/pdf'],
    commit: ['0'.repeat(40), '0'.repeat(40)],
    digest: [`sha256:${'0'.repeat(64)}`, `sha256:${'0'.repeat(64)}`],
  },
  prompts: {
    id: ['Other', 'other'],
    title: text,
    description: text,
    content: text,
    type: ['TEXT', 'text'],
    topics: [
      ['#One', { name: 'two' }, 3],
      ['one', 'two', '3'],
    ],
    author: ['jane@mail.example, @kim', 'kim'],
    url: address,
    license: ['MIT', 'MIT'],
    repository: [{ private: true }, 'hidden', 'state'],
  },
  organizations: {
    login: ['@Other', 'other'],
    name: text,
    description: text,
    url: address,
    otherName: ['Some text', 'Some text', 'name'],
    avatarUrl: address,
    repository: [{ private: true }, 'hidden', 'state'],
  },
}

const ofAnyType: Record<string, readonly unknown[]> = {
  createdAt: time,
  updatedAt: time,
  state: [' Hidden ', 'hidden'],
  hidden: [true, 'hidden', 'state'],
  removed: [true, 'removed', 'state'],
  change: ['D', 'removed', 'state'],
  removedAt: time,
  status: ['Suspended', 'hidden', 'state'],
  visibility: ['PRIVATE', 'hidden', 'state'],
  level: ['Private', 'hidden', 'state'],
  place: [{ private: true }, 'hidden', 'state'],
  shown: [false, 'hidden', 'state'],
  hiddenAt: [time[0], 'hidden', 'state'],
  moderationFlags: [['blocked.malware'], 'hidden', 'state'],
  moderation: [{ verdict: 'malicious' }, 'hidden', 'state'],
  metadata: [{ internal: true }, 'hidden', 'state'],
}

/** The members that identify a record, unless the row that is tried does so itself. */
function othersFor(type: RecordType, field: string): Input {
  const row: Record<string, string[]> = {
    fullName: [],
    identity: [],
    source: [],
    removedAt: ['ownerLogin', 'repoName', 'id', 'act', 'body', 'login'],
    title: ['id', 'body'],
    content: ['id', 'act'],
    login: [],
    id: ['act', 'body'],
    owner: ['repoName'],
    repo: ['ownerLogin'],
  }
  const members = Object.entries(identified[type]).filter(([name]) => row[field]?.includes(name) ?? true)
  return { ...Object.fromEntries(members), ...(field === 'removedAt' ? { state: 'removed' } : {}) }
}

describe.each(recordTypes)('each name of a field of %s means the same in an import and in a document', (type) => {
  const rows = Object.entries<readonly string[]>(documentNames[type])

  test.each(rows.flatMap(([field, names]) => names.map((name) => [field, name] as const)))('%s: %s', (field, name) => {
    const [value, expected, storedIn = field] = samples[type][field] ?? ofAnyType[field] ?? []
    const input = { ...othersFor(type, field), [name]: value }

    expect(fromImport(type, input)).toHaveProperty(String(storedIn), expected)
    expect(fromDocument(type, input)).toHaveProperty(String(storedIn), expected)
  })
})

describe('each form of a value means the same in an import and in a document', () => {
  test.each<[field: string, value: unknown, expected: unknown]>([
    ['createdAt', '2026-01-28T02:32:57Z', '2026-01-28T02:32:57.000Z'],
    ['createdAt', '2026-01-28T02:32:57.123456+01:00', '2026-01-28T01:32:57.123Z'],
    ['createdAt', '2026-01-28', '2026-01-28T00:00:00.000Z'],
    ['createdAt', 1_769_567_577, '2026-01-28T02:32:57.000Z'],
    ['createdAt', '1769567577000', '2026-01-28T02:32:57.000Z'],
    ['createdAt', new Date(1_769_567_577_000), '2026-01-28T02:32:57.000Z'],
    ['createdAt', new Date(1_000), '1970-01-01T00:00:01.000Z'],
    ['createdAt', Long.fromNumber(1_769_567_577), '2026-01-28T02:32:57.000Z'],
    ['createdAt', { $date: '2026-01-28T02:32:57Z' }, '2026-01-28T02:32:57.000Z'],
    ['createdAt', { $date: { $numberLong: '1000' } }, '1970-01-01T00:00:01.000Z'],
    ['createdAt', { _seconds: 1, _nanoseconds: 0 }, '1970-01-01T00:00:01.000Z'],
    ['createdAt', { seconds: '1', nanos: 0 }, '1970-01-01T00:00:01.000Z'],
    ['createdAt', { seconds: 'x', nanos: 0 }, null],
    ['stars', 12, 12],
    ['stars', ' 12 ', 12],
    ['stars', Long.fromNumber(12), 12],
    ['stars', new Int32(12), 12],
    ['stars', new Double(12), 12],
    ['stars', Decimal128.fromString('12'), 12],
    ['stars', { $numberInt: '12' }, 12],
    ['stars', { $numberLong: '12' }, 12],
    ['stars', { $numberDouble: '12.0' }, 12],
    ['stars', { totalCount: { $numberInt: '12' } }, 12],
    ['version', 1.5, '1.5'],
    ['version', Decimal128.fromString('1.5'), '1.5'],
    ['version', '9007199254740993', '9007199254740993'],
    ['version', { $numberLong: '9007199254740993' }, '9007199254740993'],
    ['archived', 'Y', true],
    ['archived', 0, false],
    ['topics', '#pdf; ##ocr|c#', ['pdf', 'ocr', 'c#']],
    ['topics', ['#', '# Pdf', null, '', { name: 'OCR' }, new Int32(7)], ['#', 'pdf', 'ocr', '7']],
    ['topics', ['pdf', 'x'.repeat(101)], ['pdf']],
    ['license', { key: 'mit', name: 'MIT License' }, 'MIT'],
    ['license', { type: 'ISC' }, 'ISC'],
    ['license', 'NOASSERTION', null],
    ['license', { spdx_id: 'NOASSERTION', name: 'Other' }, null],
    ['license', 'Unknown', null],
    ['language', { name: 'Rust' }, 'Rust'],
    ['homepage', ' acme.example/a ', 'https://acme.example/a'],
    ['homepage', 'mailto:jane@mail.example', null],
    ['url', 'git+https://github.com/acme/tool.git', 'https://github.com/acme/tool'],
    ['url', { url: 'https://github.com/acme/tool' }, 'https://github.com/acme/tool'],
    ['formerIds', 'Acme/Old, acme/tool | acme/older, ACME/old', ['acme/old', 'acme/older']],
    ['description', 7, '7'],
    ['description', ' \n', null],
    ['state', 'REMOVED', undefined],
  ])('%s: %p', (field, value, expected) => {
    const input = { owner: 'acme', repo: 'tool', [field]: value }

    const [imported, read] = [fromImport('skills', input), fromDocument('skills', input)]

    expect(imported[field]).toEqual(field === 'state' ? 'removed' : expected)
    expect(read[field]).toEqual(imported[field])
  })

  test.each<[Input, string]>([
    [{ html_url: 'https://github.com/Acme/Tool/tree/main/skills' }, 'acme/tool'],
    [{ repository: { url: 'git+ssh://git@github.com/Acme/Tool.git' } }, 'acme/tool'],
    [{ repo: 'Acme/Tool' }, 'acme/tool'],
    [{ owner: { login: 'Acme' }, name: 'Tool' }, 'acme/tool'],
    [{ owner: ' @Acme ', slug: 'Tool' }, 'acme/tool'],
    [{ id: 7, full_name: 'x/y/z/a', nameWithOwner: 'Acme/Tool' }, 'acme/tool'],
    [{ owner: '', repo: null, full_name: 'Acme/Tool' }, 'acme/tool'],
    [{ id: 'Acme/Tool' }, 'acme/tool'],
  ])('%j is %s', (input, id) => {
    expect(fromImport('skills', input)).toMatchObject({ id, owner: 'Acme', repo: 'Tool' })
    expect(fromDocument('skills', input)).toMatchObject({ id, owner: 'Acme', repo: 'Tool' })
  })

  test('a full name says that the repository is at GitHub', () => {
    const input = { full_name: 'Acme/Tool' }

    expect(fromImport('skills', input)).toMatchObject({ url: 'https://github.com/Acme/Tool' })
    expect(fromDocument('skills', input)).toMatchObject({ url: 'https://github.com/Acme/Tool' })
  })

  test('a blank value or an empty list gives way to the next name', () => {
    const input = { owner: 'acme', repo: 'tool', name: ' ', title: 'Tool', topics: [], tags: ['pdf'] }

    expect(fromImport('skills', input)).toMatchObject({ name: 'Tool', topics: ['pdf'] })
    expect(fromDocument('skills', input)).toMatchObject({ name: 'Tool', topics: ['pdf'] })
  })

  test('of two spellings of a name the one of the table counts, wherever it stands', () => {
    for (const input of [
      { id: 'poet', title: 'T', content: 'c', isHidden: true, is_hidden: false, _id: 'other' },
      { _id: 'other', is_hidden: false, isHidden: true, content: 'c', title: 'T', id: 'poet' },
    ]) {
      expect(fromImport('prompts', input)).toMatchObject({ id: 'poet', state: 'hidden' })
      expect(fromDocument('prompts', input)).toMatchObject({ id: 'poet', state: 'hidden' })
    }
  })

  test('the `_id` of an exported collection identifies a prompt', () => {
    const $oid = '65a000000000000000000000'
    const input = { title: 'T', content: 'c' }

    expect(fromImport('prompts', { _id: { $oid }, ...input })).toMatchObject({ id: $oid })
    expect(fromDocument('prompts', input)).toMatchObject({ id: $oid })
  })
})

describe('a value that cannot be understood', () => {
  const skill = { owner: 'acme', repo: 'tool' }

  test.each([
    [{ createdAt: new Date(8.64e15) }, 'createdAt', null],
    [{ createdAt: new Date(Number.NaN) }, 'createdAt', null],
    [{ description: [['x']] }, 'description', null],
    [{ topics: [['x'], 'pdf'] }, 'topics', ['pdf']],
  ])('%p costs an imported record and a document the value', (input, field, expected) => {
    expect(fromImport('skills', { ...skill, ...input })).toMatchObject({ [field]: expected, state: 'published' })
    expect(fromDocument('skills', { ...skill, ...input })).toMatchObject({ [field]: expected, state: 'published' })
  })
})

describe('MONGODB_FIELDS', () => {
  const read = (fields: object, document: Input) =>
    documentToStored(
      'skills',
      { _id: 'a/b', ...document },
      {
        fields: FieldNamesText.parse(JSON.stringify({ skills: fields })),
      },
    )

  test('any field of the table can have other names, which are exact', () => {
    for (const field of Object.keys(documentNames.skills)) {
      expect(read({ [field]: 'someName' }, {})).toMatchObject({ id: 'a/b' })
    }
    expect(read({ stars: ['rank', 'Stars'] }, { stars: 1, Stars: 2, RANK: 3 })).toMatchObject({ stars: 2 })
    expect(read({ fullName: 'where' }, { where: 'Acme/Tool', fullName: 'x/y' })).toMatchObject({ id: 'acme/tool' })
  })

  test('a field that the catalog computes has none', () => {
    expect(() => read({ indexedAt: 'seen' }, {})).toThrow('indexedAt')
  })
})
