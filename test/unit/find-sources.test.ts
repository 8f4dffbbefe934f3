import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from '@jest/globals'
import { findSources as findUntil } from '../../services/indexer/import/find-sources.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { gitRepository, testWithGit } from '../support/git-repository.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const findSources = (paths: string[], format: Parameters<typeof findUntil>[1]) =>
  findUntil(paths, format, new AbortController().signal)

/** A folder with empty files at these paths. */
function folderOf(...paths: string[]): string {
  const folder = temporaryFolder()
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), '')
  }
  return folder
}

const namesIn = async (folder: string, format: Parameters<typeof findSources>[1] = null) =>
  (await findSources([folder], format)).sources.map(({ path }) => relative(folder, path ?? ''))

test('files of a folder are read if their name has a format', async () => {
  const folder = folderOf('b.csv.gz', 'a.ndjson', 'README.md', 'sub/c.json', '.git/d.json', 'node_modules/e.json')

  expect(await namesIn(folder)).toEqual(['a.ndjson', 'b.csv.gz', 'sub/c.json'])
})

test('a folder may have more files than a call has arguments', () => {
  const folder = temporaryFolder()
  const count = 25_000
  for (let file = 0; file < count; file += 1) {
    writeFileSync(join(folder, `${file}.json`), '')
  }
  const program = `
    const { findSources } = await import(process.argv[1])
    const { sources } = await findSources([process.argv[2]], null, new AbortController().signal)
    try {
      Math.max(...sources.keys())
    } catch (error) {
      console.log(error.message, sources.length)
    }`
  const module = pathToFileURL(join(projectRoot(), 'dist/services/indexer/import/find-sources.js')).href

  // With a small stack, a call has few.
  const options = ['--stack-size=150', '--input-type=module', '--eval']
  const printed = execFileSync(process.execPath, [...options, program, module, folder], { encoding: 'utf8' })

  expect(printed).toBe(`Maximum call stack size exceeded ${count}\n`)
})

test('of a tree with a SKILL.md, only those files are read', async () => {
  const folder = folderOf('acme/pdf/SKILL.md', 'acme/pdf/package.json', 'acme/csv/skill.md', 'data.csv')

  expect(await namesIn(folder)).toEqual(['acme/csv/skill.md', 'acme/pdf/SKILL.md'])
})

test('folders with a dot are read for their SKILL.md files, and those of a project are no records', async () => {
  const project = folderOf('acme/web/package.json', 'acme/web/tsconfig.json', 'acme/web/.vscode/settings.json')
  const skills = ['.claude/skills/notes/SKILL.md', 'skills/.curated/mail/SKILL.md']
  for (const path of [...skills, '.git/skills/old/SKILL.md', '.claude/records.json']) {
    mkdirSync(dirname(join(project, 'acme/web', path)), { recursive: true })
    writeFileSync(join(project, 'acme/web', path), '')
  }

  // Both paths are of one length.
  expect(await namesIn(project)).toEqual(skills.map((path) => `acme/web/${path}`).sort())
  expect(await namesIn(folderOf('package.json', 'package-lock.json', '.claude/a.json'))).toEqual([])
})

for (const [origin, url] of [
  ['https://github.com/Acme/Kit.git', 'https://github.com/Acme/Kit'],
  ['git@github.com:Acme/Kit.git', 'https://github.com/Acme/Kit'],
  ['ssh://git@git.example:2222/Acme/Kit', 'https://git.example/Acme/Kit'],
  ['https://git.example:8443/Acme/Kit', 'https://git.example:8443/Acme/Kit'],
  ['/srv/mirrors/Acme/Kit', null],
  ['file:///srv/mirrors/Acme/Kit.git/', null],
] as const) {
  testWithGit(`a checkout is known by its origin, with its commit: ${origin}`, async () => {
    const folder = join(temporaryFolder(), 'kit')
    const commit = gitRepository(folder, origin, {
      'skills/pdf/SKILL.md': '',
      'tests/a/SKILL.md': '',
      'package.json': '',
    })

    const { sources, ignored, unreadable } = await findSources([folder], null)

    expect(sources.map(({ path, checkout }) => ({ path: relative(folder, path ?? ''), checkout }))).toEqual([
      { path: 'skills/pdf/SKILL.md', checkout: { folder, owner: 'Acme', repo: 'Kit', url, commit } },
    ])
    expect([ignored.map(({ label }) => relative(folder, label)), unreadable]).toEqual([['tests/a/SKILL.md'], []])
  })
}

testWithGit('packed references and further worktrees have their commit as well', async () => {
  const [folder, other] = [join(temporaryFolder(), 'kit'), join(temporaryFolder(), 'other')]
  const commit = gitRepository(folder, 'https://github.com/acme/kit', { 'a/SKILL.md': '' })
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args])
  git('worktree', 'add', '--quiet', other, '-b', 'side')
  git('pack-refs', '--all')

  for (const each of [folder, other]) {
    const { sources } = await findSources([each], null)
    expect(sources.map(({ checkout }) => checkout)).toEqual([
      expect.objectContaining({ folder: each, owner: 'acme', repo: 'kit', commit }),
    ])
  }
})

testWithGit('a checkout that does not say whose it is needs the name of its repository', async () => {
  const folder = join(temporaryFolder(), 'kit')
  const commit = gitRepository(folder, null, { 'a/SKILL.md': '' })
  const tree = temporaryFolder()
  gitRepository(join(tree, 'acme', 'kit'), null, { 'a/SKILL.md': '' })

  expect(await findSources([folder], null)).toMatchObject({
    sources: [],
    unreadable: [{ label: folder, reason: expect.stringMatching(/--repository owner\/repo\.$/) }],
  })
  const named = { owner: 'acme', repo: 'kit' }
  const { sources } = await findUntil([folder], null, new AbortController().signal, named)
  expect(sources).toMatchObject([{ checkout: { ...named, folder, url: null, commit } }])
  expect((await findSources([tree], null)).sources).toMatchObject([{ checkout: named }])
})

testWithGit('a SKILL.md that is named by itself is that of the checkout around it', async () => {
  const folder = join(temporaryFolder(), 'kit')
  const commit = gitRepository(folder, 'https://github.com/acme/kit', {
    'skills/pdf/SKILL.md': '',
    'skills/pdf/examples/a/SKILL.md': '',
    'SKILL.md': '',
  })
  const [skill, part] = [join(folder, 'skills/pdf/SKILL.md'), join(folder, 'skills/pdf/examples/a/SKILL.md')]

  const { sources, ignored } = await findSources([skill, part], null)

  const all = (await findSources([folder], null)).sources
  expect(sources).toEqual(all.filter(({ label }) => label === skill))
  expect(sources).toMatchObject([{ checkout: { owner: 'acme', repo: 'kit', commit } }])
  expect(ignored).toMatchObject([{ label: part }])
})

testWithGit('a SKILL.md of a checkout without a name needs the name of its repository', async () => {
  const folder = join(temporaryFolder(), 'kit')
  gitRepository(folder, null, { 'a/b/SKILL.md': '' })
  const path = join(folder, 'a/b/SKILL.md')

  expect(await findSources([path], null)).toMatchObject({ sources: [], unreadable: [{ label: folder }] })
  const named = { owner: 'acme', repo: 'kit' }
  const { sources } = await findUntil([path], null, new AbortController().signal, named)
  expect(sources).toMatchObject([{ label: path, checkout: named }])
})

test('a file of a project is refused when it is named', async () => {
  const folder = folderOf('package.json')
  const path = join(folder, 'package.json')

  expect(await findSources([path], null)).toMatchObject({
    sources: [],
    unreadable: [{ label: path, reason: expect.stringMatching(/^belongs to a project/) }],
  })
  expect((await findSources([path], 'json')).sources).toHaveLength(1)
})

test('a SKILL.md in what belongs to a skill or to tests is no skill', async () => {
  const skills = ['acme/examples/SKILL.md', 'acme/kit/skills/pdf/SKILL.md', 'acme/tests/SKILL.md']
  const parts = [
    'acme/kit/skills/pdf/references/csv/SKILL.md',
    'acme/kit/skills/pdf/assets/SKILL.md',
    'acme/kit/tests/fixtures/broken/SKILL.md',
    'acme/kit/src/__tests__/x/SKILL.md',
    'acme/examples/fixtures/SKILL.md',
  ]
  const folder = folderOf(...skills, ...parts)

  const found = await findSources([folder], null)

  expect(found.sources.map(({ label }) => relative(folder, label)).sort()).toEqual(skills)
  expect(found.ignored.map(({ label }) => relative(folder, label)).sort()).toEqual(parts.sort())
})

test('a folder with nothing but files in other formats names them', async () => {
  const [only, among] = [folderOf('a.xlsx', 'README.md'), folderOf('a.xlsx', 'b.csv')]

  expect((await findSources([only], null)).unreadable).toEqual([
    { label: join(only, 'a.xlsx'), reason: expect.stringMatching(/^is an Excel workbook/) },
  ])
  expect((await findSources([among], null)).unreadable).toEqual([])
})

test('the data folder of a catalog is not read, where it is named and next to records', async () => {
  const folder = folderOf('data/catalog.db', 'data/locks/import.lock', 'data/exports/skills.json.gz')
  const data = join(folder, 'data')

  expect(await findSources([data], null)).toMatchObject({
    sources: [],
    unreadable: [{ label: data, reason: expect.stringMatching(/^is the data folder of a catalog/) }],
  })
  writeFileSync(join(folder, 'records.json'), '')
  expect(await namesIn(folder)).toEqual(['records.json'])
})

test('a given format takes precedence', async () => {
  expect(await namesIn(folderOf('acme/pdf/SKILL.md', 'a.csv', 'b.json'), 'csv')).toEqual(['a.csv'])
})

test('symbolic links are followed within the folder, without loops', async () => {
  const folder = folderOf('acme/pdf/SKILL.md', '.store/csv/SKILL.md', '.store/xml.md')
  symlinkSync(folder, join(folder, 'acme', 'loop'))
  symlinkSync(join(folder, '.store', 'csv'), join(folder, 'acme', 'csv'))
  mkdirSync(join(folder, 'acme', 'xml'))
  symlinkSync('../../.store/xml.md', join(folder, 'acme', 'xml', 'SKILL.md'))
  // The folder itself may be a link.
  const link = join(temporaryFolder(), 'link')
  symlinkSync(folder, link)

  expect(await namesIn(folder)).toEqual(['acme/csv/SKILL.md', 'acme/pdf/SKILL.md', 'acme/xml/SKILL.md'])
  expect((await findSources([link], null)).unreadable).toEqual([])
  expect(await namesIn(link)).toHaveLength(3)
})

test('symbolic links out of the folder are not followed, for any target', async () => {
  const folder = folderOf('inside.ndjson', 'sub/inside.json')
  const outside = folderOf('tree/a.ndjson', 'secret.json')
  // Its name begins with that of the folder.
  mkdirSync(`${folder}-more`)
  const links = {
    'file.ndjson': join(outside, 'secret.json'),
    'sub/tree': join(outside, 'tree'),
    'process.csv': '/proc/self/environ',
    root: '/',
    more: `${folder}-more`,
    twice: join(folder, 'root'),
  }
  for (const [name, target] of Object.entries(links)) {
    symlinkSync(target, join(folder, name))
  }

  const { sources, unreadable } = await findSources([folder], null)

  expect(sources.map(({ path }) => relative(folder, path ?? ''))).toEqual(['inside.ndjson', 'sub/inside.json'])
  const reason = 'is a symbolic link out of the folder, which is not followed.'
  expect(unreadable).toEqual(
    expect.arrayContaining(Object.keys(links).map((name) => ({ label: join(folder, name), reason }))),
  )
  expect(unreadable).toHaveLength(Object.keys(links).length)
})

test('a pipe is read when named, and skipped in a folder; a device is never read', async () => {
  const folder = folderOf('a.ndjson')
  const pipe = join(folder, 'pipe.ndjson')
  execFileSync('mkfifo', [pipe, join(folder, 'other')])

  const named = await findSources([pipe, '/dev/zero'], null)
  const inFolder = await findSources([folder], null)

  expect(named.sources).toEqual([expect.objectContaining({ path: pipe, sizeBytes: null })])
  expect(named.unreadable).toEqual([
    { label: '/dev/zero', reason: 'is neither a file nor a folder. Name one of them, or - for standard input.' },
  ])
  expect(inFolder.sources.map(({ path }) => path)).toEqual([join(folder, 'a.ndjson')])
  expect(inFolder.unreadable).toEqual([
    { label: pipe, reason: 'is a pipe, a socket or a device, which is not read in a folder.' },
  ])
})

test('a named file is read for any name, and - is standard input', async () => {
  const folder = folderOf('records')

  const { sources } = await findSources([join(folder, 'records'), '-'], null)

  expect(sources.map(({ path, format }) => [path, format])).toEqual([
    [join(folder, 'records'), null],
    [null, null],
  ])
})

test('stops when aborted', async () => {
  const stopped = AbortSignal.abort(new Error('stopped'))

  await expect(findUntil([folderOf('a.csv')], null, stopped)).rejects.toThrow('stopped')
})
