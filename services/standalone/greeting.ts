import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Stores } from '../../shared/adapters/stores.js'
import type { Catalog } from '../../shared/ports/catalog.js'
import { type RecordType, recordTypes } from '../../shared/records/records.js'
import { skillOf, writtenId } from '../../shared/records/skill.js'
import type { Stats } from '../../shared/records/stats.js'
import { AppError, operatorError } from '../../shared/runtime/errors.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { type ServiceState, stateKeys } from '../../shared/state-keys.js'
import { formatCount } from '../../shared/text/format-numbers.js'
import type { TextMode } from '../../shared/text/skill-text.js'
import { type AcceptedRecord, mapRecord } from '../indexer/import/map-record.js'

/** A catalog that only this process serves. */
export interface Claim {
  /** Publishes the service's URL to other processes. */
  announce(url: string): Promise<void>
  release(): Promise<void>
}

/**
 * Claims the catalog for this process until it ends: no other process may serve it.
 *
 * @param dataDir the data folder, for messages
 * @throws AppError `service_running` with the URL of the other process
 */
export async function claimCatalog(catalog: Catalog, dataDir: string, clock: () => Date): Promise<Claim> {
  const lock = await catalog.lock('service')
  if (lock === null) {
    const other = await catalog.readState<ServiceState>(stateKeys.service)
    throw serviceRunning(dataDir, other)
  }
  const state: ServiceState = { pid: process.pid, url: null, startedAt: clock().toISOString() }
  // Not awaited here: the thread that writes is still starting, and reads need none.
  const written = catalog.writeState(stateKeys.service, state)
  written.catch(() => undefined)
  return {
    announce: async (url) => {
      await written
      await catalog.writeState(stateKeys.service, { ...state, url })
    },
    release: async () => {
      // A URL that stays because the disk is full does no harm: the lock decides whether a service runs.
      await catalog.writeState(stateKeys.service, null).catch(() => undefined)
      await lock.release()
    },
  }
}

/** @param other the service that runs on the folder; null: not known */
export function serviceRunning(dataDir: string, other: ServiceState | null): AppError {
  const where = other === null ? '' : ` (process ${other.pid}${other.url === null ? '' : `, ${other.url}`})`
  return operatorError(
    'service_running',
    `A Skill Catalog already runs on the data folder ${dataDir}${where}. ` +
      'Use that one, stop it, or set DATA_DIR to another folder.',
  )
}

/**
 * Loads the project's sample into a catalog that was created to get it, in an empty folder. A load that was interrupted is
 * completed. A catalog without records in a folder that had one is no place for records that were made up.
 *
 * @param textMode `off`: without the texts of skills; they are the project's own and need no cleaning
 * @returns whether it was loaded
 */
export async function loadSample(catalog: Catalog, textMode: TextMode = 'cleaned'): Promise<boolean> {
  const state = await catalog.readState<{ loaded: boolean }>(stateKeys.sample)
  if (state === null || state.loaded) {
    return false
  }
  for (const type of recordTypes) {
    const sample = await readSample(type)
    const records = sample.map(({ record }) => record)
    const contents = sample.flatMap(({ id, content }) => (content === undefined ? [] : [{ id, ...content }]))
    await catalog.put(type, records, { contents: textMode === 'off' ? [] : contents })
  }
  await catalog.writeState(stateKeys.sample, { loaded: true })
  return true
}

async function readSample<T extends RecordType>(type: T): Promise<AcceptedRecord<T>[]> {
  const path = join(projectRoot(), 'infra', 'sample', `${type}.ndjson`)
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '')
  return lines.map((line, place) => {
    const mapped = mapRecord(type, JSON.parse(line))
    if ('reason' in mapped) {
      throw operatorError(
        'bad_sample',
        `${path}, line ${place + 1}: ${mapped.reason}. Restore the file from the project.`,
      )
    }
    return mapped
  })
}

export interface GreetingOptions {
  stores: Pick<Stores, 'catalog' | 'index'>
  url: string
  /** `DATA_DIR`, as configured. */
  dataDir: string
  /** Whether this start loaded the sample. */
  sampleLoaded: boolean
}

/** The text for the operator once the service answers: the state of the catalog, and commands to try. */
export async function greeting({ stores, url, dataDir, sampleLoaded }: GreetingOptions): Promise<string> {
  const { catalog, index } = stores
  const { skills, total } = await catalog.listSkills({ filters: {}, sort: 'stars', order: 'desc', limit: 1 })
  const stats = await catalog.readState<Stats>(stateKeys.stats)
  // Statistics older than the last import count too few records.
  const counts = stats?.totals.skills === total ? countsOf(stats) : formatCount(total, 'skills')
  const indexed = await documentsIn(index)
  const [first] = skills.map(skillOf)
  // The commands use the folder of their own DATA_DIR.
  const command = `${dataDir === './data' ? '' : `DATA_DIR=${quoted(dataDir)} `}npm run catalog --`
  return [
    `Skill Catalog answers at ${url}`,
    `${counts}${sampleLoaded ? ' from the sample' : ''}, in ${resolve(dataDir)}`,
    ...(indexed === null ? ['The search index cannot be read: see the log for the cause and the remedy.'] : []),
    ...((indexed ?? total) < total ? ['The search index is being updated: until then searches are incomplete.'] : []),
    '',
    'Try, in another terminal:',
    `  curl '${url}/api/v1/skills/search?q=pdf'`,
    `  curl '${url}/api/skills?limit=5'`,
    ...(first === undefined ? [] : [`  curl '${url}/api/skills/${writtenId(first)}'`]),
    `  curl '${url}/api/v1/stats'`,
    `  curl -f -OJ '${url}/api/v1/export?type=skills&format=csv'`,
    `  ${command} import skills.ndjson --type skills`,
    `  ${command} status`,
    `  ${command} --help`,
    '',
    'Ctrl-C stops it.',
    '',
  ].join('\n')
}

/** Null when the index is unavailable: all endpoints but searches work without it. */
async function documentsIn(index: Stores['index']): Promise<number | null> {
  try {
    return (await index.status()).documents
  } catch (error) {
    if (error instanceof AppError) {
      return null
    }
    throw error
  }
}

const countsOf = ({ totals }: Stats): string =>
  `${formatCount(totals.skills, 'skills')}, ${formatCount(totals.prompts, 'prompts')} and ` +
  formatCount(totals.organizations, 'organizations')

const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
