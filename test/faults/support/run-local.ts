import { setTimeout as sleep } from 'node:timers/promises'
import { type CatalogRun, runCatalogOn } from '../../support/catalog-command.js'

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
