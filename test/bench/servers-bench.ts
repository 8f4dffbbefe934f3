import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Meilisearch } from 'meilisearch'
import { type Collection, MongoClient } from 'mongodb'
import { jobs } from '../../services/indexer/jobs.js'
import { stateKeys } from '../../shared/state-keys.js'
import { endChildren } from '../support/children.js'
import { meiliKey, type ServerKind, servers, startServer } from '../support/run-servers.js'
import { type Environment, runCommand } from './processes.js'
import { seededSkills } from './record-sets.js'

/** A catalog on servers, seeded or empty. */
export interface ServersBench {
  size: number
  /** The environment of commands and services. */
  env: Record<'MONGODB_URL' | 'MEILI_URL' | 'REDIS_URL', string> & Environment
  meiliUrl: string
  meilisearch: Meilisearch
  /** The documents as another application, a crawler, would write them. */
  skills: Collection
  /** The processes of the servers that the benchmark has started. */
  pids: Partial<Record<ServerKind, number | undefined>>
}

/**
 * Measures a catalog on the servers of MONGODB_URL, MEILI_URL and REDIS_URL (with MEILI_KEY), else on servers of its
 * own. Leaves nothing in them.
 *
 * @param folder for the data of started servers
 */
export async function withServersBench<T>(
  size: number,
  folder: string,
  measure: (bench: ServersBench) => Promise<T>,
): Promise<T> {
  const data = mkdtempSync(join(folder, 'servers-'))
  const pids: ServersBench['pids'] = {}
  const addressOf = async (kind: ServerKind): Promise<string> => {
    const named = process.env[servers[kind].variable]
    if (named) {
      return named
    }
    const { url, child } = await startServer(kind, join(data, kind), true)
    pids[kind] = child.pid
    return url
  }
  const mongodbUrl = `${await addressOf('mongodb')}/bench-${randomUUID()}`
  const meiliUrl = await addressOf('meilisearch')
  const meilisearch = new Meilisearch({ host: meiliUrl, apiKey: meiliKey })
  if ((await meilisearch.getRawIndexes()).results.some(({ uid }) => uid === 'skills')) {
    throw new Error(`${meiliUrl} already has an index of skills, which this would overwrite: use another Meilisearch`)
  }
  const client = await MongoClient.connect(mongodbUrl)
  const env = {
    MONGODB_URL: mongodbUrl,
    MEILI_URL: meiliUrl,
    MEILI_KEY: meiliKey,
    REDIS_URL: await addressOf('redis'),
    PORT: '0',
    RATE_LIMIT_PER_MINUTE: '1000000',
    LOG_LEVEL: 'error',
  }
  try {
    return await measure({ size, env, meiliUrl, meilisearch, skills: client.db().collection('skills'), pids })
  } finally {
    // A service that still runs would write again.
    await endChildren()
    await Promise.all([
      pids.meilisearch ?? meilisearch.deleteIndex('skills').waitTask(),
      pids.mongodb ?? client.db().dropDatabase(),
    ])
    await client.close()
  }
}

/** Writes the generated skills into MongoDB, and brings them into the index. @param env of the command */
export async function fillCatalog({ size, skills, ...bench }: ServersBench, env = bench.env): Promise<void> {
  let batch: Record<string, unknown>[] = []
  for (const { id: _id, indexedAt: _indexedAt, ...fields } of seededSkills(size)) {
    batch.push({ ...fields, updatedAt: new Date(fields.updatedAt ?? 0) })
    if (batch.length === 1_000) {
      await skills.insertMany(batch)
      batch = []
    }
  }
  if (batch.length > 0) {
    await skills.insertMany(batch)
  }
  await runCommand(env, ['sync', '--local'])
}

/** Resolves once every job that runs by itself has run. */
export async function untilAllJobsHaveRun({ skills }: Pick<ServersBench, 'skills'>): Promise<void> {
  const state = skills.db.collection<{ _id: string }>('state')
  const keys = jobs.servers.filter(({ everySeconds }) => everySeconds !== null).map(({ name }) => stateKeys.job(name))
  while ((await state.countDocuments({ _id: { $in: keys } })) < keys.length) {
    await sleep(500)
  }
}
