import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/local-server.js'
import { bareImport, bareIndex } from './bare-fts5.js'
import { type Environment, type RunningProcess, runCommand, startProcess } from './processes.js'
import { type RecordSet, writeSeeded } from './record-sets.js'
import { perSecond, ratio, row } from './report.js'

/** How long the catalog takes to import and to index a set, and what takes a bare SQLite to do so. */
export interface CatalogTimes {
  importMs: number
  bareTableMs: number
  rebuildMs: number
  bareIndexMs: number
}

/** The catalog's data folder. */
export const dataOf = (folder: string): string => join(folder, 'data')

/**
 * Imports a set with the built commands as an operator would, next to a bare SQLite, with all that a service would make
 * after its start; then rebuilds the index.
 *
 * @param barePath the file of the bare SQLite
 */
export async function makeCatalog(set: RecordSet, folder: string, barePath: string): Promise<CatalogTimes> {
  const importMs = await importSkills(folder, set.path)
  const bareTableMs = await bareImport(set, barePath)
  const share = (bareMs: number, ms: number, bare: string) => `${ratio(bareMs, ms)} of ${bare}, command included`
  row('import', perSecond(set.records, importMs), share(bareTableMs, importMs, 'one bare table'))

  await updateCatalog(folder)
  const rebuildMs = await timeCommand(folder, ['rebuild'])
  const bareIndexMs = await bareIndex(set, barePath)
  row('rebuild', perSecond(set.records, rebuildMs), share(bareIndexMs, rebuildMs, 'one bare FTS5 index'))
  return { importMs, bareTableMs, rebuildMs, bareIndexMs }
}

/** Imports the skills of a file, without what follows an import. @returns the milliseconds until the command's end */
export const importSkills = (folder: string, path: string, env: Environment = {}): Promise<number> =>
  timeCommand(folder, ['import', path, '--type', 'skills', '--no-update'], env)

/** Seeds skills, without what follows an import. @returns the milliseconds until the command's end */
export const seedSkills = (folder: string, size: number, env: Environment = {}): Promise<number> =>
  timeCommand(folder, ['seed', '--skills', String(size), '--prompts', '0', '--organizations', '0', '--no-update'], env)

/** Makes index, statistics and export files. */
export async function updateCatalog(folder: string): Promise<void> {
  await timeCommand(folder, ['sync'])
  await timeCommand(folder, ['stats'])
  await timeCommand(folder, ['export'])
}

/** Imports a set with all that a service would make after its start, and measures nothing. */
export async function makeCatalogOnly(set: RecordSet, folder: string): Promise<null> {
  await importSkills(folder, set.path)
  await updateCatalog(folder)
  return null
}

/** Does so with a set of generated skills. */
export async function makeSeeded(size: number, folder: string, apart = false): Promise<RecordSet> {
  const set = await writeSeeded(size, folder, apart)
  await makeCatalogOnly(set, folder)
  return set
}

/** Runs a command of the catalog. @returns the milliseconds until its end */
export async function timeCommand(folder: string, args: string[], env: Environment = {}): Promise<number> {
  const startedAt = performance.now()
  await runCommand({ DATA_DIR: dataOf(folder), ...env }, args)
  return performance.now() - startedAt
}

/** Starts the built service of the embedded mode as operators run it: each request is logged. */
export const startLoggingService = (folder: string): Promise<RunningProcess> =>
  startProcess('dist/services/standalone/main.js', [], { DATA_DIR: dataOf(folder), PORT: '0', ...unlimited }, 'ignore')

const unlimited = { RATE_LIMIT_PER_MINUTE: '1000000', EXPORT_RATE_LIMIT_PER_MINUTE: '1000000' }

export interface TimedService extends RunningProcess {
  /** Milliseconds from its start until it had answered a request. */
  startMs: number
}

/** Starts the built service of the embedded mode, and measures how long that takes. */
export async function startService(folder: string): Promise<TimedService> {
  const port = await freePort()
  const startedAt = performance.now()
  let startMs = Number.NaN
  const [service] = await Promise.all([
    startProcess('dist/services/standalone/main.js', [], {
      DATA_DIR: dataOf(folder),
      PORT: String(port),
      LOG_LEVEL: 'error',
      ...unlimited,
    }),
    untilItAnswers(`http://127.0.0.1:${port}/api/skills?limit=1`).then(() => {
      startMs = performance.now() - startedAt
    }),
  ])
  return { ...service, startMs }
}

async function untilItAnswers(url: string): Promise<void> {
  const signal = AbortSignal.timeout(60_000)
  while (!(await fetch(url, { signal }).catch(() => null))?.ok) {
    await sleep(10, undefined, { signal })
  }
}
