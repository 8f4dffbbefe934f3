import { computeStats } from '../../../services/indexer/jobs/compute-stats.js'
import { syncIndex } from '../../../services/indexer/jobs/sync-index.js'
import { writeExports } from '../../../services/indexer/jobs/write-exports.js'
import { aSkill } from '../../support/factories.js'
import { withCatalog } from './with-catalog.js'

/** Names a catalog, in either mode. */
export type Environment = Record<string, string>

/**
 * Puts skills into a catalog.
 *
 * @param descriptionLength makes the export files as long as the test needs them
 */
export const putSkills = (env: Environment, count: number, descriptionLength = 20): Promise<unknown> =>
  withCatalog(env, ({ catalog }) =>
    catalog.put(
      'skills',
      Array.from({ length: count }, (_, n) =>
        aSkill({ repo: `tool-${n}`, description: `${n} `.repeat(descriptionLength).slice(0, descriptionLength) }),
      ),
    ),
  )

/** Brings a catalog up to date, and publishes its files. */
export const publishAll = (env: Environment): Promise<void> =>
  withCatalog(env, async ({ run }) => {
    for (const job of [syncIndex, writeExports, computeStats]) {
      await run(job)
    }
  })
