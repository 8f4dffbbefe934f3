import { constants } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { inspectFolder, inspectServers } from '../../../../shared/adapters/open.js'
import type { ServersConfig } from '../../../../shared/runtime/config.js'
import { AppError, ignoreMissing, operatorMessage, systemErrorCode } from '../../../../shared/runtime/errors.js'
import type { Logger } from '../../../../shared/runtime/log.js'
import { diskFact } from '../../status/describe.js'
import { readDisk } from '../../status/disk.js'
import { type Check, checkFact, correctFirst, finding, fine, isAtLeast, type PlaceChecks, unchecked } from './check.js'

/** The oldest versions that have what the catalog uses. */
const oldest = {
  /** What the driver requires. */
  MongoDB: '4.4',
  /** Swaps that rename, see `MeiliIndexes`. */
  Meilisearch: '1.18',
  /** What BullMQ requires. */
  Redis: '6.2',
}

/** The job queue tolerates this difference between two clocks. */
const maxClockDifferenceMs = 5_000

/** Checks the servers. */
export async function checkServers(config: ServersConfig, log: Logger): Promise<PlaceChecks> {
  const servers = await inspectServers(config, log)
  try {
    const mongodb = await checked('MongoDB', 'MONGODB_URL', async () => {
      const facts = await servers.mongodb()
      return [...checksOf('MongoDB', facts), checkChangeStreams(facts.changeStreams)]
    })
    const meilisearch: Check[] = []
    for (const { address, inspect } of servers.meilisearch) {
      const found = await checked('Meilisearch', 'MEILI_URL and MEILI_KEY', async () => {
        const facts = await inspect()
        return [...checksOf('Meilisearch', facts), checkIndexSettings(facts.differentSettings)]
      })
      const at = servers.meilisearch.length === 1 ? '' : ` at ${address}`
      meilisearch.push(...found.map((check) => ({ ...check, name: `${check.name}${at}` })))
    }
    const redis = await checked('Redis', 'REDIS_URL', async () => {
      const facts = await servers.redis()
      return [...checksOf('Redis', facts), checkEviction(facts.evictionPolicy)]
    })
    const { limitsRedis } = servers
    const limits =
      limitsRedis === null
        ? []
        : await checked('Redis', 'RATE_LIMIT_REDIS_URL', async () => checksOf('Redis', await limitsRedis()))
    return {
      checks: [...mongodb, ...meilisearch, ...redis, ...limits.map(ofLimits)],
      catalog: mongodb[0]?.state === 'fine' ? 'readable' : 'unreadable',
    }
  } finally {
    await servers.close()
  }
}

/** A finding in place of the checks when a server does not answer or refuses access. */
async function checked(name: keyof typeof oldest, variables: string, check: () => Promise<Check[]>): Promise<Check[]> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof AppError) {
      const remedy = `Start ${name}, or correct ${variables}; its log has the reason of a refusal.`
      return [finding(name, operatorMessage(error, error.status === 503 ? 'does not answer.' : error.message), remedy)]
    }
    throw error
  }
}

const ofLimits = (check: Check): Check => ({ ...check, name: `${check.name} of the limits` })

function checksOf(
  name: keyof typeof oldest,
  { version, clockAheadMs }: { version: string; clockAheadMs: number | null },
): Check[] {
  const reached = isAtLeast(version, oldest[name])
    ? fine(name, `answers, version ${version}`)
    : finding(name, `version ${version} is too old`, `Upgrade ${name} to ${oldest[name]} or newer.`)
  return [reached, ...(clockAheadMs === null ? [] : [checkClock(name, clockAheadMs)])]
}

function checkClock(server: string, aheadMs: number): Check {
  const name = `clock of ${server}`
  const seconds = `${(Math.abs(aheadMs) / 1_000).toFixed(1)} s`
  return Math.abs(aheadMs) <= maxClockDifferenceMs
    ? fine(name, `differs from this machine’s by ${seconds}`)
    : finding(
        name,
        `is ${seconds} ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine’s`,
        'Let all machines set their clocks by NTP: times of changes, and schedules after a change of the clock, depend on it.',
      )
}

function checkChangeStreams(state: string): Check {
  const name = 'change streams'
  const late =
    'writes of other applications are found every SYNC_EVERY_SECONDS by their time of writing; deletions, and what has no ' +
    'new time, by comparing all documents, 500 in ten seconds'
  switch (state) {
    case 'works':
      return fine(name, 'MongoDB reports writes of other applications: one was opened')
    case 'standalone':
      return finding(
        name,
        `MongoDB is a standalone server: ${late}`,
        'Make it a replica set, of one member if need be: start mongod with --replSet, and call rs.initiate() once.',
      )
    default:
      return finding(
        name,
        `MongoDB refuses one: ${state}. So ${late}`,
        'Give the user of MONGODB_URL the role readWrite on its database, which includes the right to watch.',
      )
  }
}

function checkIndexSettings(different: string[] | null): Check {
  const name = 'index settings'
  if (different === null) {
    const remedy = 'Start an indexer (npm run start:indexer), or run npm run catalog -- sync --local.'
    return finding(name, 'Meilisearch has no index of this catalog yet', remedy)
  }
  return different.length === 0
    ? fine(name, 'are as expected')
    : finding(
        name,
        `of Meilisearch differ from the expected ones: ${different.join(', ')}`,
        'Run npm run catalog -- rebuild. If they differ again, another version or program writes to this Meilisearch.',
      )
}

const checkEviction = (policy: string): Check =>
  policy === 'noeviction'
    ? fine('eviction', 'maxmemory-policy of Redis is noeviction')
    : finding(
        'eviction',
        `maxmemory-policy of Redis is ${policy}: jobs are lost when its memory is full`,
        'Set maxmemory-policy noeviction in the settings of the Redis of the jobs; limits may have a Redis of their own (RATE_LIMIT_REDIS_URL).',
      )

/** Checks a data folder: rights, free disk, and format. */
export async function checkFolder(dataDir: string): Promise<PlaceChecks> {
  const rights = await checkRights(dataDir)
  if (rights.state !== 'fine') {
    return { checks: [rights], catalog: 'unreadable' }
  }
  if (!(await stat(dataDir).catch(() => null))) {
    return { checks: [rights], catalog: 'absent' }
  }
  const { check, catalog } = await checkFormat(dataDir)
  return { checks: [rights, checkFact(diskFact(await readDisk(dataDir))), check], catalog }
}

/** Checks that this user can read and write the folder and its files, or create it. */
async function checkRights(dataDir: string): Promise<Check> {
  const name = 'data folder'
  const folder = resolve(dataDir)
  try {
    const found = await stat(folder)
    if (!found.isDirectory()) {
      return finding(name, `${folder} is a file`, 'Set DATA_DIR to a folder, or move the file away.')
    }
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      // A running service deletes files.
      await access(join(folder, entry.name), constants.R_OK | constants.W_OK).catch(ignoreMissing)
    }
    return fine(name, `${folder} can be read and written`)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT') {
      return checkCreation(folder)
    }
    const path = String(Object(error).path ?? folder)
    return finding(
      name,
      `${path} cannot be read and written by this user (${code ?? error})`,
      `Give the user of the service read and write access to ${folder} and all in it, or set DATA_DIR to another folder.`,
    )
  }
}

/** Checks that a folder that does not exist can be created. */
async function checkCreation(folder: string): Promise<Check> {
  let above = dirname(folder)
  while ((await stat(above).catch(() => null)) === null) {
    above = dirname(above)
  }
  try {
    await access(above, constants.W_OK | constants.X_OK)
    return fine('data folder', `${folder} does not exist yet: the first start creates it`)
  } catch {
    return finding(
      'data folder',
      `${folder} does not exist, and cannot be created in ${above}`,
      `Give the user of the service write access to ${above}, or set DATA_DIR to another folder.`,
    )
  }
}

async function checkFormat(dataDir: string): Promise<{ check: Check; catalog: PlaceChecks['catalog'] }> {
  const name = 'format'
  try {
    const found = await inspectFolder(dataDir)
    if (found === null) {
      return { check: fine(name, 'there is no catalog in the folder yet'), catalog: 'absent' }
    }
    const { format, present } = found
    if (format > present) {
      const detail = `a newer version has written the catalog (format ${format}, this one knows ${present})`
      return {
        check: finding(name, detail, 'Update the program, or set DATA_DIR to another folder.'),
        catalog: 'unreadable',
      }
    }
    if (format < present) {
      const remedy = 'Start the service, or run npm run catalog -- sync: either upgrades it. Back it up before.'
      const detail = `an earlier version has written the catalog (format ${format}, this one writes ${present})`
      return { check: finding(name, detail, remedy), catalog: 'unreadable' }
    }
    return { check: fine(name, String(format)), catalog: 'readable' }
  } catch (error) {
    if (error instanceof AppError && error.code === 'disk_full') {
      return { check: unchecked(name, error.message, correctFirst), catalog: 'unreadable' }
    }
    if (error instanceof AppError) {
      const remedy =
        error.code === 'catalog_lost'
          ? 'Do so before the service starts again: a new catalog would be served and mirrored in place of the old one.'
          : 'See docs/operating-embedded.md, Faults: restore a backup, or import again into a new folder.'
      return { check: finding(name, error.message, remedy), catalog: 'unreadable' }
    }
    throw error
  }
}
