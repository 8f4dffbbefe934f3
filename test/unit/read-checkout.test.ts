import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from '@jest/globals'
import { readCheckout } from '../../services/indexer/import/checkout.js'
import { findSources } from '../../services/indexer/import/find-sources.js'
import { gitRepository, testWithGit } from '../support/git-repository.js'
import { temporaryFolder } from '../support/temporary-folder.js'

testWithGit('a commit is known on a branch of any name', async () => {
  const folder = join(temporaryFolder(), 'kit')
  const commit = gitRepository(folder, 'https://github.com/acme/kit', { 'a/SKILL.md': '' })
  execFileSync('git', ['-C', folder, 'checkout', '--quiet', '-b', 'fix/#12@ünder+way'])

  expect(await readCheckout(folder, null)).toMatchObject({ commit })
})

for (const [origin, url] of [
  ['git@work:acme/kit.git', null],
  ['ssh://git@work/acme/kit.git', null],
  ['org-123@github.com:acme/kit.git', 'https://github.com/acme/kit'],
  ['github.com:acme/kit.git', 'https://github.com/acme/kit'],
  ['gh:acme/kit', null],
] as const) {
  testWithGit(`the address of a checkout is one that others can open: ${origin}`, async () => {
    const folder = join(temporaryFolder(), 'kit')
    gitRepository(folder, origin, { 'a/SKILL.md': '' })

    expect(await readCheckout(folder, null)).toMatchObject({ owner: 'acme', repo: 'kit', url })
  })
}

for (const [origin, named] of [
  ['https://dev.azure.com/acme/tools/_git/kit', { owner: 'tools', repo: 'kit' }],
  ['https://git.example/group/tools/kit.git', { owner: 'tools', repo: 'kit' }],
  ['https://git.example/kit.git', null],
] as const) {
  testWithGit(`no part of an address but its last names is an owner: ${origin}`, async () => {
    const folder = join(temporaryFolder(), 'kit')
    gitRepository(folder, origin, { 'a/SKILL.md': '' })

    const checkout = await readCheckout(folder, null)

    expect(checkout && { owner: checkout.owner, repo: checkout.repo }).toEqual(named)
  })
}

testWithGit('a bare repository is imported by its address', async () => {
  const [folder, bare] = [join(temporaryFolder(), 'kit'), join(temporaryFolder(), 'kit.git')]
  gitRepository(folder, 'https://github.com/acme/kit', { 'a/SKILL.md': '' })
  execFileSync('git', ['clone', '--quiet', '--bare', folder, bare])

  const { sources, unreadable } = await findSources([bare], null, new AbortController().signal)

  const reason = `is a bare repository of git, without files: import its address, ${pathToFileURL(bare).href}`
  expect([sources, unreadable]).toEqual([[], [{ label: bare, reason }]])
})
