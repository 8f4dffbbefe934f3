import { describe, expect, test } from '@jest/globals'
import { mapRecord } from '../../services/indexer/import/map-record.js'
import {
  folderOf,
  repositoryOf,
  splitFullName,
  toRepositoryAddress,
  toWebAddress,
} from '../../shared/fields/web-address.js'

describe('toWebAddress', () => {
  test('a URL without a scheme gets one', () => {
    expect(toWebAddress('www.acme.example/tools')).toBe('https://www.acme.example/tools')
  })

  test.each(['[The tools](https://acme.example/x)', '<https://acme.example/x>'])('%s is one in Markdown', (text) => {
    expect(toWebAddress(text)).toBe('https://acme.example/x')
  })

  test.each([
    '[x](javascript:alert(1))',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://acme.example',
    'see the wiki',
    'https://',
    'http://a b',
  ])('%s is omitted', (text) => {
    expect(toWebAddress(text)).toBeNull()
  })
})

describe('an address is rebuilt without what lets its readers in', () => {
  test.each([
    ['https://user:s3cret@acme.example/x', 'https://acme.example/x'],
    ['https:///user:s3cret@10.0.0.5/x/y', 'https://10.0.0.5/x/y'],
    ['https://///user:s3cret@10.0.0.5/x/y', 'https://10.0.0.5/x/y'],
    [String.raw`https:///\user:s3cret@10.0.0.5/x`, 'https://10.0.0.5/x'],
    ['HTTPS://USER:s3cret@ACME.example', 'HTTPS://ACME.example'],
    ['https://us%65r:p@s3cret@acme.example/@jane', 'https://acme.example/@jane'],
    [String.raw`https://host\@user:s3cret@acme.example/`, 'https://acme.example/'],
    ['git+ssh://user:s3cret@acme.example/x/y', 'https://acme.example/x/y'],
    ['ssh:///user:s3cret@acme.example/x/y', 'https://acme.example/x/y'],
    ['https://acme.example/logo.png?token=s3cret', 'https://acme.example/logo.png?token='],
    ['https://Bücher.example/ä?q=1#Ü', 'https://Bücher.example/ä?q=1#Ü'],
  ])('%s', (text, expected) => {
    expect(toWebAddress(text)).toBe(expected)
  })

  test.each([
    String.raw`https:\\user:s3cret@10.0.0.5/x`,
    'https://us\ter:s3cret@acme.example',
    'ｈｔｔｐｓ：／／user：s3cret＠acme.example',
    '//user:s3cret@acme.example',
    'user:s3cret@acme.example/x',
    'git@user:s3cret@acme.example:x/y',
    'https://user:s3cret%40acme.example:x/',
  ])('or omitted: %s', (text) => {
    expect(toWebAddress(text)).toBeNull()
  })
})

describe('toRepositoryAddress', () => {
  test.each([
    'https://github.com/acme/pdf',
    'https://github.com/acme/pdf.git',
    'git+https://github.com/acme/pdf.git',
    'git@github.com:acme/pdf.git',
    'ssh://git@github.com/acme/pdf.git',
    'git+ssh://git@github.com:acme/pdf.git',
    'ssh://git@github.com:22/acme/pdf.git',
    'ssh://git@ssh.github.com:443/acme/pdf.git',
    'git://github.com/acme/pdf.git',
    'https://api.github.com/repos/acme/pdf',
    'github.com/acme/pdf',
  ])('%s becomes the URL of the repository', (text) => {
    expect(toRepositoryAddress(text)).toBe('https://github.com/acme/pdf')
  })

  test.each([
    'https://raw.githubusercontent.com/acme/pdf/main/skills/ocr/SKILL.md',
    'https://raw.githubusercontent.com/acme/pdf/refs/heads/main/skills/ocr/SKILL.md',
    'https://cdn.jsdelivr.net/gh/acme/pdf@main/skills/ocr/SKILL.md',
  ])('%s becomes the page of the file', (text) => {
    expect(toRepositoryAddress(text)).toBe('https://github.com/acme/pdf/blob/main/skills/ocr/SKILL.md')
    expect(toWebAddress(text)).toBe(text)
  })

  test.each([
    ['https://api.github.com/repos/acme/pdf/contents/skills/ocr?ref=main', 'main'],
    ['https://api.github.com/repos/acme/pdf/contents/skills/ocr', 'HEAD'],
  ])('%s becomes the page of the folder', (text, version) => {
    expect(toRepositoryAddress(text)).toBe(`https://github.com/acme/pdf/tree/${version}/skills/ocr`)
  })

  test.each(['https://acme.git', 'http:///.git', 'https://.git/'])('the host of %s stays', (text) => {
    const address = toRepositoryAddress(text)
    expect(address).toBe(toWebAddress(text))
    expect(repositoryOf(address ?? '')).toBeNull()
  })
})

describe('repositoryOf', () => {
  test('URLs of known forges have owner and repository', () => {
    expect(repositoryOf('https://gitlab.com/acme/pdf/-/tree/main')).toEqual({ owner: 'acme', repo: 'pdf' })
    expect(repositoryOf('https://gitlab.com/acme/pdf/tree/main')).toEqual({ owner: 'acme', repo: 'pdf' })
    expect(repositoryOf('https://gitlab.com/acme/tools/pdf')).toBeNull()
  })

  test.each([
    ...['github.com/topics/pdf', 'github.com/orgs/acme/repositories', 'github.com/marketplace/actions/pdf'],
    ...['github.com/sponsors/acme', 'github.com/stars/acme', 'gitlab.com/groups/acme'],
  ])('a page of a forge is no repository: %s', (page) => {
    expect(repositoryOf(`https://${page}`)).toBeNull()
    expect(repositoryOf(`https://${page.replace(/^[^/]+/, 'codeberg.org')}`)).not.toBeNull()
  })

  test('other URLs have neither', () => {
    expect([repositoryOf('https://acme.example/a/b'), repositoryOf('https://github.com/acme')]).toEqual([null, null])
  })
})

test.each([
  'https://github.com/acme/kit/tree/main/skills/pdf',
  'https://github.com/acme/kit/blob/main/skills/pdf/SKILL.md',
  'https://github.com/acme/kit/raw/refs/heads/main/skills/pdf/SKILL.md',
  'https://github.com/acme/kit/edit/main/skills/pdf/SKILL.md',
  'https://gitlab.com/acme/kit/-/raw/main/skills/pdf/SKILL.md',
  'https://codeberg.org/acme/kit/src/branch/main/skills/pdf',
  'https://codeberg.org/acme/kit/src/commit/0a1b2c3d/skills/pdf',
  'https://codeberg.org/acme/kit/raw/branch/main/skills/pdf/SKILL.md',
  'https://bitbucket.org/acme/kit/src/main/skills/pdf/',
])('%s shows a folder', (address) => {
  expect(folderOf(address)).toBe('skills/pdf')
})

test.each([
  'https://github.com/acme/kit',
  'https://github.com/acme/kit/tree/main',
  'https://codeberg.org/acme/kit/src/branch/main',
  'https://bitbucket.org/acme/kit/src/main',
])('%s shows a repository as a whole', (address) => {
  expect(folderOf(address)).toBeNull()
})

test('splitFullName accepts only owner/repo', () => {
  expect([splitFullName('Acme/pdf'), splitFullName('acme'), splitFullName('a/b/c'), splitFullName('a/b c')]).toEqual([
    { owner: 'Acme', repo: 'pdf' },
    null,
    null,
    null,
  ])
})

test('an address with letters beyond ASCII is read after any number of others', () => {
  const read = Array.from({ length: 20_000 }, () => toWebAddress('https://Bücher.example/ä'))

  expect(new Set(read)).toEqual(new Set(['https://Bücher.example/ä']))
})

test('a text of many megabytes is no address', () => {
  expect(toWebAddress('x'.repeat(40_000_000))).toBeNull()
})

test.each([
  ['https://a.example/?q="pdf"|<b>', 'https://a.example/?q=%22pdf%22|%3Cb%3E'],
  ['https://a.example/x%22y', 'https://a.example/x%22y'],
  ['<https://a.example/x>', 'https://a.example/x'],
  ['https://a.example"x/y', null],
  ['https://a.example/"jane@mail.example"', null],
  ['https://a.example/ "home"', null],
])('a homepage has its quotes encoded, as browsers do: %s', (homepage, read) => {
  expect(mapRecord('skills', { full_name: 'acme/kit', homepage })).toMatchObject({ record: { homepage: read } })
})
