import { describe, expect, test } from '@jest/globals'
import { readSkillMd } from '../../services/indexer/import/read-skill-md.js'

const read = (content: string, path = '/skills/acme/pdf/SKILL.md') =>
  readSkillMd(path, '/skills', { head: content, digest: 'sha256:d' })

test('the front matter has the skill, and its path the owner and repository', () => {
  const content =
    '\ufeff---\r\nname: PDF tools\r\ndescription: >\r\n  Reads\r\n  PDF.\r\ntags: [pdf, ocr]\r\nversion: 1.10\r\nlicense: null\r\n---\r\n# Text\r\n---\r\n'

  expect(read(content)).toEqual({
    place: 'front matter',
    identity: { owner: 'acme', repo: 'pdf', path: '' },
    record: {
      name: 'PDF tools',
      description: 'Reads PDF.\n',
      tags: ['pdf', 'ocr'],
      version: '1.10',
      owner: 'acme',
      repo: 'pdf',
      path: '',
      digest: 'sha256:d',
    },
    sizeBytes: expect.any(Number),
    dropped: [],
  })
})

test('metadata is used too, but other fields take precedence', () => {
  expect(read('---\nversion: 2\nmetadata:\n  version: 1\n  author: Jane\n---\n')).toMatchObject({
    record: { version: '2', author: 'Jane' },
  })
})

test.each([
  ['acme/web/.claude/skills/notes', { skill: 'notes', path: '.claude/skills/notes' }],
  ['acme/web/skills/.curated/mail', { skill: 'mail', path: 'skills/.curated/mail' }],
  ['acme/web', { path: '' }],
])('the first two folders are owner and repository, the others its folder: %s', (path, place) => {
  expect(read('---\ndescription: a\n---\n', `/skills/${path}/SKILL.md`)).toMatchObject({
    record: { owner: 'acme', repo: 'web', ...place },
  })
})

test('in a checkout the whole path is its folder, and its name is that of the front matter', () => {
  const checkout = { folder: '/src', owner: 'acme', repo: 'web', url: 'https://git.example/acme/web', commit: 'c0ffee' }
  const { folder: _, ...known } = checkout

  expect(
    readSkillMd('/src/skills/a/SKILL.md', checkout, {
      head: '---\nname: pdf\nurl: https://x.example\n---\n',
      digest: 'sha256:d',
    }),
  ).toMatchObject({
    record: { ...known, name: 'pdf', skill: 'pdf', path: 'skills/a' },
  })
  expect(readSkillMd('/src/SKILL.md', checkout, { head: '---\nname: pdf\n---\n', digest: 'sha256:d' })).toEqual({
    place: 'front matter',
    identity: { ...known, path: '' },
    record: { ...known, name: 'pdf', path: '', digest: 'sha256:d' },
    sizeBytes: expect.any(Number),
    dropped: [],
  })
})

test('a folder with a dot in the place of an owner or a repository names none', () => {
  expect(read('---\nname: a\n---\n', '/skills/.claude/skills/notes/SKILL.md')).toMatchObject({ record: { name: 'a' } })
})

test('without owner and repository in the path, the front matter may have them', () => {
  expect(read('---\nrepository: acme/pdf\n---\n', '/skills/SKILL.md')).toMatchObject({
    record: { repository: 'acme/pdf' },
  })
})

test.each([
  'name: a\nname: b\n',
  '"name": a\nname: b\ndescription: one: two: three\n',
  'metadata:\n  name: a\n  name: b\n',
])('a repeated name is refused, as in JSON: %j', (yaml) => {
  expect(read(`---\n${yaml}---\n`)).toMatchObject({ reason: 'has "name" twice: leave one of them' })
})

describe('YAML that is not valid', () => {
  test.each<[yaml: string, record: Record<string, unknown>, dropped: string[]]>([
    [
      'description: Use when: (1) dough rests, (2) asked: how long?',
      { description: 'Use when: (1) dough rests, (2) asked: how long?' },
      [],
    ],
    [
      'description: Use when: dough\n  rests: long\nversion: 1.10',
      { description: 'Use when: dough rests: long', version: '1.10' },
      [],
    ],
    ['description:\n  Use when: dough\n  rests: long', { description: { 'Use when': 'dough', rests: 'long' } }, []],
    ['description: "The "best" timer"', { description: 'The "best" timer' }, []],
    ["description: 'It's a timer'", { description: "It's a timer" }, []],
    ['description: @timer', { description: '@timer' }, []],
    ['description: `timer`: counts', { description: '`timer`: counts' }, []],
    ['tags:\n\t- a\n\t- b\ndescription: x', { tags: ['a', 'b'], description: 'x' }, []],
    ['tags:\n  - one: two: three\n  - four', { tags: ['one: two: three', 'four'] }, []],
    ['metadata: {"a": [}\ndescription: Timer', { description: 'Timer' }, ['metadata: is not valid YAML']],
  ])('%j costs no more than its value', (yaml, record, dropped) => {
    expect(read(`---\nname: bread\n${yaml}\n---\n`)).toMatchObject({
      record: { name: 'bread', ...record, owner: 'acme', repo: 'pdf' },
      dropped,
    })
  })
})

test('a folder of any name is an owner or a repository, and no two folders are one', () => {
  const repoOf = (folder: string) => {
    const item = read('---\nname: a\n---\n', `/skills/acme/${folder}/SKILL.md`)
    return 'record' in item ? String(item.record['repo']) : item.reason
  }
  const folders = ['面包计时器', '計時', 'Brot & Käse', 'Brot-Kase', 'bread timer', 'x'.repeat(150), 'x'.repeat(151)]

  const repos = folders.map(repoOf)

  expect(repos[2]).toMatch(/^Brot-Kase-[0-9a-f]{8}$/)
  expect(repos[3]).toBe('Brot-Kase')
  expect(new Set(repos).size).toBe(folders.length)
  expect(repos.filter((repo) => !/^[\w.-]{1,100}$/.test(repo))).toEqual([])
  // As a Mac stores it.
  expect(repoOf('Brot & Käse'.normalize('NFD'))).toBe(repos[2])
})

describe('rejected files', () => {
  test.each([
    ['# No front matter\n', /is missing/],
    ['---\nname: a\n', /is missing/],
    ['\n---\nname: a\n---\n', /is missing/],
    ['---\n- a\n---\n', /must be a list of names and values/],
    [
      '---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\n---\n',
      /is not valid YAML: .*alias/,
    ],
  ])('%j', (content, reason) => {
    expect(read(content)).toEqual({
      place: 'front matter',
      identity: { owner: 'acme', repo: 'pdf', path: '' },
      reason: expect.stringMatching(reason),
    })
  })

  test.each([
    ['lists', `a: ${'['.repeat(70)}${']'.repeat(70)}`],
    ['thousands of lists', `a: ${'['.repeat(60_000)}`],
    ['thousands of objects', `a: ${'{'.repeat(60_000)}`],
    ['items', `${'- '.repeat(30_000)}a`],
    ['keys', `${'? '.repeat(30_000)}a`],
    ['indented lines', Array.from({ length: 300 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
  ])('%s in each other, nested too deeply', (_what, yaml) => {
    expect(read(`---\n${yaml}\n---\n`)).toMatchObject({ reason: 'is nested deeper than 64 levels' })
  })
})
