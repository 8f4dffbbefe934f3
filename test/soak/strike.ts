import { setTimeout as sleep } from 'node:timers/promises'
import { dyingAt } from '../faults/support/crash-points.mjs'
import { startCatalogOn } from '../support/catalog-command.js'
import { importBroken } from './broken-imports.js'
import type { PlannedFault, SoakCatalog } from './soak-catalog.js'
import type { SoakLog } from './soak-log.js'

/** The JSON of a completed command, with its `stderr`; null: the command failed or was killed. */
export type CommandResult = Record<string, unknown> | null

/** Injects a fault. Resolves when it is over and the target is available again. */
export async function strike(catalog: SoakCatalog, fault: PlannedFault, log: SoakLog): Promise<CommandResult> {
  const { kind, target, forMs, point } = fault
  if (kind === 'import-broken') {
    await importBroken(catalog, target, log)
    return null
  }
  if (kind === 'run' || kind === 'run-killed' || kind === 'run-crashed') {
    const crash = point === null ? {} : dyingAt(point)
    return runJobCommand({ ...catalog.env, ...crash }, target, kind === 'run-killed' ? forMs : null)
  }
  const service = catalog.services.find(({ name }) => name === target)
  if (service === undefined) {
    await (target === 'writer' ? killWriter(catalog, forMs) : catalog.strikeServer(fault))
  } else if (kind === 'kill') {
    await service.killFor(forMs)
  } else if (kind === 'freeze') {
    await service.freezeFor(forMs)
  } else if (point !== null) {
    await service.crashAt(point, forMs)
  }
  return null
}

/** Runs a job once in a separate process, concurrently with the services. */
export async function runJobCommand(
  env: Record<string, string>,
  job: string,
  killedAfterMs: number | null = null,
): Promise<CommandResult> {
  const command = startCatalogOn(env, [job, '--local', '--json'])
  command.stdin.end()
  const over = new AbortController()
  if (killedAfterMs !== null) {
    sleep(killedAfterMs, undefined, { signal: over.signal }).then(
      () => command.signal('SIGKILL'),
      () => undefined,
    )
  }
  const run = await command.ended
  over.abort()
  return run.status === 0 || run.status === 1 ? { ...run.json, stderr: run.stderr.trim() } : null
}

async function killWriter({ writers }: SoakCatalog, afterMs: number): Promise<void> {
  await sleep(afterMs)
  writers.store.kill()
}
