import { afterEach } from '@jest/globals'
import { Meilisearch } from 'meilisearch'
import type { Job, JobResult } from '../../../services/indexer/job.js'
import { syncSkills } from '../../../services/indexer/jobs/sync-skills.js'
import { runJob } from '../../../services/indexer/run-job.js'
import { openStores, type Stores } from '../../../shared/adapters/open.js'
import { readSharedConfig } from '../../../shared/config.js'
import type { StoredSkill } from '../../../shared/records/skill.js'
import { stateKeys } from '../../../shared/state-keys.js'
import { MeiliRelay } from '../../support/meili-relay.js'
import { meiliKey } from '../../support/servers.js'
import { emptyCatalog, type ServersEnvironment } from '../../support/servers-catalog.js'
import { silentLog } from '../../support/test-log.js'

/** No job that a test runs itself asks for one. */
const noRedis = 'redis://127.0.0.1:1'

/** A catalog on servers whose jobs, run in this process, reach Meilisearch through a relay only. */
export interface RelayedCatalog {
  /** Names it, without the relay. */
  env: ServersEnvironment
  relay: MeiliRelay
  /** Meilisearch itself. */
  client: Meilisearch
  put(...skills: StoredSkill[]): Promise<void>
  remove(...ids: string[]): Promise<void>
  run(job: Job): Promise<JobResult>
  /** Up to where the index is known to hold what changed. */
  watermark(): Promise<string | null>
}

/**
 * Opens an empty catalog, closed when the test ends.
 *
 * @param skills are in it, and in the index
 */
export async function relayedCatalog(
  mongodb: string,
  meilisearch: string,
  skills: StoredSkill[] = [],
): Promise<RelayedCatalog> {
  const env = await emptyCatalog(mongodb, meilisearch, noRedis)
  const relay = await MeiliRelay.before(meilisearch)
  const log = silentLog()
  const config = readSharedConfig({ ...env, MEILI_URL: relay.url })
  const stores = await openStores(config, { threads: false, writes: true, patienceMs: 30_000, log })
  opened.push({ relay, stores })
  const { signal } = new AbortController()
  const run = (job: Job) =>
    runJob(job, { ...stores, changesKeptDays: 90, log, signal, clock: () => new Date(), lockPatienceMs: 60_000 })
  await stores.catalog.put('skills', skills)
  await run(syncSkills)
  relay.requests.length = 0
  return {
    env,
    relay,
    client: new Meilisearch({ host: meilisearch, apiKey: meiliKey }),
    put: async (...more) => void (await stores.catalog.put('skills', more)),
    remove: async (...ids) => void (await stores.catalog.remove('skills', ids)),
    run,
    watermark: () => stores.catalog.readState<string>(stateKeys.syncWatermark),
  }
}

const opened: { relay: MeiliRelay; stores: Stores }[] = []

afterEach(async () => {
  for (const { relay, stores } of opened.splice(0)) {
    await stores.close()
    relay.close()
  }
})
