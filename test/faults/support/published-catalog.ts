import { expect } from '@jest/globals'
import { computeStats } from '../../../services/indexer/jobs/compute-stats.js'
import { writeExports } from '../../../services/indexer/jobs/write-exports.js'
import type { ExportDraft } from '../../../shared/ports/export-store.js'
import { waitForLock } from '../../../shared/ports/locks.js'
import { runCatalogOn } from '../../support/catalog-command.js'
import { publishText } from '../../support/export-drafts.js'
import { aSkill } from '../../support/factories.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { withCatalog } from './with-catalog.js'

/** Names a catalog, in either mode. */
export type Environment = Record<string, string>

/** An empty catalog in this folder. */
export const inFolder = (dataDir = temporaryFolder()) => ({
  DATA_DIR: dataDir,
  CATALOG_MODE: 'embedded',
  SAMPLE_CATALOG: 'off',
})

/** Seeds a catalog, in a process of its own. */
export const seed = async (env: Environment, skills: number): Promise<void> =>
  expect(await runCatalogOn(env, ['seed', '--skills', String(skills), '--json'])).toMatchObject({ status: 0 })

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
  withCatalog(env, async ({ run, sync }) => {
    await sync()
    for (const job of [writeExports, computeStats]) {
      await run(job)
    }
  })

/** Publishes this text as the skills in JSON, and further files, as a run of the job does. */
export const publishTextIn = (env: Environment, content: string, others: ExportDraft[] = []): Promise<unknown> =>
  withCatalog(env, async ({ catalog, exports }) => {
    const lock = await waitForLock(catalog, writeExports.name, 0, new AbortController().signal)
    try {
      await publishText(exports, 1, content, others, lock)
    } finally {
      await lock.release()
    }
  })
