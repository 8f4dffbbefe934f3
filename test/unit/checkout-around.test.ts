import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from '@jest/globals'
import { findSources as findUntil } from '../../services/indexer/import/find-sources.js'
import { readSkillMd } from '../../services/indexer/import/read-skill-md.js'
import { gitRepository, testWithGit } from '../support/git-repository.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const findSources = (paths: string[], repository: Parameters<typeof findUntil>[3] = null) =>
  findUntil(paths, null, new AbortController().signal, repository)

/** Whose the skills of these paths are, and where. */
async function placesIn(paths: string[], repository: Parameters<typeof findUntil>[3] = null) {
  const { sources } = await findSources(paths, repository)
  const head = Buffer.from('---\nname: x\n---\n')
  return sources.map(({ label, checkout, folder }) => {
    const { identity } = readSkillMd(label, checkout ?? folder ?? '.', { head, digest: 'sha256:d' })
    return identity && `${identity['owner']}/${identity['repo']} ${identity['path']}`
  })
}

const write = (folder: string, ...paths: string[]): void => {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), '')
  }
}

const files = {
  '.claude/skills/mail/SKILL.md': '',
  'plugins/office/skills/form/SKILL.md': '',
  'skills/print/label/SKILL.md': '',
  'skills/print/label/examples/a/SKILL.md': '',
  'lib/found/a.txt': '',
  'docs/notes.md': '',
}

testWithGit('a folder for skills in a checkout has those that the checkout has in it', async () => {
  const root = join(temporaryFolder(), 'kit')
  const commit = gitRepository(root, 'https://github.com/acme/kit', files)
  const other = join(temporaryFolder(), 'other')
  execFileSync('git', ['-C', root, 'worktree', 'add', '--quiet', other])

  for (const folder of [root, other]) {
    const part = (path: string) => placesIn([join(folder, path)])
    expect(await part('.claude')).toEqual(['acme/kit .claude/skills/mail'])
    expect(await part('plugins')).toEqual(['acme/kit plugins/office/skills/form'])
    expect(await part('skills/print/label/')).toEqual(['acme/kit skills/print/label'])
  }
  const { sources, ignored } = await findSources([relative('.', join(root, 'skills/print/label'))])
  expect(sources).toMatchObject([{ checkout: { url: 'https://github.com/acme/kit', commit } }])
  expect(ignored).toMatchObject([{ label: relative('.', join(root, 'skills/print/label/examples/a/SKILL.md')) }])
})

testWithGit('another folder in a checkout, such as an archive, is read by its names', async () => {
  const root = join(temporaryFolder(), 'kit')
  gitRepository(root, 'https://github.com/acme/kit', files)
  write(root, 'found/jane/tools/pdf/SKILL.md', 'skills/found/jane/tools/pdf/SKILL.md')

  expect(await placesIn([join(root, 'found')])).toEqual(['jane/tools pdf'])
  expect(await placesIn([join(root, 'skills')])).toContain('print/label ')
  // The operator may say whose the folder is.
  const jane = { owner: 'jane', repo: 'tools' }
  expect(await placesIn([join(root, '.claude')], jane)).toEqual(['jane/tools skills/mail'])

  const unnamed = join(temporaryFolder(), 'kit')
  gitRepository(unnamed, null, { 'all/acme/desk/SKILL.md': '' })
  expect(await placesIn([join(unnamed, 'all')])).toEqual(['acme/desk '])
})

testWithGit('a Markdown file of another name is a skill of the checkout around it', async () => {
  const root = join(temporaryFolder(), 'kit')
  gitRepository(root, 'https://github.com/acme/kit', files)

  expect(await placesIn([join(root, 'docs/notes.md')])).toEqual(['acme/kit docs'])
})

test('a file that is named by itself is of the repository that the operator names, as its folder is', async () => {
  const folder = temporaryFolder()
  write(folder, 'label/SKILL.md', 'label/print.py', 'notes.md')
  const jane = { owner: 'jane', repo: 'tools' }

  for (const path of [join(folder, 'label'), join(folder, 'label/SKILL.md'), join(folder, 'notes.md')]) {
    expect(await placesIn([path], jane)).toEqual(['jane/tools '])
  }
})

test.each(['skills/pdf', 'plugins/office/skills/pdf', 'Skills/print/pdf', '.claude/skills/pdf'])(
  'a folder with %s is one repository, and does not say whose',
  async (path) => {
    const folder = temporaryFolder()
    write(folder, `${path}/SKILL.md`)

    expect(await placesIn([folder])).toEqual([undefined])
  },
)

test('a link that leads nowhere is no unreadable source, unless it is that of a SKILL.md', async () => {
  const folder = temporaryFolder()
  write(folder, 'acme/kit/a/SKILL.md')
  symlinkSync('../../LICENSE', join(folder, 'acme/kit/a/LICENSE'))
  symlinkSync(join(folder, 'none'), join(folder, 'acme/kit/latest'))
  mkdirSync(join(folder, 'acme/kit/b'))
  symlinkSync('../c/SKILL.md', join(folder, 'acme/kit/b/SKILL.md'))

  const { sources, unreadable } = await findSources([folder])

  expect(sources).toHaveLength(1)
  expect(unreadable.map(({ label }) => relative(folder, label))).toEqual(['acme/kit/b/SKILL.md'])
})
