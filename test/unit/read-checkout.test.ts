import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { readCheckout } from '../../services/indexer/import/source.js'
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
