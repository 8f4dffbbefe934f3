import { createHash } from 'node:crypto'
import { expect } from '@jest/globals'
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
 * not be indexed can be explained, and the change log tells what is published.
 *
 * @param env names the catalog, in either mode
 * @returns what the comparison of index and records counted
 */
export async function expectInvariant(env: Record<string, string>): Promise<Record<string, unknown>> {
  const sync = await runLocal(env, 'sync')
  expect([sync.status, sync.stderr]).toEqual([expect.anything(), expect.not.stringContaining('not done')])
  const { json } = await runLocal(env, 'verify')
  expect(json).toMatchObject({ missing: 0, extra: 0, different: 0, pending: 0 })
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
      const hash = createHash('sha256')
      let bytes = 0
      for await (const piece of (await exports.open(sha256, null)) ?? []) {
        hash.update(piece)
        bytes += piece.length
      }
      expect([bytes, hash.digest('hex')]).toEqual([sizeBytes, sha256])
    }
  }
}

async function expectExplainedDeadLetters({ catalog }: Stores): Promise<void> {
  const letters = await catalog.listDeadLetters(null, 1_000)
  const stored = new Map(
    (
      await catalog.findStored(
        'skills',
        letters.map(({ id }) => id),
      )
    ).map((each) => [each.id, each.stored]),
  )
  for (const { id } of letters) {
    expect(toSearchDocument(id, stored.get(id))).toMatchObject({ id, reason: expect.any(String) })
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
  expect(await runJob(verifyChanges, deps)).toMatchObject({ mended: 0 })
}
