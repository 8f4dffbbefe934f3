import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from '@jest/globals'
import { findSources } from '../../services/indexer/import/find-sources.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const repository = { owner: 'acme', repo: 'kit' }

/** A checkout with empty SKILL.md files in these folders, and this marketplace. */
function checkoutWith(marketplace: unknown, ...folders: string[]): string {
  const root = join(temporaryFolder(), 'kit')
  for (const folder of folders) {
    mkdirSync(join(root, folder), { recursive: true })
    writeFileSync(join(root, folder, 'SKILL.md'), '')
  }
  const file = join(root, '.claude-plugin', 'marketplace.json')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof marketplace === 'string' ? marketplace : JSON.stringify(marketplace))
  return root
}

async function found(root: string) {
  const { sources, ignored, unreadable } = await findSources([root], null, new AbortController().signal, repository)
  return {
    skills: sources.map(({ label, checkout }) => [relative(root, dirname(label)), checkout?.repo]).sort(),
    ignored: ignored.map(({ label, place, reason }) => [relative(root, label), place, reason]),
    unreadable,
  }
}

const plugin = (source: unknown, skills?: unknown) => ({ name: 'docs', source, skills })

test.each<[what: string, marketplace: unknown, folder: string]>([
  ['in what belongs to another skill', { plugins: [plugin('./', ['./pdf/templates/letter'])] }, 'pdf/templates/letter'],
  ['in a folder of tests', { plugins: [plugin('./tests', './letter')] }, 'tests/letter'],
  ['in a folder that programs keep', { plugins: [plugin('./.cache/kit', ['./skills/'])] }, '.cache/kit/skills/letter'],
  [
    'in the folder of a plugin without a list',
    { plugins: [plugin('./node_modules/kit')] },
    'node_modules/kit/skills/letter',
  ],
  [
    'below the root of all plugins',
    { metadata: { pluginRoot: './.venv' }, plugins: [plugin('kit', [])] },
    '.venv/kit/skills/letter',
  ],
  ['by its file', { plugins: [plugin('./', ['./.npm/letter/SKILL.md'])] }, '.npm/letter'],
])('a skill that a marketplace names is found %s', async (_what, marketplace, folder) => {
  const folders = ['pdf', folder].sort()

  expect(await found(checkoutWith(marketplace, ...folders))).toEqual({
    skills: folders.map((each) => [each, 'kit']),
    ignored: [],
    unreadable: [],
  })
  // It is not found without being named.
  expect((await found(checkoutWith({ plugins: [] }, ...folders))).skills).toEqual([['pdf', 'kit']])
})

test('nothing outside of the repository is read, and each such link is listed', async () => {
  const outside = checkoutWith({}, 'skills/secret')
  const links = ['../other', join(outside, 'skills'), './.git/hooks', './out', './within/secret']
  const root = checkoutWith(
    {
      plugins: [
        plugin('./', links),
        plugin('/etc'),
        plugin({ source: 'github', repo: 'acme/more' }),
        plugin('https://github.com/acme/more'),
        plugin('./', ['./missing']),
      ],
    },
    'pdf',
    '.git/hooks',
    '../other/secret',
  )
  symlinkSync(join(outside, 'skills'), join(root, 'out'))
  mkdirSync(join(root, 'within/secret'), { recursive: true })
  symlinkSync(join(outside, 'skills/secret/SKILL.md'), join(root, 'within/secret/SKILL.md'))

  const { skills, ignored } = await found(root)

  expect(skills).toEqual([['pdf', 'kit']])
  expect(ignored).toEqual([
    ...links
      .slice(0, -1)
      .map((link) => [
        '.claude-plugin/marketplace.json',
        'plugin "docs"',
        `names ${JSON.stringify(join('./', link))}, outside of the repository, and is not read`,
      ]),
    expect.arrayContaining([expect.stringContaining('"within/secret", where no SKILL.md is')]),
    expect.arrayContaining([expect.stringContaining('"/etc/skills", outside of the repository')]),
    expect.arrayContaining([expect.stringMatching(/^is in another place, .*acme\/more.*import its address$/)]),
    expect.arrayContaining([expect.stringMatching(/^is in another place, .*acme\/more.*import its address$/)]),
    expect.arrayContaining([expect.stringContaining('"missing", where no SKILL.md is')]),
  ])
})

test('a folder that is named again and again is read once', async () => {
  const folders = Array.from({ length: 100 }, (_, place) => `.cache/${place}`)
  const links = Array.from({ length: 20_000 }, (_, place) => `./.cache${'/.'.repeat(place % 10)}`)

  const { skills, ignored } = await found(checkoutWith({ plugins: [plugin('./', links)] }, 'pdf', ...folders))

  expect(skills).toHaveLength(101)
  expect(ignored).toEqual([])
})

test('links that lead to too many folders, through one to itself, are not followed to their end', async () => {
  const links = Array.from({ length: 30 }, (_, place) => `./empty${'/loop'.repeat(place)}`)
  const root = checkoutWith({ plugins: [plugin('./', [...links, './.cache/late'])] }, 'pdf', '.cache/late')
  for (let place = 0; place < 10_000; place += 1) {
    mkdirSync(join(root, 'empty', String(place)), { recursive: true })
  }
  symlinkSync('.', join(root, 'empty/loop'))

  const { skills, ignored } = await found(root)

  expect(skills).toEqual([['pdf', 'kit']])
  expect(ignored.at(-1)).toEqual([
    '.claude-plugin/marketplace.json',
    'plugin "docs"',
    'names more than 100000 folders, and is not followed further',
  ])
}, 60_000)

test.each([
  [
    '{"plugins": [',
    [['.claude-plugin/marketplace.json', 'the whole file', expect.stringContaining('is not valid JSON')]],
  ],
  ['[]', []],
  [{ plugins: [null, 'docs', { source: './', skills: [] }] }, []],
])('a marketplace without anything to follow costs no skill: %j', async (marketplace, ignored) => {
  expect(await found(checkoutWith(marketplace, 'pdf'))).toEqual({ skills: [['pdf', 'kit']], ignored, unreadable: [] })
})

test('what is no link in a marketplace is listed', async () => {
  const file = '.claude-plugin/marketplace.json'
  const [odd, named] = [[{ path: './tests/letter' }, 7, null], './tests/letter']

  expect(await found(checkoutWith({ plugins: [plugin('./', [...odd, named])] }, 'pdf', 'tests/letter'))).toEqual({
    skills: [
      ['pdf', 'kit'],
      ['tests/letter', 'kit'],
    ],
    ignored: odd.map((link) => [file, 'plugin "docs"', `names no folder of a skill, but ${JSON.stringify(link)}`]),
    unreadable: [],
  })
  expect(await found(checkoutWith({ plugins: { docs: 1 } }, 'pdf'))).toEqual({
    skills: [['pdf', 'kit']],
    ignored: [[file, 'the whole file', 'has no list of plugins: its links are not followed']],
    unreadable: [],
  })
})
