import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { runCatalog, withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test.each([
  ['sync'],
  ['verify'],
  ['rebuild'],
  ['status'],
  ['stats'],
  ['export'],
  ['dataset'],
  ['jobs'],
  ['jobs pause'],
  ['mcp'],
  ['hide acme/printer'],
  ['backup copy.db'],
])('%s creates no catalog where DATA_DIR names a folder without one', async (command) => {
  const folder = join(temporaryFolder(), 'mistyped')

  const { status, stdout, stderr } = await runCatalog(folder, command.split(' '))

  expect(status).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toContain(`There is no catalog in the folder ${folder}. Set DATA_DIR to one that has a catalog`)
  expect(existsSync(folder)).toBe(false)
})

test.each([
  ['import', ['import', '-', '--type', 'skills', '--format', 'ndjson']],
  ['seed', ['seed', '--skills', '1', '--prompts', '0', '--organizations', '0']],
])('%s creates the catalog', async (_, args) => {
  const folder = join(temporaryFolder(), 'new')

  const { status } = await runCatalog(folder, args, '{"owner":"acme","repo":"first","name":"First"}\n')

  expect(status).toBe(0)
  expect(existsSync(join(folder, 'catalog.db'))).toBe(true)
})

test('seed adds generated records of all types, the same ones each time', async () => {
  const folder = temporaryFolder()
  const args = ['seed', '--skills', '1000', '--json']

  const first = await runCatalog(folder, args)
  const second = await runCatalog(folder, args)

  expect(first.json).toMatchObject({
    command: 'seed',
    status: 0,
    randomSeed: 1,
    skills: { added: 1_000 },
    prompts: { added: 20 },
    organizations: { added: 10 },
    recordsPerSecond: expect.any(Number),
    sync: { rejected: 0 },
  })
  expect(second.json).toMatchObject({
    skills: { added: 0, changed: 0, unchanged: 1_000 },
    prompts: { unchanged: 20 },
    organizations: { unchanged: 10 },
  })
  expect(await withStoresOf(folder, ({ index }) => index.status())).toMatchObject({ documents: 1_000 })
})

test('seed accepts other numbers, another random seed, and --no-update', async () => {
  const folder = temporaryFolder()
  await runCatalog(folder, ['seed', '--skills', '100', '--no-update'])

  const { json } = await runCatalog(folder, [
    'seed',
    ...['--skills', '100', '--prompts', '0', '--organizations', '5', '--random-seed', '2', '--no-update', '--json'],
  ])

  expect(json).toMatchObject({ randomSeed: 2, prompts: { added: 0 } })
  // Some ids are equal by chance.
  expect((json['skills'] as { added: number }).added).toBeGreaterThan(90)
})
