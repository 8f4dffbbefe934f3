import { expect, test } from '@jest/globals'
import { commitPage, filePage, folderPage, installLine, linkedFile } from '../../shared/fields/repository-pages.js'
import { toSkillName } from '../../shared/fields/web-address.js'
import type { StoredSkill } from '../../shared/records/skill.js'
import { aSkill } from '../support/factories.js'

const commit = '0123456789abcdef0123456789abcdef01234567'
const url = 'https://github.com/Acme/Kit'
const skill = aSkill({ owner: 'Acme', repo: 'Kit', skill: 'pdf', name: 'pdf', path: 'skills/pdf tables', url, commit })
const at = `${url}/blob/${commit}`

test('the pages of a repository show the version that was read', () => {
  expect(commitPage(skill)).toBe(`${url}/commit/${commit}`)
  expect(folderPage(skill)).toBe(`${url}/tree/${commit}/skills/pdf%20tables`)
  expect(folderPage({ ...skill, commit: null, path: '' })).toBe(`${url}/tree/HEAD`)
  expect(filePage(skill, 'a b/#1.py')).toBe(`${at}/skills/pdf%20tables/a%20b/%231.py`)
  expect(filePage({ ...skill, url: 'https://gitlab.com/acme/kit', path: '' }, 'x.py')).toBe(
    `https://gitlab.com/acme/kit/-/blob/${commit}/x.py`,
  )
})

test.each([null, 'https://code.example/acme/kit', 'https://github.com.example/acme/kit', 'https://github.com/acme'])(
  'no page is known of %s',
  (unknown) => {
    const elsewhere = { ...skill, url: unknown }
    expect([
      commitPage(elsewhere),
      folderPage(elsewhere),
      filePage(elsewhere, 'x'),
      linkedFile(elsewhere, 'x'),
    ]).toEqual([null, null, null, null])
  },
)

test.each([
  ['ref.md', `${at}/skills/pdf%20tables/ref.md`],
  ['./ref.md#a?b', `${at}/skills/pdf%20tables/ref.md#a?b`],
  ['../other/SKILL.md', `${at}/skills/other/SKILL.md`],
  ['../../../../../../x.md', `${at}/x.md`],
  ['/README.md?raw=1', `${at}/README.md`],
  ['scripts/', `${url}/tree/${commit}/skills/pdf%20tables/scripts/`],
  ['/', `${url}/tree/${commit}/`],
  ['//other.example/x', null],
  ['https://other.example/x', null],
])('a link to %s leads into the repository', (link, page) => {
  expect(linkedFile(skill, link)).toBe(page)
})

test('a link leads nowhere where the version or the folder is not known', () => {
  expect(linkedFile({ ...skill, commit: null }, 'x')).toBeNull()
  expect(linkedFile({ ...skill, path: null }, 'x')).toBeNull()
})

type Line = [changes: Partial<StoredSkill>, line: string | null]

test.each<Line>([
  [{ skill: 'pdf' }, 'npx skills add Acme/Kit@pdf'],
  [{ skill: 'pdf', name: 'PDF' }, 'npx skills add Acme/Kit@pdf'],
  [{ skill: 'pdf-tables', name: 'PDF Tables' }, 'npx skills add Acme/Kit --skill "PDF Tables"'],
  [{ skill: 'pdf-tables', name: 'PDF Tables', commit: null }, 'npx skills add Acme/Kit@pdf-tables'],
  [{ skill: 'pdf-tables', name: 'PDF Tables', path: null }, 'npx skills add Acme/Kit@pdf-tables'],
  [{ skill: 'pdf-tables', name: 'pdf_tables' }, 'npx skills add Acme/Kit@pdf_tables'],
  [{ skill: 'pdf-tables', name: 'Reads tables' }, 'npx skills add Acme/Kit@pdf-tables'],
  [{ skill: 'skill-13b3ed7a', name: '日本語スキル' }, 'npx skills add Acme/Kit --skill "日本語スキル"'],
  ...['$(x)', '"; x', '`x`', '!x', '%x%', '\\x', '-x', 'a\u200bb'].map(
    (name): Line => [{ skill: toSkillName(name), name }, null],
  ),
  [{ skill: null }, 'npx skills add Acme/Kit'],
  [{ skill: 'pdf', url: null }, 'npx skills add Acme/Kit@pdf'],
  [{ skill: 'pdf', url: 'https://gitlab.com/a/b' }, 'npx skills add https://gitlab.com/a/b --skill pdf'],
  [
    { skill: 'pdf-tables', name: 'PDF tables', url: 'https://gitlab.com/a/b' },
    'npx skills add https://gitlab.com/a/b --skill "PDF tables"',
  ],
  [{ skill: null, url: 'https://code.example/a/b' }, 'npx skills add https://code.example/a/b'],
  [{ skill: 'pdf', url: 'https://code.example/$(x)' }, null],
  [{ skill: 'pdf', url: "https://code.example/a';x" }, null],
])('%j is installed by a line that can be typed', (changes, line) => {
  expect(installLine({ ...skill, ...changes })).toBe(line)
})
