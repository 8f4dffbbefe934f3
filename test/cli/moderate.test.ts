import { describe, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import type { CatalogRun } from '../support/catalog-command.js'
import { fileOf, line } from '../support/import-input.js'
import { openMongoCatalog } from '../support/mongo-database.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
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
  expect((await run(['rename', 'acme/printer', 'Acme/Label-Maker', '--json', '--no-update'])).json).toMatchObject({
    from: 'acme/printer',
    id: 'acme/label-maker',
  })
  expect(await statesOf(['acme/printer', 'acme/label-maker'])).toEqual(['renamed', 'published'])
  await fill(run)
  expect(await statesOf(['acme/printer', 'acme/label-maker'])).toEqual(['renamed', 'published'])

  await run(['rename', 'acme/label-maker', 'acme/printer', '--no-update'])
  expect(await statesOf(['acme/printer', 'acme/label-maker'])).toEqual(['published', 'renamed'])
}

const nameOf = (place: number): string => `s${String(place).padStart(3, '0')}`

/** The same of a repository with so many skills that have names of their own, one of them removed before. */
async function moderateRepository(
  run: Run,
  statesOf: (ids: string[]) => Promise<unknown[]>,
  many: number,
): Promise<void> {
  const skills = Array.from({ length: many }, (_, place) =>
    line('kit', { skill: nameOf(place), url: 'https://github.com/acme/kit', description: `Number ${place}.` }),
  )
  const file = fileOf('kit.ndjson', [...skills, line('kit-2', { skill: 's000' })].join(''))
  const fillAgain = () => run(['import', file, '--type', 'skills', '--no-update'])
  await fillAgain()
  const idsIn = (repository: string) => [0, 1, many - 1].map((place) => `acme/${repository}@${nameOf(place)}`)
  const statesIn = (repository: string) => statesOf([...idsIn(repository), 'acme/kit-2@s000'])

  const alone = await run(['hide', 'acme/kit'])
  expect(alone).toMatchObject({ status: 2 })
  expect(alone.stderr).toContain(
    `The catalog has no skill acme/kit, but a repository of this name with ${many} skills: acme/kit@s000, acme/kit@s001, ` +
      'acme/kit@s002, …. Name one of them, or give --all-skills to change all.',
  )
  await run(['hide', 'acme/kit/s001', '--no-update'])
  expect((await run(['hide', 'Acme/Kit', '--all-skills', '--no-update'])).stdout).toBe(
    `${many} skills of acme/kit: ${many - 1} changed, hidden now; 1 already.\n`,
  )
  expect(await statesIn('kit')).toEqual(['unknown', 'unknown', 'unknown', 'published'])
  await fillAgain()
  expect(await statesIn('kit')).toEqual(['unknown', 'unknown', 'unknown', 'published'])
  await run(['unhide', 'acme/kit', '--all-skills', '--no-update'])
  expect(await statesIn('kit')).toEqual(['published', 'published', 'published', 'published'])

  expect((await run(['rename', 'Acme/Kit/s001', 'acme/kit@first', '--json', '--no-update'])).json).toMatchObject({
    id: 'acme/kit@first',
  })
  await run(['rename', 'acme/kit@first', 'acme/kit@s001', '--no-update'])
  expect(await statesOf(['acme/kit@s001', 'acme/kit@first'])).toEqual(['published', 'renamed'])
  for (const command of ['hide', 'unhide']) {
    expect((await run([command, 'acme/kit', '--all-skills', '--no-update'])).stdout).toContain(
      `${many} skills of acme/kit`,
    )
  }
  expect(await statesOf(['acme/kit@s001', 'acme/kit@first'])).toEqual(['published', 'renamed'])

  const taken = await run(['rename', 'acme/kit', 'acme/kit-2', '--all-skills'])
  expect([taken.status, taken.stderr]).toEqual([
    2,
    expect.stringContaining('acme/kit-2@s000 is the id of another skill'),
  ])
  expect((await run(['rename', 'acme/kit', 'acme/kit@a', '--all-skills', '--json'])).json).toMatchObject({
    error: { code: 'bad_arguments' },
  })
  expect((await run(['rename', 'Acme/Kit', 'Acme/Tools', '--all-skills'])).stdout).toMatch(
    new RegExp(`^${many} skills of acme/kit are in Acme/Tools now\\.\\nSearch index: `),
  )
  expect(await statesIn('kit')).toEqual(['renamed', 'renamed', 'renamed', 'published'])
  expect(await statesIn('tools')).toEqual(['published', 'published', 'published', 'published'])
  // A checkout of the former name does not bring them again, and what is left of them is not what its id means.
  await fillAgain()
  expect(await statesIn('kit')).toEqual(['renamed', 'renamed', 'renamed', 'published'])
  expect((await run(['unhide', 'acme/kit', '--all-skills', '--json'])).json).toMatchObject({
    error: { code: 'record_unknown' },
  })

  expect((await run(['remove', 'acme/tools', '--all-skills', '--json', '--no-update'])).json).toMatchObject({
    state: 'removed',
    unchanged: 0,
  })
  expect(await statesIn('tools')).toEqual(['removed', 'removed', 'removed', 'published'])
  // Nor is what is left of them published where the skills have been removed since.
  expect((await run(['unhide', 'acme/kit', '--all-skills', '--json'])).json).toMatchObject({
    error: { code: 'record_unknown' },
  })
}

const statesIn = (folder: string) => (ids: string[]) =>
  withStoresOf(folder, async ({ catalog }) => (await catalog.findSkills(ids)).map(({ state }) => state))

describe('hide, unhide, remove and rename', () => {
  test('in a folder', async () => {
    const folder = temporaryFolder()
    const statesOf = statesIn(folder)
    await moderate((args) => runCatalog(folder, args), statesOf)
    // More than are changed at once.
    await moderateRepository((args) => runCatalog(folder, args), statesOf, 510)
  })

  test('a hidden repository that is renamed stays hidden, and what is left of it is not published', async () => {
    const folder = temporaryFolder()
    const run: Run = (args) => runCatalog(folder, args)
    const statesOf = statesIn(folder)
    const file = fileOf('vault.ndjson', line('vault', { skill: 'a' }) + line('vault', { skill: 'b' }))
    const all = ['acme/vault@a', 'acme/vault@b', 'acme/safe@a', 'acme/safe@b']
    await run(['import', file, '--type', 'skills', '--no-update'])
    await run(['hide', 'acme/vault', '--all-skills', '--no-update'])
    const rename = () => run(['rename', 'acme/vault', 'Acme/Safe', '--all-skills', '--no-update'])
    // Again, as after an interruption.
    for (const renamed of [await rename(), await rename()]) {
      expect(renamed.stdout).toBe('2 skills of acme/vault are in Acme/Safe now.\n')
    }
    await run(['import', file, '--type', 'skills', '--no-update'])

    for (const command of [
      ['unhide', 'acme/vault'],
      ['rename', 'acme/vault', 'acme/other'],
    ]) {
      expect((await run([...command, '--all-skills', '--json'])).json).toMatchObject({
        error: { code: 'record_unknown' },
      })
      expect(await statesOf(all)).toEqual(all.map(() => 'unknown'))
    }

    await run(['unhide', 'acme/safe', '--all-skills', '--no-update'])
    expect(await statesOf(all)).toEqual(['renamed', 'renamed', 'published', 'published'])
  })

  test('where a repository has a skill of its own, an id alone means that one, and the rest is counted', async () => {
    const folder = temporaryFolder()
    await fill((args) => runCatalog(folder, args))
    const named = line('printer', { skill: 'labels' }) + line('printer', { skill: 'forms' })
    await runCatalog(folder, ['import', fileOf('named.ndjson', named), '--type', 'skills', '--no-update'])

    expect((await runCatalog(folder, ['hide', 'acme/printer', '--no-update'])).stdout).toBe(
      'acme/printer is hidden.\n2 skills more of acme/printer stay as they are; --all-skills changes them as well.\n',
    )
    const { stdout } = await runCatalog(folder, ['rename', 'acme/printer', 'acme/press', '--all-skills', '--no-update'])
    expect(stdout).toBe('3 skills of acme/printer are in acme/press now.\n')
    const found = await withStoresOf(folder, ({ catalog }) =>
      catalog.findSkills(['acme/press', 'acme/press@labels', 'acme/printer@forms']),
    )
    expect(found.map(({ state }) => state)).toEqual(['unknown', 'published', 'renamed'])
    expect(
      (await runCatalog(folder, ['hide', 'poem', '--type', 'prompts', '--all-skills', '--json'])).json,
    ).toMatchObject({
      error: { code: 'bad_arguments' },
    })
  })

  test('a renamed skill keeps its text and its files, also where it is hidden', async () => {
    const folder = temporaryFolder()
    const skills = ['a', 'b'].map((skill) => line('kit', { skill, skillMd: 'Do it.', files: ['x.py'] }))
    await runCatalog(folder, ['import', fileOf('kit.ndjson', skills.join('')), '--type', 'skills', '--no-update'])
    await runCatalog(folder, ['hide', 'acme/kit@b', '--no-update'])

    await runCatalog(folder, ['rename', 'acme/kit', 'acme/tools', '--all-skills', '--no-update'])
    await runCatalog(folder, ['unhide', 'acme/tools@b', '--no-update'])

    await withStoresOf(folder, async ({ catalog }) => {
      for (const id of ['acme/tools@a', 'acme/tools@b']) {
        const found = await catalog.findSkill(id)
        const skill = JSON.parse(found.state === 'published' ? found.record : 'null')
        expect([await catalog.readText(skill), await catalog.readFiles(skill)]).toMatchObject([
          { text: 'Do it.' },
          { total: 2 },
        ])
      }
    })
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

    expect(await runCatalog(folder, ['rename', 'acme/printer', 'no id', '--json'])).toMatchObject({
      status: 2,
      json: { error: { code: 'bad_arguments' } },
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

  whenServer('mongodb', (mongodb) => {
    whenServer('meilisearch', (meilisearch) => {
      testWithOwnRedis('on servers, also of a document that its crawler hides', async () => {
        const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
        const client = await MongoClient.connect(env.MONGODB_URL)
        const catalog = await openMongoCatalog(env.MONGODB_URL)
        try {
          const run: Run = (args) => runOnServers(env, args)
          const statesOf = async (ids: string[]) => (await catalog.findSkills(ids)).map(({ state }) => state)
          await moderate(run, statesOf)
          await moderateRepository(run, statesOf, 20)
          const skills = client.db().collection('skills')
          const hidden = { isPrivate: true, isdraft: true }
          await skills.insertOne({ owner: 'acme', repo: 'crawled', ...hidden, active: true, crawl: { tries: 3 } })

          await run(['unhide', 'acme/crawled'])

          expect(await skills.findOne({ repo: 'crawled' })).toMatchObject({
            state: 'published',
            active: true,
            crawl: { tries: 3 },
          })
          expect(await statesOf(['acme/crawled'])).toEqual(['published'])
        } finally {
          await catalog.close()
          await client.close()
        }
      })
    })
  })
})
