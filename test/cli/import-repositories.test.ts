import { createHash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from '@jest/globals'
import { gitRepository, testWithGit } from '../support/git-repository.js'
import { fileOf } from '../support/import-input.js'
import { runCatalog, runInProcess, withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const skillMd = (name: string, description = 'Reads.'): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\n`

const importInto = (folder: string, ...args: string[]) =>
  runCatalog(folder, ['import', ...args, '--type', 'skills', '--no-update', '--json'])

const skillsOf = async (folder: string) =>
  (await withStoresOf(folder, ({ catalog }) => catalog.exportRows('skills', 100))).rows

testWithGit('the same skills come from a checkout, by its path and by its address for git', async () => {
  const repository = join(temporaryFolder(), 'kit')
  const commit = gitRepository(repository, 'https://github.com/Acme/Kit.git', {
    'skills/pdf/SKILL.md': skillMd('pdf'),
    '.claude/skills/Mail/skill.md': skillMd('Mail Merge'),
    'skills/pdf/references/SKILL.md': skillMd('part'),
    'package.json': '{}',
  })
  const [byPath, byAddress] = [temporaryFolder(), temporaryFolder()]

  expect((await importInto(byPath, repository)).json).toMatchObject({ status: 0, added: 2 })
  const { json, stderr } = await importInto(byAddress, pathToFileURL(repository).href)

  expect([json, stderr]).toEqual([expect.objectContaining({ status: 0, added: 2, rejected: 0 }), ''])
  const rows = await skillsOf(byPath)
  const digest = `sha256:${createHash('sha256').update(skillMd('pdf')).digest('hex')}`
  const known = { owner: 'Acme', repo: 'Kit', url: 'https://github.com/Acme/Kit', commit }
  expect(rows).toEqual([
    expect.objectContaining({ id: 'acme/kit@mail-merge', name: 'Mail Merge', path: '.claude/skills/Mail', ...known }),
    expect.objectContaining({ id: 'acme/kit@pdf', name: 'pdf', path: 'skills/pdf', digest, ...known }),
  ])
  const undated = (row: object) => ({ ...row, indexedAt: null })
  expect((await skillsOf(byAddress)).map(undated)).toEqual(rows.map(undated))
  expect((await importInto(byPath, repository)).json).toMatchObject({ added: 0, changed: 0, unchanged: 2 })
})

testWithGit('prompts come from files of a repository, without its skills', async () => {
  const repository = join(temporaryFolder(), 'kit')
  gitRepository(repository, 'https://github.com/acme/kit', {
    '.claude/commands/commit.md': 'Write a commit.',
    'skills/pdf/SKILL.md': skillMd('pdf'),
    'docs/guide.md': 'A guide.',
  })
  const folder = temporaryFolder()
  const command = join(repository, '.claude/commands/commit.md')
  const added: unknown[] = []
  for (const source of [repository, pathToFileURL(repository).href, command, dirname(command)]) {
    const { json } = await runCatalog(folder, ['import', source, '--type', 'prompts', '--no-update', '--json'])
    added.push([json['status'], json['read'], json['added']])
  }

  expect(added).toEqual([[0, 1, 1], ...Array(3).fill([0, 1, 0])])
  const { rows } = await withStoresOf(folder, ({ catalog }) => catalog.exportRows('prompts', 100))
  expect(rows).toMatchObject([{ id: 'acme/kit/.claude/commands/commit.md', title: 'commit' }])
})

testWithGit(
  'what a marketplace names comes by the address as well, and what moves to another folder keeps its id',
  async () => {
    const repository = join(temporaryFolder(), 'kit')
    const marketplace = JSON.stringify({
      plugins: [{ name: 'letters', source: './skills/pdf', skills: ['./templates/a'] }],
    })
    const files = { 'skills/pdf/SKILL.md': skillMd('pdf'), 'skills/pdf/templates/a/SKILL.md': skillMd('letter') }
    const origin = 'https://github.com/acme/kit'
    gitRepository(repository, origin, { ...files, '.claude-plugin/marketplace.json': marketplace })
    const folder = temporaryFolder()
    const pathsOf = async () => (await skillsOf(folder)).map(({ id, path }) => [id, path])

    expect((await importInto(folder, pathToFileURL(repository).href)).json).toMatchObject({
      added: 2,
      droppedValues: 0,
    })
    expect((await importInto(folder, repository)).json).toMatchObject({ added: 0, unchanged: 2 })
    expect(await pathsOf()).toEqual([
      ['acme/kit@letter', 'skills/pdf/templates/a'],
      ['acme/kit@pdf', 'skills/pdf'],
    ])

    const moved = join(temporaryFolder(), 'kit')
    gitRepository(moved, origin, { 'tools/PDF/SKILL.md': skillMd('pdf'), 'letters/SKILL.md': skillMd('letter') })
    expect((await importInto(folder, moved)).json).toMatchObject({ added: 0, changed: 2 })
    expect(await pathsOf()).toEqual([
      ['acme/kit@letter', 'letters'],
      ['acme/kit@pdf', 'tools/PDF'],
    ])

    // A checkout of the same repository under its new name, after it was renamed here, changes nothing else.
    await runCatalog(folder, ['rename', 'acme/kit', 'acme/tools', '--all-skills', '--no-update'])
    const former = await withStoresOf(folder, ({ catalog }) => catalog.findSkill('acme/kit@pdf'))
    expect(former).toEqual({ state: 'renamed', presentId: 'acme/tools@pdf' })
    const renamed = join(temporaryFolder(), 'tools')
    gitRepository(renamed, 'https://github.com/acme/tools', { 'tools/PDF/SKILL.md': skillMd('pdf') })
    expect((await importInto(folder, renamed)).json).toMatchObject({ added: 0, changed: 1 })
    expect(await pathsOf()).toEqual([
      ['acme/tools@letter', 'letters'],
      ['acme/tools@pdf', 'tools/PDF'],
    ])
  },
)

testWithGit('a text file lists repositories, and one that cannot be cloned costs no other', async () => {
  const [one, two] = [join(temporaryFolder(), 'acme', 'one'), join(temporaryFolder(), 'acme', 'two')]
  gitRepository(one, null, { 'SKILL.md': skillMd('First') })
  gitRepository(two, null, { 'a/SKILL.md': skillMd('second') })
  // Not run: a repository's hooks are its owner's.
  const ran = join(temporaryFolder(), 'ran')
  writeFileSync(join(two, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 })
  const missing = pathToFileURL(join(temporaryFolder(), 'acme', 'none')).href
  const list = [
    '# Ours',
    pathToFileURL(one).href,
    '',
    missing,
    'http://git.example/acme/three',
    pathToFileURL(two).href,
  ]
  const folder = temporaryFolder()

  const { json, stderr } = await importInto(folder, fileOf('repositories.txt', list.join('\n')))

  expect(json).toMatchObject({ status: 1, added: 2, sourcesUnreadable: 2 })
  expect(stderr).toContain(`${missing} cannot be cloned: fatal: `)
  expect(stderr).toContain('http://git.example/acme/three is not cloned: only https, ssh and file addresses are.')
  expect((await skillsOf(folder)).map(({ id, path }) => [id, path])).toEqual([
    ['acme/one', ''],
    ['acme/two@second', 'a'],
  ])
  expect(existsSync(ran)).toBe(false)
})

testWithGit('rejected files are named by the address of their repository', async () => {
  const repository = join(temporaryFolder(), 'acme', 'kit')
  gitRepository(repository, null, { 'a/SKILL.md': '---\n- no\n---\n' })
  const address = pathToFileURL(repository).href

  const { stderr } = await importInto(temporaryFolder(), address)
  expect(stderr).toContain(`${address} a/SKILL.md, front matter: must be a list of names and values`)
})

testWithGit(
  'of two skills of one name in a repository the one with the shortest path is kept, in any order',
  async () => {
    const files = {
      '.claude/skills/pdf/SKILL.md': skillMd('pdf', 'In a folder of one program.'),
      'skills/pdf/SKILL.md': skillMd('pdf', 'The shortest.'),
      'skills/pdg/SKILL.md': skillMd('pdf', 'As short.'),
    }
    const [whole, folder] = [join(temporaryFolder(), 'acme', 'kit'), temporaryFolder()]
    gitRepository(whole, null, files)

    const { json, stderr } = await importInto(folder, pathToFileURL(whole).href, '--verbose')
    const { stdout } = await runCatalog(temporaryFolder(), [
      'import',
      whole,
      '--type',
      'skills',
      '--no-update',
      '--repository',
      'a/b',
    ])

    expect(json).toMatchObject({ status: 0, read: 1, added: 1, unchanged: 0, leftOut: 2, replacedRecords: 0 })
    expect(stdout).toContain(
      'Files left out: 2, which belong to a skill or have the name of another one in its repository; --verbose lists them',
    )
    expect(stderr.match(/ has the name of another skill of its repository, which is in skills\/pdf/g)).toHaveLength(2)
    const [row] = await skillsOf(folder)
    expect(row).toMatchObject({ id: 'acme/kit@pdf', path: 'skills/pdf', description: 'The shortest.' })
  },
)

test('the given field distinguishes skills also where a registry has an empty path, and is not asked for again', async () => {
  const rows = [
    { repo: 'acme/kit', name: 'pdf', path: '' },
    { repo: 'acme/kit', name: 'ocr', skill_path: '' },
    { repo: 'acme/kit', name: 'ocr', path: '', description: 'Another one.' },
  ].map((row) => JSON.stringify(row))
  const folder = temporaryFolder()
  const args = ['--type', 'skills', '--no-update', '--skill-field', 'name']

  const { status, stdout } = await runCatalog(folder, ['import', fileOf('a.ndjson', rows.join('\n')), ...args])

  expect([status, stdout.split('\n')[0]]).toEqual([
    1,
    '1 id came more than once, and 1 record replaced others with another name or description: of the records of a skill the last one counts',
  ])
  expect((await skillsOf(folder)).map(({ id }) => id)).toEqual(['acme/kit@ocr', 'acme/kit@pdf'])
})

test('records of one id that differ are named before all else, with the option that distinguishes them', async () => {
  const rows = ['pdf', 'ocr', 'ocr', 'mail'].map((kind) =>
    JSON.stringify({ owner: 'acme', repo: 'kit', name: kind, kind }),
  )
  const file = fileOf('skills.ndjson', rows.join('\n'))
  const run = (folder: string, ...args: string[]) =>
    runCatalog(folder, ['import', file, '--type', 'skills', '--no-update', ...args])

  const loud = await run(temporaryFolder())
  expect([loud.status, loud.stdout]).toEqual([
    1,
    expect.stringMatching(/^1 id came more than once, and 2 records replaced/),
  ])

  const folder = temporaryFolder()
  const { status, stdout } = await run(folder, '--skill-field', 'kind')
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^4 skills read: 3 added, 0 changed, 1 unchanged/)])
  expect((await skillsOf(folder)).map(({ id }) => id)).toEqual(['acme/kit@mail', 'acme/kit@ocr', 'acme/kit@pdf'])
  // The setting does the same, and the option goes before it.
  const again = async (field: string, ...args: string[]) => {
    const env = { DATA_DIR: folder, SKILL_FIELD: field }
    return (await runInProcess(env, ['import', file, '--type', 'skills', '--no-update', ...args], '')).stdout
  }
  expect(await again('Kind')).toMatch(/^4 skills read: 0 added, 0 changed, 4 unchanged/)
  expect(await again('other', '--skill-field', 'kind')).toMatch(/^4 skills read: 0 added, 0 changed, 4 unchanged/)
})

test('a skill whose source names no address of its repository gets that of the template, if there is one', async () => {
  const rows = [
    { owner: 'Acme', repo: 'Kit.tools', skill: 'pdf' },
    { owner: 'acme', repo: 'other', url: 'https://git.example/acme/other' },
    { full_name: 'acme/named' },
  ]
  const file = fileOf('skills.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'))
  const urls = async (env: Record<string, string>) => {
    const folder = temporaryFolder()
    await runInProcess({ DATA_DIR: folder, ...env }, ['import', file, '--type', 'skills', '--no-update'], '')
    return Object.fromEntries((await skillsOf(folder)).map(({ id, url: address }) => [id, address]))
  }

  const others = { 'acme/other': 'https://git.example/acme/other', 'acme/named': 'https://github.com/acme/named' }
  expect(await urls({})).toEqual({ 'acme/kit.tools@pdf': null, ...others })
  const template = 'https://code.example/{owner}/{repo}'
  const given = await urls({ SKILL_URL_TEMPLATE: template })
  expect(given).toEqual({ 'acme/kit.tools@pdf': 'https://code.example/Acme/Kit.tools', ...others })
})
