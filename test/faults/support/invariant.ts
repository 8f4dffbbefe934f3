import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { reconcile } from '../../../services/indexer/jobs/reconcile.js'
import type { JobResult } from '../../../services/indexer/runner/job.js'
import type { Stores } from '../../../shared/adapters/stores.js'
import { stateKeys } from '../../../shared/state-keys.js'
import { type OpenedCatalog, withCatalog } from './with-catalog.js'

/**
 * What must hold of a catalog after any fault, once its parts are back: the index holds exactly the published skills
 * with their present content, the change log holds the same, every published export file is whole, and what could not
 * be indexed can be explained. Throws where it does not; it can be
 * asked outside of Jest as well.
 *
 * @param env names the catalog, in either mode
 * @returns what the comparison of index and records counted
 */
export const expectInvariant = (env: Record<string, string>): Promise<JobResult> =>
  withCatalog(env, async (catalog) => {
    const compared = await expectEqual(catalog)
    await expectWholeExports(catalog)
    await expectExplainedDeadLetters(catalog)
    await expectTrueChangeLog(catalog)
    return compared
  })

/** Compares catalog with log, and log with index, while another process may be ingesting. */
async function expectEqual({ run, sync }: OpenedCatalog): Promise<JobResult> {
  await sync()
  const compared = await run(reconcile)
  const { missing, extra, different, repaired } = compared
  assert.deepEqual({ missing, extra, different, repaired }, { missing: 0, extra: 0, different: 0, repaired: 0 })
  return compared
}

async function expectWholeExports({ exports }: Stores): Promise<void> {
  for (const { files } of await exports.snapshots()) {
    for (const { sha256, sizeBytes } of files) {
      const content = await exports.open(sha256, null)
      if (content === null) {
        // A service that runs may have published a new snapshot since, and dropped this one.
        const kept = (await exports.snapshots()).flatMap((each) => each.files)
        assert.ok(!kept.some((file) => file.sha256 === sha256), `${sha256} is published, and not there`)
        continue
      }
      const hash = createHash('sha256')
      let bytes = 0
      for await (const piece of content) {
        hash.update(piece)
        bytes += piece.length
      }
      assert.deepEqual([bytes, hash.digest('hex')], [sizeBytes, sha256])
    }
  }
}

async function expectExplainedDeadLetters({ catalog }: Stores): Promise<void> {
  const letters = await catalog.listDeadLetters(null, 1_000)
  const ids = letters.map(({ id }) => id)
  const found = await catalog.findSkills(ids)
  for (const [place, { id, reason, source }] of letters.entries()) {
    const isPublished = found[place]?.state === 'published'
    const isExplained = source === 'document' ? !isPublished : reason.startsWith('Meilisearch refused it: ')
    assert.ok(isExplained, `nothing is wrong with the dead letter ${id}`)
  }
}

/** The log is complete, has every published skill, and the index has everything in it. */
async function expectTrueChangeLog({ catalog, changes }: Stores): Promise<void> {
  const { head, complete } = await changes.bounds()
  assert.ok(complete, 'the change log is not complete')
  const position = await catalog.readState<number>(stateKeys.syncPosition)
  assert.ok(position === null ? head === 0 : position <= head, 'the index has a position after the head of the log')
}
