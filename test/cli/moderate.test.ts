import { describe, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import type { CatalogRun } from '../support/catalog-command.js'
import { fileOf, line } from '../support/import-input.js'
import { openMongoCatalog } from '../support/mongo-database.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-redis.js'
import { runCatalog, withStoresOf } from '../support/run-catalog.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog, runOnServers } from '../support/servers-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Runs commands on a catalog with three skills and a prompt. */
type Run = (args: string[]) => Promise<CatalogRun>

async function fill(run: Run): Promise<void> {
  const skill = (repo: string) =>
    line(repo, { description: `The ${repo}.`, stars: 5, url: `https://github.com/acme/${repo}` })
  const skills = fileOf('skills.ndjson', skill('printer') + skill('scanner') + skill('plotter'))
  await run(['import', skills, '--type', 'skills', '--no-update'])
  const prompts = fileOf('prompts.ndjson', '{"id":"poem","title":"Poem","prompt":"Write one."}\n')
  await run(['import', prompts, '--type', 'prompts', '--no-update'])
}

/** What both modes do. */
async function moderate(run: Run, statesOf: (ids: string[]) => Promise<unknown[]>): Promise<void> {
  await fill(run)

  const hidden = await run(['hide', 'Acme/Printer', 'acme/scanner', '--json'])
  expect([hidden.status, hidden.json]).toMatchObject([
    0,
    { command: 'hide', changed: ['acme/printer', 'acme/scanner'], unchanged: 0, stats: { skills: 1 } },
  ])
  expect(await statesOf(['acme/printer', 'acme/plotter'])).toEqual(['unknown', 'published'])
  expect(await run(['hide', 'acme/printer', '--no-update'])).toMatchObject({
    status: 0,
    stdout: 'acme/printer is hidden already.\n',
  })

  await fill(run)
  expect(await statesOf(['acme/printer'])).toEqual(['unknown'])

  expect(await run(['unhide', 'acme/printer'])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^acme\/printer is published\.\nSearch index: 1 published/),
  })
  expect((await run(['remove', 'acme/plotter', '--json'])).json).toMatchObject({
    state: 'removed',
    stats: { skills: 1 },
  })
  expect(await statesOf(['acme/printer', 'acme/plotter', 'acme/scanner'])).toEqual(['published', 'removed', 'unknown'])
  expect((await run(['hide', 'poem', '--type', 'prompts', '--json'])).json).toMatchObject({ stats: { prompts: 0 } })

  const unknown = await run(['hide', 'acme/plotter', 'acme/printr', '--json'])
  expect(unknown).toMatchObject({ status: 2, json: { error: { code: 'record_unknown' } } })
  expect(unknown.stderr).toContain('The catalog has no skill acme/printr. Similar: acme/printer.')
  expect(await statesOf(['acme/plotter'])).toEqual(['removed'])

  expect((await run(['rename', 'acme/printer', 'acme/scanner'])).stderr).toContain(
    'acme/scanner is the id of another skill, which is hidden.',
  )
  expect((await run(['rename', 'acme/printer', 'Acme/Label-Maker', '--json'])).json).toMatchObject({
    from: 'acme/printer',
    id: 'acme/label-maker',
  })
  expect(await statesOf(['acme/printer', 'acme/label-maker'])).toEqual(['renamed', 'published'])
  await fill(run)
  expect(await statesOf(['acme/printer', 'acme/label-maker'])).toEqual(['renamed', 'published'])

  await run(['rename', 'acme/label-maker', 'acme/printer', '--no-update'])
  expect(await statesOf(['acme/printer', 'acme/label-maker'])).toEqual(['published', 'renamed'])
}

describe('hide, unhide, remove and rename', () => {
  test('in a folder', async () => {
    const folder = temporaryFolder()

    await moderate(
      (args) => runCatalog(folder, args),
      (ids) => withStoresOf(folder, async ({ catalog }) => (await catalog.findSkills(ids)).map(({ state }) => state)),
    )
  })

  test('a renamed skill keeps its record and its history, under its new address', async () => {
    const folder = temporaryFolder()
    await fill((args) => runCatalog(folder, args))
    await withStoresOf(folder, async ({ catalog }) => {
      const lock = await catalog.lock('record-history')
      if (lock !== null) {
        await catalog.writeHistories([{ id: 'acme/printer', days: [[20_000, 3]], trend: null }], lock)
        await lock.release()
      }
    })

    await runCatalog(folder, ['rename', 'acme/printer', 'Acme/Label-Maker', '--no-update'])

    const [skill, histories] = await withStoresOf(folder, async ({ catalog }) => [
      await catalog.findStored('skills', ['acme/label-maker']),
      await catalog.readHistories(['acme/label-maker']),
    ])
    expect(skill).toMatchObject([
      {
        stored: {
          owner: 'Acme',
          repo: 'Label-Maker',
          name: 'Label-Maker',
          description: 'The printer.',
          url: 'https://github.com/Acme/Label-Maker',
          stars: 5,
          formerIds: ['acme/printer'],
        },
      },
    ])
    expect(histories).toEqual([{ id: 'acme/label-maker', days: [[20_000, 3]] }])
  })

  test('an id that is none is refused, and a folder without a catalog is not made', async () => {
    const folder = temporaryFolder()
    expect(await runCatalog(folder, ['hide', 'acme/printer', '--json'])).toMatchObject({
      status: 2,
      json: { error: { code: 'no_catalog' } },
    })
    await fill((args) => runCatalog(folder, args))

    expect(await runCatalog(folder, ['rename', 'acme/printer', 'no id', '--json'])).toMatchObject({
      status: 2,
      json: { error: { code: 'bad_arguments' } },
    })
  })

  whenServer('mongodb', (mongodb) => {
    whenServer('meilisearch', (meilisearch) => {
      testWithOwnRedis('on servers, also of a document that its crawler hides', async () => {
        const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
        const client = await MongoClient.connect(env.MONGODB_URL)
        const catalog = await openMongoCatalog(env.MONGODB_URL)
        try {
          const run: Run = (args) => runOnServers(env, args)
          await moderate(run, async (ids) => (await catalog.findSkills(ids)).map(({ state }) => state))
          const skills = client.db().collection('skills')
          await skills.insertOne({ owner: 'acme', repo: 'crawled', isPrivate: true, active: true, crawl: { tries: 3 } })

          await run(['unhide', 'acme/crawled'])

          expect(await skills.findOne({ repo: 'crawled' })).toMatchObject({
            state: 'published',
            active: true,
            crawl: { tries: 3 },
            _catalog: { state: 'published' },
          })
        } finally {
          await catalog.close()
          await client.close()
        }
      })
    })
  })
})
