import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { JobResult } from '../../../services/indexer/job.js'
import { logChanges } from '../../../services/indexer/jobs/log-changes.js'
import { syncSkills } from '../../../services/indexer/jobs/sync-skills.js'
import { verifyChanges } from '../../../services/indexer/jobs/verify-changes.js'
import { verifyIndex } from '../../../services/indexer/jobs/verify-index.js'
import { toSearchDocument } from '../../../services/indexer/to-search-document.js'
import type { Stores } from '../../../shared/adapters/open.js'
import { type OpenedCatalog, withCatalog } from './with-catalog.js'

/**
 * What must hold of a catalog after any fault, once its parts are back: the index holds exactly the published skills
 * with their present content and its watermark is not ahead of it, every published export file is whole, what could
 * not be indexed can be explained, and the change log tells what is published. Throws where it does not; it can be
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

/** Compares until no change is on its way any more: another process may be taking some in. */
async function expectEqual({ run }: OpenedCatalog): Promise<JobResult> {
  for (;;) {
    const synced = await run(syncSkills)
    assert.ok(!('waitingFor' in synced), 'a rebuild is under way')
    const compared = await run(verifyIndex)
    const { missing, extra, different } = compared
    assert.deepEqual({ missing, extra, different }, { missing: 0, extra: 0, different: 0 })
    if (compared['pending'] === 0) {
      return compared
    }
  }
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
  const stored = new Map((await catalog.findStored('skills', ids)).map((each) => [each.id, each.stored]))
  for (const { id, reason } of letters) {
    const isRefused = reason.startsWith('Meilisearch refused it: ')
    const isWrong = isRefused || 'reason' in (toSearchDocument(id, stored.get(id)) ?? {})
    assert.ok(isWrong, `nothing is wrong with the dead letter ${id}`)
  }
}

async function expectTrueChangeLog({ run }: OpenedCatalog): Promise<void> {
  await run(logChanges)
  const { mended } = await run(verifyChanges)
  assert.equal(mended, 0, 'the change log had missed something')
}
