import { constants, getPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { stateKeys } from '../../shared/state-keys.js'
import { aLock } from '../support/a-lock.js'
import { aSkill } from '../support/factories.js'
import { runCatalog, runInProcess, startCatalog, withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** A data folder with `count` skills that are not indexed yet. */
async function folderWith(count: number): Promise<string> {
  const folder = temporaryFolder()
  const skills = Array.from({ length: count }, (_, index) => aSkill({ repo: `s${index}`, stars: index }))
  await withStoresOf(folder, ({ catalog }) => catalog.put('skills', skills))
  return folder
}

/** The priority of a process; null: it has ended. */
function priorityOf(pid: number): number | null {
  try {
    return getPriority(pid)
  } catch {
    return null
  }
}

describe('sync, rebuild, stats and export', () => {
  test('run the jobs of these names, and print their counts', async () => {
    const folder = await folderWith(3)

    const sync = await runCatalog(folder, ['sync', '--json'])
    const rebuild = await runCatalog(folder, ['rebuild', '--json'])
    const stats = await runCatalog(folder, ['stats', '--json'])
    const files = await runCatalog(folder, ['export', '--json'])

    expect(sync.json).toMatchObject({
      command: 'sync',
      status: 0,
      published: 3,
      rejected: 0,
      durationMs: expect.any(Number),
    })
    expect(rebuild.json).toMatchObject({
      command: 'rebuild',
      status: 0,
      documents: 3,
      recordsPerSecond: expect.any(Number),
    })
    expect(stats.json).toMatchObject({ command: 'stats', status: 0, skills: 3, stars: 3, organizations: 1 })
    expect(files.json).toMatchObject({ command: 'export', status: 0, files: 9, rows: 4 })
    expect([sync, rebuild, stats, files].map(({ stderr, status }) => [status, stderr])).toEqual(Array(4).fill([0, '']))
  })

  test('sync counts the skills of an index that it builds again', async () => {
    const folder = await folderWith(3)
    await runCatalog(folder, ['sync'])

    const { json } = await runInProcess({ DATA_DIR: folder, EMBEDDER: 'off' }, ['sync', '--json'], '')

    expect(json).toMatchObject({ rebuilt: true, documents: 3 })
    expect(Number(json['recordsPerSecond'])).toBeGreaterThan(0)
  })

  test.each([
    ['rebuild', Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL)],
    ['sync', getPriority()],
  ])('%s runs at its priority', async (name, expected) => {
    const command = startCatalog(await folderWith(3), [name])
    const seen = new Set<number>()
    let isRunning = true
    const ended = command.ended.finally(() => {
      isRunning = false
    })
    while (isRunning) {
      seen.add(priorityOf(command.pid) ?? expected)
      await sleep(5)
    }

    expect((await ended).status).toBe(0)
    expect(Math.max(...seen)).toBe(expected)
  })

  test('print the counts as text', async () => {
    const { status, stdout } = await runCatalog(await folderWith(2), ['stats'])

    expect(status).toBe(0)
    expect(stdout).toMatch(
      /^compute-stats: 2 skills, 2 repositories, 0 prompts, 1 organization, 0 topics, 1 star, 0 indexed, first records \(\d+\.\d s\)\n$/,
    )
  })

  test('end with 2 while the same job runs elsewhere', async () => {
    const folder = await folderWith(1)

    const { status, stderr } = await withStoresOf(folder, async ({ catalog }) => {
      const lock = await catalog.lock('compute-stats')
      const run = await runCatalog(folder, ['stats'])
      await lock?.release()
      return run
    })

    expect(status).toBe(2)
    expect(stderr).toBe(
      'compute-stats is running already on this catalog. Wait for it to end, then try again. ' +
        'If its process was killed, this takes 30 seconds at most.\n',
    )
  })
})

describe('verify', () => {
  test('ends with 1 and the first 50 differences between index and catalog, with 0 once there are none', async () => {
    const folder = await folderWith(61)
    await runCatalog(folder, ['sync'])
    const ids = Array.from({ length: 60 }, (_, index) => `acme/s${index}`)
    await withStoresOf(folder, ({ replicas: [index] }) => index.apply({ publish: [], remove: ids }, 'live', aLock()))

    const { status, stderr, stdout } = await runCatalog(folder, ['verify'])
    const rebuilt = await runCatalog(folder, ['rebuild'])
    const again = await runCatalog(folder, ['verify'])

    expect(status).toBe(1)
    expect(stdout).toContain('60 missing')
    expect(stderr.trimEnd().split('\n')).toHaveLength(51)
    expect(stderr).toMatch(/^acme\/s0: in the catalog, but not in the index\n/)
    expect(stderr).toMatch(/\n… and 10 more\n$/)
    expect([rebuilt.status, again.status, again.stderr]).toEqual([0, 0, ''])
  })
})

describe('jobs', () => {
  test('lists the jobs with their last runs, and that no service is running', async () => {
    const folder = await folderWith(1)
    await runCatalog(folder, ['stats'])

    const { status, stdout } = await runCatalog(folder, ['jobs'])

    expect(status).toBe(0)
    expect(stdout).toMatch(
      /^job +every +last run +outcome +last success +next run\nsync-index +\S+ s +never +- +- +-\n/,
    )
    expect(stdout).toMatch(/\ncompute-stats +5 min +\S+Z +succeeded: 1 skill, .* +\S+Z +-\n/)
    expect(stdout).toMatch(/\nrebuild-index +by hand +never/)
    expect(stdout).toContain('No service is running on this catalog')
  })

  test('shows the start of a run in progress, as long as its process says that it lives', async () => {
    const folder = await folderWith(1)
    const since = '2026-01-02T03:04:05.678Z'
    const row = (stdout: string) => stdout.split('\n').find((line) => line.startsWith('rebuild-index'))

    const jobsAfter = (ageMs: number) =>
      withStoresOf(folder, ({ catalog }) => {
        const seenAt = new Date(Date.now() - ageMs).toISOString()
        return catalog.writeState(stateKeys.jobRunningSince('rebuild-index'), { since, seenAt })
      }).then(() => runCatalog(folder, ['jobs']))
    const [during, after] = [await jobsAfter(1_000), await jobsAfter(60_000)]

    expect(row(during.stdout)).toMatch(new RegExp(`^rebuild-index +by hand +running since ${since} +- +- +running$`))
    expect(row(after.stdout)).toMatch(/^rebuild-index +by hand +never +- +- +-$/)
  })

  test('shows the next runs, as long as the service is running', async () => {
    const folder = await folderWith(1)
    await runCatalog(folder, ['stats'])
    const startedAt = new Date().toISOString()
    await withStoresOf(folder, ({ catalog }) =>
      catalog.writeState(stateKeys.service, { pid: process.pid, url: 'http://127.0.0.1:1', startedAt }),
    )

    const { json } = await runCatalog(folder, ['jobs', '--json'])

    expect(json['service']).toEqual({ pid: process.pid, url: 'http://127.0.0.1:1', startedAt })
    const rows = json['jobs'] as { name: string; lastRun: { startedAt: string } | null; nextRunAt: string | null }[]
    const stats = rows.find(({ name }) => name === 'compute-stats')
    expect(stats?.nextRunAt).toBe(new Date(Date.parse(stats?.lastRun?.startedAt ?? '') + 300_000).toISOString())
    expect(rows.find(({ name }) => name === 'rebuild-index')?.nextRunAt).toBeNull()
  })

  test('shows the job that a waiting job waits for, and when it looks again', async () => {
    const folder = await folderWith(1)
    const at = new Date().toISOString()
    const run = { startedAt: at, endedAt: at, outcome: 'waiting', error: null, lastSucceededAt: null }
    await withStoresOf(folder, async ({ catalog }) => {
      await catalog.writeState(stateKeys.job('divide-sitemap'), { ...run, result: { waitingFor: 'ingest' } })
      await catalog.writeState(stateKeys.service, { pid: process.pid, url: null, startedAt: at })
    })

    const { stdout } = await runCatalog(folder, ['jobs'])

    const row = stdout.split('\n').find((line) => line.startsWith('divide-sitemap'))
    expect(row).toMatch(/ waits for ingest +- +\d{4}-\S+$/)
  })
})
