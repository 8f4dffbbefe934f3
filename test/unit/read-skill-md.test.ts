import { describe, expect, test } from '@jest/globals'
import { readSkillMd } from '../../services/indexer/import/read-skill-md.js'

const read = (content: string, path = '/skills/acme/pdf/SKILL.md') => readSkillMd(path, '/skills', content)

test('the front matter has the skill, and its path the owner and repository', () => {
  const content =
    '\ufeff---\r\nname: PDF tools\r\ndescription: >\r\n  Reads\r\n  PDF.\r\ntags: [pdf, ocr]\r\nversion: 1.10\r\nlicense: null\r\n---\r\n# Text\r\n---\r\n'

  expect(read(content)).toEqual({
    place: 'front matter',
    identity: { owner: 'acme', repo: 'pdf' },
    record: {
      name: 'PDF tools',
      description: 'Reads PDF.\n',
      tags: ['pdf', 'ocr'],
      version: '1.10',
      owner: 'acme',
      repo: 'pdf',
    },
    sizeBytes: expect.any(Number),
  })
})

test('metadata is used too, but other fields take precedence', () => {
  expect(read('---\nversion: 2\nmetadata:\n  version: 1\n  author: Jane\n---\n')).toMatchObject({
    record: { version: '2', author: 'Jane' },
  })
})

test('a skill in a deeper folder belongs to the two folders above it', () => {
  expect(read('---\nname: a\n---\n', '/skills/x/y/acme/pdf/SKILL.md')).toMatchObject({
    record: { owner: 'acme', repo: 'pdf' },
  })
})

test('without owner and repository in the path, the front matter may have them', () => {
  expect(read('---\nrepository: acme/pdf\n---\n', '/skills/SKILL.md')).toMatchObject({
    record: { repository: 'acme/pdf' },
  })
})

test('of a repeated name the last one is used', () => {
  expect(read('---\nname: a\nname: b\n---\n')).toMatchObject({ record: { name: 'b' } })
})

describe('rejected files', () => {
  test.each([
    ['# No front matter\n', /is missing/],
    ['---\nname: a\n', /is missing/],
    ['\n---\nname: a\n---\n', /is missing/],
    ['---\n- a\n---\n', /must be a list of names and values/],
    ['---\nname: use this: when\n---\n', /is not valid YAML: /],
    [
      '---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\n---\n',
      /is not valid YAML: .*alias/,
    ],
  ])('%j', (content, reason) => {
    expect(read(content)).toEqual({
      place: 'front matter',
      identity: { owner: 'acme', repo: 'pdf' },
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
