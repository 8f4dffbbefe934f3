import { describe, expect, test } from '@jest/globals'
import { mapRecord } from '../../services/indexer/import/map-record.js'

/** The stored record, or the reason of the rejection. */
const map = (source: Record<string, unknown>): Record<string, unknown> => {
  const mapped = mapRecord('skills', source)
  return 'reason' in mapped ? { id: mapped.id, reason: mapped.reason } : mapped.record
}

describe('its fields', () => {
  test('a name without visible characters is replaced with the repository', () => {
    expect(map({ owner: 'acme', repo: 'pdf', name: '\u0000\ud800 ' })).toMatchObject({ name: 'pdf' })
  })

  test('a long name and a long description are shortened', () => {
    const mapped = map({ owner: 'acme', repo: 'pdf', name: 'x'.repeat(300), description: 'y'.repeat(20_000) })

    expect([String(mapped['name']).length, String(mapped['description']).length]).toEqual([200, 10_000])
  })

  test('no more than 20 topics are kept', () => {
    const tags = Array.from({ length: 50 }, (_, index) => `t${index}`)

    expect(map({ owner: 'acme', repo: 'pdf', tags })['topics']).toEqual(tags.slice(0, 20))
  })

  test.each<[Record<string, unknown>, string]>([
    [
      { url: 'https://registry.example/acme/pdf', github: 'https://github.com/acme/pdf' },
      'https://github.com/acme/pdf',
    ],
    [
      { html_url: 'https://registry.example/1', cloneUrl: 'git@gitlab.com:acme/pdf.git' },
      'https://gitlab.com/acme/pdf',
    ],
    [{ links: { html: { href: 'https://bitbucket.org/acme/pdf' }, clone: [] } }, 'https://bitbucket.org/acme/pdf'],
    [{ url: 'https://registry.example/acme/pdf', link: 'https://acme.example' }, 'https://registry.example/acme/pdf'],
  ])('the address of a repository comes before that of a page about it: %j', (given, url) => {
    expect(map({ full_name: 'acme/pdf', ...given })).toMatchObject({ id: 'acme/pdf', url })
  })

  test('the address of a repository says whose it is, also next to that of a page about it', () => {
    const given = { url: 'https://registry.example/42', source_url: 'https://github.com/acme/kit/tree/main/skills/pdf' }

    expect(map({ name: 'pdf', ...given })).toMatchObject({ id: 'acme/kit@pdf', path: 'skills/pdf' })
  })
})

test.each([
  [{ name: ['PDF'] }, { name: 'PDF' }],
  [{ description: ['One.', 'Two.'] }, { description: 'One.\nTwo.' }],
  [{ description: { zh: '计时', en: 'Times.' } }, { description: 'Times.' }],
  [{ long_description: 'All of it.', shortDescription: 'Times.' }, { description: 'Times.' }],
  [{ desc: 'Times.', description: '' }, { description: 'Times.' }],
  [{ tags: 'baking, timer' }, { topics: ['baking', 'timer'] }],
  [{ tags: '#baking #timer' }, { topics: ['baking', 'timer'] }],
])('a value in another form that says what is meant is read: %j', (fields, read) => {
  expect(mapRecord('skills', { owner: 'acme', repo: 'pdf', ...fields })).toMatchObject({ record: read, dropped: [] })
})

describe('a value that its field cannot have costs only the value', () => {
  const addressed = { owner: 'acme', repo: 'pdf' }

  test.each<[fields: Record<string, unknown>, read: Record<string, unknown>, dropped: string]>([
    [{ stars: -1 }, { stars: null }, 'stars: must be a whole number, 0 or more, not -1'],
    [{ stars: 1.5 }, { stars: null }, 'stars: must be a whole number, 0 or more, not 1.5'],
    [{ stars: '1.234' }, { stars: null }, 'stars: must be a whole number, 0 or more, not "1.234"'],
    [{ stars: '1,23,456' }, { stars: null }, 'stars: must be a whole number, 0 or more, not "1,23,456"'],
    [{ stars: 'many' }, { stars: null }, 'stars: must be a whole number, 0 or more, not "many"'],
    [
      { stars: '9007199254740993' },
      { stars: null },
      'stars: must be a whole number, 0 or more, not "9007199254740993"',
    ],
    [{ name: { en: 'PDF' } }, { name: 'pdf' }, 'name: must be text, not {"en":"PDF"}'],
    [{ description: ['x', 7] }, { description: null }, 'description: must be text, not ["x",7]'],
    [{ name: ['x', 'y'] }, { name: 'pdf' }, 'name: must be text, not ["x","y"]'],
    [{ topics: 7 }, { topics: [] }, 'topics: must be a list of words, or words separated by commas, not 7'],
    [{ archived: 'perhaps' }, { archived: false }, 'archived: must be true or false, not "perhaps"'],
    [
      { updatedAt: 'last week' },
      { updatedAt: null },
      'updatedAt: must be a time: ISO 8601, a date, or epoch seconds or milliseconds, not "last week"',
    ],
    [
      { formerIds: ['old', 'a/b'] },
      { formerIds: ['a/b'] },
      'formerIds: must be a list of owner/repo or owner/repo@skill, not "old"',
    ],
    [{ formerIds: 7 }, { formerIds: [] }, 'formerIds: must be a list of owner/repo or owner/repo@skill, not 7'],
  ])('%j', (fields, read, dropped) => {
    expect(mapRecord('skills', { ...addressed, ...fields })).toMatchObject({ record: read, dropped: [dropped] })
  })
})

test.each<[fields: Record<string, unknown>, read: Record<string, unknown>]>([
  [{ stars: 'many', stargazers_count: 5 }, { stars: 5 }],
  [{ updated_at: 'last week', modified_at: 7 }, { updatedAt: '1970-01-01T00:00:07.000Z' }],
  [{ display_name: { a: 1 }, title: 'PDF' }, { name: 'PDF' }],
  [{ description: ['x', 7], summary: 'One.' }, { description: 'One.' }],
  [{ topics: 7, tags: ['pdf'] }, { topics: ['pdf'] }],
  [{ name: ['x', 'y'], title: 'PDF', repo: 'pdf' }, { name: 'PDF' }],
  [{ homepage: 'soon', website: 'https://a.example/' }, { homepage: 'https://a.example/' }],
])('a value that its field cannot have costs no other of the field: %j', (fields, read) => {
  const [name = ''] = Object.keys(fields)
  const mapped = mapRecord('skills', { owner: 'acme', repo: 'pdf', ...fields })

  expect(mapped).toMatchObject({ record: read, dropped: [expect.stringContaining(`${name}: must be`)] })
})

test('an address with an e-mail address in it is named as it is, below another name too', () => {
  const website = 'https://a.example/?mail=jane@mail.example'
  const fields = { owner: 'acme', repo: 'pdf', homepage: 'soon', website }

  expect(mapRecord('skills', fields)).toMatchObject({
    record: { homepage: null },
    dropped: [
      'homepage: must be an http or https address, not "soon"',
      `website: must not hold an e-mail address, not "${website}"`,
    ],
  })
})

test.each([{ topics: { pdf: false } }, { topics: [] }, { topics: Number.NaN }, { topics: 'N/A' }])(
  'topics that are none are read from another name, and nothing is dropped: %j',
  (fields) => {
    expect(mapRecord('skills', { owner: 'acme', repo: 'pdf', ...fields, tags: ['ocr'] })).toMatchObject({
      record: { topics: ['ocr'] },
      dropped: [],
    })
  },
)

test('an odd title of a prompt is dropped once', () => {
  expect(mapRecord('prompts', { title: { a: 1 }, act: 'Poet', prompt: 'Write.' })).toMatchObject({
    record: { title: 'Poet' },
    dropped: ['title: must be text, not {"a":1}'],
  })
})

describe('values that other programs write', () => {
  test.each<[fields: Record<string, unknown>, read: Record<string, unknown>]>([
    [{ stars: 12.0 }, { stars: 12 }],
    [{ stars: '12.0' }, { stars: 12 }],
    [{ stars: '18,420' }, { stars: 18_420 }],
    [{ stars: '1,234,567' }, { stars: 1_234_567 }],
    [{ stars: '1.234.567' }, { stars: 1_234_567 }],
    [{ stars: "1'234" }, { stars: 1_234 }],
    [{ stars: '18 420' }, { stars: 18_420 }],
    [{ stars: '18\u202f420' }, { stars: 18_420 }],
    [{ stars: '1e3' }, { stars: 1_000 }],
    [{ stars: '1.2E+05' }, { stars: 120_000 }],
    [{ stars: '1.2k' }, { stars: 1_200 }],
    [{ stars: '12,5k' }, { stars: 12_500 }],
    [{ stars: '1.2 K stars' }, { stars: 1_200 }],
    [{ stars: '⭐ 1,234' }, { stars: 1_234 }],
    [{ stars: '500+' }, { stars: 500 }],
    [{ stars: '12,00' }, { stars: 12 }],
    [{ stars: '１２' }, { stars: 12 }],
    [
      { stars: '—', license: '-', version: '–' },
      { stars: null, license: null, version: null },
    ],
    [{ archived: 'WAHR' }, { archived: true }],
    [
      { archived: 'Ja', private: 'FALSCH' },
      { archived: true, state: 'published' },
    ],
    [{ private: 'VRAI' }, { state: 'hidden' }],
    [{ published: 'nein' }, { state: 'hidden' }],
    [
      { 'license.key': 'mit', 'license.spdx_id': 'MIT', 'primaryLanguage.name': 'Go', 'latestRelease.tagName': 'v2' },
      { license: 'MIT', language: 'Go', version: 'v2' },
    ],
    [
      { licenseInfo_name: 'MIT License', 'stargazers.totalCount': '7' },
      { license: 'MIT', stars: 7 },
    ],
    [{ license: ['MIT', { type: 'Apache-2.0' }] }, { license: 'MIT, Apache-2.0' }],
    [{ licenses: [{ license: { id: 'MIT' } }] }, { license: 'MIT' }],
    [{ license: { title: 'MIT', file: 'LICENSE' } }, { license: 'MIT' }],
    [{ tags: { pdf: true, ocr: false } }, { topics: ['pdf'] }],
    [
      { license: "{'key': 'mit', 'spdx_id': 'MIT', 'url': None}", language: '{"name": "Go"}' },
      { license: 'MIT', language: 'Go' },
    ],
    [
      { license: "{'name': MIT License, 'url': https://a.example/mit}", topics: "[{'name': pdf}, {'name': \"o'cr\"}]" },
      { license: 'MIT', topics: ['pdf', "o'cr"] },
    ],
    [{ topics: { list: [{ element: 'pdf' }] } }, { topics: ['pdf'] }],
    [{ topics: '{"nodes": [{"topic": {"name": "pdf"}}]}' }, { topics: ['pdf'] }],
    [{ topics: [{ tag_name: 'pdf' }, { value: 'ocr', count: 2 }] }, { topics: ['pdf', 'ocr'] }],
    [
      { name: '{"name": "x"}', description: '{"a": 1}' },
      { name: '{"name": "x"}', description: '{"a": 1}' },
    ],
    [{ tags: { pdf: 3, csv: 0.5, ocr: 0 } }, { topics: ['pdf', 'csv'] }],
    [{ tags: { pdf: 'true', csv: 'False' } }, { topics: ['pdf'] }],
    [{ topics: { totalCount: 3 } }, { topics: [] }],
    [{ tags: '表格、发票，ocr；pdf' }, { topics: ['表格', '发票', 'ocr', 'pdf'] }],
    [{ tags: '- pdf\n- #ocr\n* c++' }, { topics: ['pdf', 'ocr', 'c++'] }],
    [
      { License: { SPDX_ID: 'MIT' }, primary_language: { Name: 'Go' }, stargazers: { TotalCount: 4 } },
      { license: 'MIT', language: 'Go', stars: 4 },
    ],
    [
      { topics: { Nodes: [{ Topic: { Name: 'PDF' } }] }, visibility: { Name: 'Private' } },
      { topics: ['pdf'], state: 'hidden' },
    ],
    [{ last_updated_at: '2026-02-03T14:38:10Z' }, { updatedAt: '2026-02-03T14:38:10.000Z' }],
    [{ tags: 'pdf\nocr' }, { topics: ['pdf', 'ocr'] }],
    [{ stars: '-0' }, { stars: null }],
    [{ stars: -0 }, { stars: 0 }],
    [{ stars: 'NULL', stargazers_count: 7 }, { stars: 7 }],
    [
      { stars: Number.NaN, forks: 'nan', updatedAt: 'NaT', archived: 'None' },
      { stars: null, archived: false },
    ],
    [
      { license: '#NAME?', language: 'None', version: '#NV', homepage: '#REF!' },
      { license: null, language: null },
    ],
    [
      { description: 'nan', topics: 'NaN' },
      { description: null, topics: [] },
    ],
    [
      { description: '\\N', name: '\\N', topics: '\\N' },
      { description: null, name: 'pdf', topics: [] },
    ],
    [
      { name: 'None', description: 'NA', topics: 'N/A', stars: 'NA' },
      { name: 'pdf', description: null, topics: [], stars: null },
    ],
    [
      { name: 'null', topics: ['NaN', 'None'] },
      { name: 'null', topics: ['nan', 'none'] },
    ],
    [
      { createdAt: '0001-01-01T00:00:00Z', updatedAt: 0 },
      { createdAt: null, updatedAt: null },
    ],
    [{ createdAt: '2025-01', updatedAt: '2025' }, { createdAt: '2025-01-01T00:00:00.000Z' }],
    [{ pushed_at: '2024-07-01 20:40:12+00' }, { updatedAt: '2024-07-01T20:40:12.000Z' }],
    [{ published: true }, { publishedAt: null }],
  ])('%j', (fields, read) => {
    const mapped = map({ owner: 'acme', repo: 'pdf', ...fields })

    expect(mapped).toMatchObject(read)
  })

  test.each(['null', 'nan', 'None'])('an owner or a repository may be named %s', (word) => {
    expect(map({ owner: word, repo: word })).toMatchObject({ owner: word, repo: word, name: word })
  })
})

describe('omitted values are reported with the field name of the source', () => {
  const dropped = (source: Record<string, unknown>) => {
    const mapped = mapRecord('skills', { owner: 'acme', repo: 'pdf', ...source })
    return 'dropped' in mapped ? mapped.dropped : mapped.reason
  }

  test.each([
    [{ website: 'javascript:1' }, ['website: must be an http or https address, not "javascript:1"']],
    [
      { homepage: 'https://a.example/?mail=jane@mail.example' },
      ['homepage: must not hold an e-mail address, not "https://a.example/?mail=jane@mail.example"'],
    ],
    [{ repo_url: 'ftp://a.example/b' }, ['repo_url: must be an http or https address, not "ftp://a.example/b"']],
    [{ repository: 'acme/pdf', url: 'https://a.example' }, []],
    [{ repository: 'acme/pdf' }, []],
    [{ full_name: 'x/y/z/a' }, ['full_name: must be owner/repo, not "x/y/z/a"']],
    [{ path: '../up' }, ['path: must be a folder of the repository such as skills/pdf, not "../up"']],
    [{ path: 'https://github.com/a/b' }, [expect.stringMatching(/^path: must be a folder of the repository/)]],
    [{ commit: 'main' }, ['commit: must be the 40 or 64 digits of a commit, not "main"']],
    [{ digest: 'md5:0' }, ['digest: must be sha256: and 64 hexadecimal digits, not "md5:0"']],
    [{ display_name: 'x'.repeat(300) }, ['display_name: all after 200 of its 300 characters']],
    [{ summary: 'x'.repeat(10_001) }, ['summary: all after 10000 of its 10001 characters']],
    [
      { tags: [...Array.from({ length: 22 }, (_, at) => `t${at}`), 't1', 'T2', ''] },
      ['tags: 2 of the list: at most 20 are kept, of at most 100 characters, and no e-mail address'],
    ],
    [{ tags: ['x'.repeat(101), 'pdf'] }, [expect.stringMatching(/^tags: 1 of the list/)]],
    [
      { former_ids: Array.from({ length: 101 }, (_, at) => `acme/t${at}`) },
      ['formerIds: 1 of the list: at most 100 are kept'],
    ],
    [{ license: 'NOASSERTION', homepage: ' ', tags: '', description: null }, []],
  ])('%j', (source, expected) => {
    expect(dropped(source)).toEqual(expected)
  })
})
