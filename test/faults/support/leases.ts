import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import { type CatalogRun, runCatalogOn } from '../../support/catalog-command.js'

/**
 * Expires the leases of a killed process in this catalog's database, without waiting half a minute. In the embedded mode
 * the system has released the locks.
 */
export async function endLeases(env: Record<string, string>): Promise<void> {
  if (env['MONGODB_URL'] !== undefined) {
    const client = await MongoClient.connect(env['MONGODB_URL'])
    await client
      .db()
      .collection('locks')
      .updateMany({}, { $set: { expiresAt: new Date(0) } })
    await client.close()
  }
}

/** Runs a job's command in its own process, after the expiry of a killed process's lock. */
export async function runLocal(env: Record<string, string>, command: string): Promise<CatalogRun> {
  for (;;) {
    const run = await runCatalogOn(env, [command, '--local', '--json'])
    if (run.status !== 2 || (run.json['error'] as { code: string } | undefined)?.code !== 'job_running') {
      return run
    }
    await sleep(1_000)
  }
}
