import { expect, test } from '@jest/globals'
import { runCatalog, withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

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
