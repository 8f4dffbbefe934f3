import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { withClones } from '../../services/indexer/import/clone-repositories.js'
import { afterTest } from '../support/after-test.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test('a list of repositories may have more lines than a call has arguments', async () => {
  const list = join(temporaryFolder(), 'list.txt')
  writeFileSync(list, 'ftp://git.example/acme/kit\n'.repeat(130_000))

  const { unreadable } = await withClones([list], new AbortController().signal, async (cloned) => cloned)

  expect(unreadable).toHaveLength(1)
})

test('a list with names of repositories asks for their addresses', async () => {
  const list = join(temporaryFolder(), 'list.txt')
  writeFileSync(list, '# mine\nacme/kit\n')

  const { unreadable } = await withClones([list], new AbortController().signal, async (cloned) => cloned)

  const reason = expect.stringContaining('line 2 is none. Write its address, such as https://github.com/acme/kit.')
  expect(unreadable).toEqual([{ label: list, reason }])
})

test('the page of a folder in a repository is not cloned, and that of the repository is named', async () => {
  const page = 'https://github.com/acme/kit/tree/main/skills'

  const { unreadable } = await withClones([page], new AbortController().signal, async (cloned) => cloned)

  const reason = 'is a page of a repository, and no address for git. Import https://github.com/acme/kit'
  expect(unreadable).toEqual([{ label: page, reason }])
})

test.each([
  ['http://127.0.0.1:3000', 'Download a file first; copy another catalog by catalog mirror.'],
  ['https://127.0.0.1:1/skills.ndjson?all=1', ' (a file is not fetched: download it, and import that)'],
])('of %s, which is no repository, the reason says what to do', async (address, remedy) => {
  const { unreadable } = await withClones([address], new AbortController().signal, async (cloned) => cloned)

  expect(unreadable).toEqual([{ label: address, reason: expect.stringContaining(remedy) }])
})

test('where git fails without a word, the command that is shown has no credentials', async () => {
  const bin = temporaryFolder()
  writeFileSync(join(bin, 'git'), '#!/bin/sh\nexit 3\n', { mode: 0o700 })
  const { PATH } = process.env
  process.env['PATH'] = `${bin}:${PATH}`
  afterTest(() => {
    process.env['PATH'] = PATH
  })

  const address = 'https://jane:secret@git.example/acme/kit'
  const { unreadable } = await withClones([address], new AbortController().signal, async (cloned) => cloned)

  expect(unreadable).toEqual([
    { label: 'https://git.example/acme/kit', reason: expect.stringContaining(' -- https://git.example/acme/kit ') },
  ])
})
