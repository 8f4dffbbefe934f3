import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { logChanges } from '../../../services/indexer/jobs/log-changes.js'
import { verifyChanges } from '../../../services/indexer/jobs/verify-changes.js'
import { runJob } from '../../../services/indexer/run-job.js'
import { toSearchDocument } from '../../../services/indexer/to-search-document.js'
import { openStores, type Stores } from '../../../shared/adapters/open.js'
import { readSharedConfig } from '../../../shared/config.js'
import { silentLog } from '../../support/test-log.js'
import { runLocal } from './run-local.js'

/**
 * What must hold of a catalog after any fault, once its parts are back: the index holds exactly the published skills
 * with their present content and its watermark is not ahead of it, every published export file is whole, what could
 * not be indexed can be explained, and the change log tells what is published. Throws where it does not; it can be
 * asked outside of Jest as well.
 *
 * @param env names the catalog, in either mode
 * @returns what the comparison of index and records counted
 */
export async function expectInvariant(env: Record<string, string>): Promise<Record<string, unknown>> {
  const sync = await runLocal(env, 'sync')
  assert.ok(!sync.stderr.includes('not done'), sync.stderr)
  const { json } = await runLocal(env, 'verify')
  const { missing, extra, different, pending } = json
  assert.deepEqual({ missing, extra, different, pending }, { missing: 0, extra: 0, different: 0, pending: 0 })
  const log = silentLog()
  const stores = await openStores(readSharedConfig(env), { threads: false, writes: true, patienceMs: 10_000, log })
  try {
    await expectWholeExports(stores)
    await expectExplainedDeadLetters(stores)
    await expectTrueChangeLog(stores)
  } finally {
    await stores.close()
  }
  return json
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
    const isWrong = isRefused || 'reason' in toSearchDocument(id, stored.get(id))
    assert.ok(isWrong, `nothing is wrong with the dead letter ${id}`)
  }
}

async function expectTrueChangeLog(stores: Stores): Promise<void> {
  const deps = {
    ...stores,
    changesKeptDays: 90,
    log: silentLog(),
    signal: new AbortController().signal,
    clock: () => new Date(),
    lockPatienceMs: 60_000,
  }
  await runJob(logChanges, deps)
  const { mended } = await runJob(verifyChanges, deps)
  assert.equal(mended, 0, 'the change log had missed something')
}
