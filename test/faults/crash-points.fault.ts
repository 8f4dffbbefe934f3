import { describe, expect, test } from '@jest/globals'
import { type CrashPoint, crashPoints } from '../../services/indexer/crash-points.js'
import { openStores } from '../../shared/adapters/open.js'
import { readSharedConfig } from '../../shared/config.js'
import { aSkill } from '../support/factories.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-redis.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { nodeStart, serviceStart } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { expectInvariant } from './support/invariant.js'
import { runLocal } from './support/run-local.js'

type Environment = Record<string, string>

/** More than one page of anything that goes page by page. */
const skills = Array.from({ length: 1_200 }, (_, n) => aSkill({ repo: `tool-${n}`, name: `Tool ${n}` }))

/** What has a process reach the point: a command, or null for a service, which does it by itself. */
const reachedBy: Record<CrashPoint, string | null> = {
  'batch-read': 'sync',
  'batch-applied': 'sync',
  'watermark-kept': 'sync',
  'rebuild-begun': 'rebuild',
  'page-copied': 'rebuild',
  'rebuild-verified': 'rebuild',
  'index-swapped': 'rebuild',
  'sync-continued': 'rebuild',
  'changes-read': null,
  'changes-logged': null,
  'export-file-written': 'export',
  'export-files-written': 'export',
  'exports-published': 'export',
  'stats-computed': 'stats',
  'differences-found': 'verify',
  'differences-mended': 'verify',
}

/** A catalog that is up to date, and then changes: in the records, and in the index behind everybody's back. */
async function prepare(env: Environment): Promise<void> {
  const stores = await openStores(readSharedConfig(env), {
    threads: false,
    writes: true,
    patienceMs: 30_000,
    log: silentLog(),
  })
  try {
    await stores.catalog.put('skills', skills.slice(0, 1_100))
    for (const command of ['sync', 'export', 'stats']) {
      expect((await runLocal(env, command)).status).toBe(0)
    }
    await stores.index.apply({ publish: [], remove: ['acme/tool-1000', 'acme/tool-1001'] })
    await stores.catalog.put('skills', [...skills.slice(1_100), aSkill({ repo: 'tool-0', name: 'Changed' })])
    await stores.catalog.remove('skills', ['acme/tool-1', 'acme/tool-2'])
  } finally {
    await stores.close()
  }
}

async function killAt(point: CrashPoint, env: Environment, service: 'indexer' | 'standalone'): Promise<void> {
  const command = reachedBy[point]
  const doomed = { ...env, NODE_ENV: 'test', CATALOG_CRASH_POINT: point }
  if (command !== null) {
    expect((await runLocal(doomed, command)).status).toBe('SIGKILL')
    return
  }
  const process = service === 'standalone' ? nodeStart(doomed) : serviceStart(service, doomed)
  expect(await process.ended).toBe('SIGKILL')
}

async function expectHealed(env: Environment): Promise<void> {
  await runLocal(env, 'sync')
  // What was taken out of the index behind its back is found, and put back.
  expect((await runLocal(env, 'verify')).json).toMatchObject({ pending: 0 })
  const counts = await expectInvariant(env)
  expect(counts).toMatchObject({ status: 0, compared: 1_198 })
  for (const command of ['rebuild', 'export', 'stats']) {
    expect((await runLocal(env, command)).status).toBe(0)
  }
  await expectInvariant(env)
}

describe('kill -9 in one folder, at', () => {
  test.each(crashPoints)('%s: nothing is lost, and all goes on', async (point) => {
    const env = { DATA_DIR: temporaryFolder(), CATALOG_MODE: 'embedded', SAMPLE_CATALOG: 'off' }
    await prepare(env)
    await killAt(point, env, 'standalone')
    await expectHealed(env)
  })
})

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    describe('kill -9 on servers, at', () => {
      for (const point of crashPoints) {
        testWithOwnRedis(`${point}: nothing is lost, and all goes on`, async () => {
          const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
          await prepare(env)
          await killAt(point, env, 'indexer')
          await expectHealed(env)
        })
      }
    })
  })
})
