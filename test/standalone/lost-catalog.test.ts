import { cpSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { runCatalog, withStoresOf } from '../support/run-catalog.js'
import { nodeStart, started } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

let whole: string

/** A folder with a catalog of 20 skills, its index and its export files. */
beforeAll(async () => {
  whole = temporaryFolder()
  await withStoresOf(whole, ({ catalog }) =>
    catalog.put(
      'skills',
      Array.from({ length: 20 }, (_, n) => aSkill({ repo: `real-${n}` })),
    ),
  )
  for (const command of ['sync', 'export', 'dataset']) {
    expect((await runCatalog(whole, [command])).status).toBe(0)
  }
})

const endings = ['', '-wal', '-shm']

const withoutRecords = (folder: string) => {
  for (const ending of endings) {
    rmSync(join(folder, `catalog.db${ending}`), { force: true })
  }
}

/** What an operator, a full disk or a failed restore leaves of a folder. */
const losses: [string, (folder: string) => void][] = [
  ['catalog.db was deleted', withoutRecords],
  ['catalog.db was deleted, its log was not', (folder) => rmSync(join(folder, 'catalog.db'))],
  ['catalog.db was emptied', (folder) => truncateSync(join(folder, 'catalog.db'))],
  [
    'only the index is left',
    (folder) => {
      withoutRecords(folder)
      for (const name of ['exports', 'dataset', 'locks']) {
        rmSync(join(folder, name), { recursive: true, force: true })
      }
    },
  ],
  [
    'only the dataset is left',
    (folder) => {
      for (const name of readdirSync(folder).filter((each) => each !== 'dataset')) {
        rmSync(join(folder, name), { recursive: true })
      }
    },
  ],
]

function lossOf(lose: (folder: string) => void): string {
  const folder = temporaryFolder()
  cpSync(whole, folder, { recursive: true })
  lose(folder)
  return folder
}

const contentOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => [name, statSync(join(folder, name)).size])

// The same look at the folder as that of the commands below.
test('a folder of which catalog.db was deleted is served by no new catalog', async () => {
  const folder = lossOf(withoutRecords)
  const before = contentOf(folder)

  const service = nodeStart({ DATA_DIR: folder })

  expect(await service.ended).toBe(2)
  expect(service.stderr()).toContain('is lost: catalog.db is missing')
  expect(service.stdout()).toBe('')
  expect(contentOf(folder)).toEqual(before)
})

test.each(losses)('a folder of which %s is written by no command, and doctor reports it', async (_, lose) => {
  const folder = lossOf(lose)
  const before = contentOf(folder)

  for (const command of ['import - --type skills --format ndjson', 'sync', 'rebuild', 'export', 'status']) {
    const { status, stderr } = await runCatalog(folder, command.split(' '), '{"full_name":"acme/other"}\n')
    const said = expect.stringMatching(/is lost: catalog\.db is (missing|empty).*restore <file>.*DATA_DIR.*move/)
    expect([command, status, stderr]).toEqual([command, 2, said])
  }
  const mirrored = await runCatalog(temporaryFolder(), ['mirror', 'http://127.0.0.1:9', folder])
  expect([mirrored.status, mirrored.stderr]).toEqual([2, expect.stringContaining('is lost')])
  const doctor = await runCatalog(folder, ['doctor'])
  expect([doctor.status, doctor.stdout]).toEqual([2, expect.stringMatching(/!! {2}format: .* is lost/)])
  expect(contentOf(folder)).toEqual(before)
})

test('a catalog without records gets no sample', async () => {
  const folder = temporaryFolder()
  await withStoresOf(folder, async () => undefined)

  const url = await started(nodeStart({ DATA_DIR: folder }))

  expect(await (await fetch(`${url}/api/skills`)).json()).toMatchObject({ pagination: { total: 0 } })
})
