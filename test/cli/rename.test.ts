import { describe, expect, test } from '@jest/globals'
import { renameRepository } from '../../services/indexer/rename-skills.js'
import type { Catalog } from '../../shared/ports/catalog.js'
import type { CatalogRun } from '../support/catalog-command.js'
import { fileOf, line } from '../support/import-input.js'
import { openMongoCatalog } from '../support/mongo-database.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { runCatalog, withStoresOf } from '../support/run-catalog.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog, runOnServers } from '../support/servers-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { withOverrides } from '../support/with-overrides.js'

type Run = (args: string[]) => Promise<CatalogRun>
type WithCatalog = <T>(work: (catalog: Catalog) => Promise<T>) => Promise<T>

/** Where a rename ends: with the second record, or at the end, before the former ids are hidden. */
const interruptions: ((catalog: Catalog) => Partial<Catalog>)[] = [
  (catalog) => ({
    put: async (type, records, options) => {
      await catalog.put(type, records.slice(0, 2), options)
      throw new Error('interrupted')
    },
  }),
  () => ({ setStates: () => Promise.reject(new Error('interrupted')) }),
]

/** What both modes do. */
async function continueRename(run: Run, withCatalog: WithCatalog): Promise<void> {
  const names = ['a', 'b', 'c']
  const skills = names.map((skill) => line('kit', { skill, skillMd: `Do ${skill}.`, formerIds: [`acme/old@${skill}`] }))
  await run(['import', fileOf('kit.ndjson', skills.join('')), '--type', 'skills', '--no-update'])
  const statesOf = (repository: string) =>
    withCatalog((catalog) => catalog.findSkills(names.map((name) => `acme/${repository}@${name}`)))
  const all = (state: string) => names.map(() => expect.objectContaining({ state }))

  for (const interruption of interruptions) {
    const times = { now: new Date(), signal: new AbortController().signal }
    const interrupted = withCatalog((catalog) =>
      renameRepository(withOverrides(catalog, interruption(catalog)), 'acme/kit', 'Acme/Tools', times),
    )
    await expect(interrupted).rejects.toThrow('interrupted')
    expect(await statesOf('kit')).toEqual(all('published'))

    expect(await run(['rename', 'acme/kit', 'Acme/Tools', '--all-skills', '--no-update'])).toMatchObject({
      status: 0,
      stdout: '3 skills of acme/kit are in Acme/Tools now.\n',
    })

    expect(await statesOf('tools')).toEqual(all('published'))
    expect([await statesOf('kit'), await statesOf('old')]).toEqual([all('renamed'), all('renamed')])
    const texts = await withCatalog(async (catalog) => {
      const stored = await catalog.findStored('skills', ['acme/tools@b', 'acme/tools@c'])
      const found = stored.map(({ id, stored: skill }) => ({ id, digest: (skill as { digest: string }).digest }))
      return Promise.all(found.map((skill) => catalog.readText(skill)))
    })
    expect(texts.map((kept) => kept?.text).sort()).toEqual(['Do b.', 'Do c.'])
    await run(['rename', 'acme/tools', 'acme/kit', '--all-skills', '--no-update'])
  }

  // One that only has the former id, or only the same record, is another skill.
  const others = line('pen', { description: 'Another.', formerIds: ['acme/kit@a'] }) + line('ink', {})
  await run(['import', fileOf('others.ndjson', others), '--type', 'skills', '--no-update'])
  for (const [from, to] of [
    ['acme/kit@a', 'acme/pen'],
    ['acme/pen', 'acme/ink'],
  ]) {
    expect(await run(['rename', from ?? '', to ?? '', '--json'])).toMatchObject({
      status: 2,
      json: { error: { code: 'id_taken' } },
    })
  }
}

/** The same of the history of stars that an id had. */
async function replaceHistory(run: Run, withCatalog: WithCatalog): Promise<void> {
  const skills = line('removed', { stars: 90 }) + line('new', { stars: 1 })
  await run(['import', fileOf('stars.ndjson', skills), '--type', 'skills', '--no-update'])
  await withCatalog(async (catalog) => {
    const lock = await catalog.lock('record-history')
    if (lock !== null) {
      await catalog.writeHistories([{ id: 'acme/removed', days: [[20_000, 3]], trend: 87 }], lock)
      await lock.release()
    }
  })
  await run(['remove', 'acme/removed', '--no-update'])

  await run(['rename', 'acme/new', 'acme/removed', '--no-update'])

  expect(await withCatalog((catalog) => catalog.readHistories(['acme/removed']))).toEqual([
    { id: 'acme/removed', days: [] },
  ])
  expect(await withCatalog((catalog) => catalog.listTrending(null, 10))).toEqual([])
}

describe('rename', () => {
  test('continues where it was interrupted, in a folder', async () => {
    const folder = temporaryFolder()
    await continueRename(
      (args) => runCatalog(folder, args),
      (work) => withStoresOf(folder, ({ catalog }) => work(catalog)),
    )
  })

  test('leaves nothing of the history of a removed skill whose id it takes, in a folder', async () => {
    const folder = temporaryFolder()
    await replaceHistory(
      (args) => runCatalog(folder, args),
      (work) => withStoresOf(folder, ({ catalog }) => work(catalog)),
    )
  })

  whenServer('mongodb', (mongodb) => {
    whenServer('meilisearch', (meilisearch) => {
      testWithOwnRedis('both on servers', async () => {
        const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
        const catalog = await openMongoCatalog(env.MONGODB_URL)
        try {
          const run: Run = (args) => runOnServers(env, args)
          await continueRename(run, (work) => work(catalog))
          await replaceHistory(run, (work) => work(catalog))
        } finally {
          await catalog.close()
        }
      })
    })
  })
})
