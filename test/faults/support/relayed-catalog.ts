import { Meilisearch } from 'meilisearch'
import type { StoredSkill } from '../../../shared/records/skill.js'
import { stateKeys } from '../../../shared/state-keys.js'
import type { MeiliRelay } from '../../support/meili-relay.js'
import { meiliKey } from '../../support/servers.js'
import { type OwnCatalog, ownCatalog } from './crawled-catalog.js'
import { openRelay } from './open-relay.js'

/** A catalog on servers whose jobs, run in this process, reach Meilisearch through a relay only. */
export interface RelayedCatalog extends Pick<OwnCatalog, 'env' | 'run' | 'sync'> {
  relay: MeiliRelay
  /** Meilisearch itself. */
  client: Meilisearch
  put(...skills: StoredSkill[]): Promise<void>
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
  const relay = await openRelay(meilisearch)
  const { env, catalog, run, sync } = await ownCatalog(mongodb, meilisearch, relay.url)
  await catalog.put('skills', skills)
  await sync()
  relay.requests.length = 0
  return {
    env,
    relay,
    client: new Meilisearch({ host: meilisearch, apiKey: meiliKey }),
    put: async (...more) => void (await catalog.put('skills', more)),
    run,
    sync,
    position: () => catalog.readState<number>(stateKeys.syncPosition),
  }
}
