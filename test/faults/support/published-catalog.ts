import { expect } from '@jest/globals'
import { openStores, type Stores } from '../../../shared/adapters/open.js'
import { readSharedConfig } from '../../../shared/config.js'
import { aSkill } from '../../support/factories.js'
import { silentLog } from '../../support/test-log.js'
import { runLocal } from './run-local.js'

/** Names a catalog, in either mode. */
export type Environment = Record<string, string>

/** Does something with the stores of a catalog, as another process would. */
export async function withStoresOn<T>(env: Environment, work: (stores: Stores) => Promise<T>): Promise<T> {
  const options = { threads: false, writes: true, patienceMs: 30_000, log: silentLog() }
  const stores = await openStores(readSharedConfig(env), options)
  try {
    return await work(stores)
  } finally {
    await stores.close()
  }
}

/**
 * Puts skills into a catalog.
 *
 * @param descriptionLength makes the export files as long as the test needs them
 */
export const putSkills = (env: Environment, count: number, descriptionLength = 20): Promise<unknown> =>
  withStoresOn(env, ({ catalog }) =>
    catalog.put(
      'skills',
      Array.from({ length: count }, (_, n) =>
        aSkill({ repo: `tool-${n}`, description: `${n} `.repeat(descriptionLength).slice(0, descriptionLength) }),
      ),
    ),
  )

/** Brings a catalog up to date, and publishes its files. */
export async function publishAll(env: Environment): Promise<void> {
  for (const command of ['sync', 'export', 'stats']) {
    expect(await runLocal(env, command)).toMatchObject({ status: 0 })
  }
}
