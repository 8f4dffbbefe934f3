import { afterEach } from '@jest/globals'
import { Meilisearch } from 'meilisearch'
import type { Job, JobResult } from '../../../services/indexer/runner/job.js'
import { runJob } from '../../../services/indexer/runner/run-job.js'
import { openStores } from '../../../shared/adapters/open.js'
import type { Stores } from '../../../shared/adapters/stores.js'
import type { StoredSkill } from '../../../shared/records/skill.js'
import { readSharedConfig } from '../../../shared/runtime/config.js'
import { stateKeys } from '../../../shared/state-keys.js'
import { MeiliRelay } from '../../support/meili-relay.js'
import { meiliKey } from '../../support/servers.js'
import { emptyCatalog, type ServersEnvironment } from '../../support/servers-catalog.js'
import { silentLog } from '../../support/test-log.js'
import { syncBy } from './with-catalog.js'

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
  run(job: Job): Promise<JobResult>
  /** Does one run of each job that brings what was written into the index. */
  sync(): Promise<JobResult>
  /** The sequence up to which the index is known to hold what changed. */
  position(): Promise<number | null>
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
  const stores = await openStores(config, { threads: false, writes: true, startTimeoutMs: 30_000, log })
  opened.push({ relay, stores })
  const { signal } = new AbortController()
  const run = (job: Job) =>
    runJob(job, { ...stores, changesKeptDays: 90, log, signal, clock: () => new Date(), lockTimeoutMs: 60_000 })
  await stores.catalog.put('skills', skills)
  const sync = () => syncBy(run, stores)
  await sync()
  relay.requests.length = 0
  return {
    env,
    relay,
    client: new Meilisearch({ host: meilisearch, apiKey: meiliKey }),
    put: async (...more) => void (await stores.catalog.put('skills', more)),
    run,
    sync,
    position: () => stores.catalog.readState<number>(stateKeys.syncPosition),
  }
}

const opened: { relay: MeiliRelay; stores: Stores }[] = []

afterEach(async () => {
  for (const { relay, stores } of opened.splice(0)) {
    await stores.close()
    relay.close()
  }
})
