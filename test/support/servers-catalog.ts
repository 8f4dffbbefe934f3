import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { Meilisearch } from 'meilisearch'
import type { CatalogRun } from './catalog-command.js'
import { freshDatabase } from './mongo-database.js'
import { runInProcess } from './run-catalog.js'
import { meiliKey } from './servers.js'
import { until } from './until.js'

/** The variables of a catalog on servers. */
export type ServersEnvironment = Record<'MONGODB_URL' | 'MEILI_URL' | 'MEILI_KEY' | 'REDIS_URL', string>

/** An empty catalog on these servers. Tests that share a Meilisearch must not run at the same time. */
export async function emptyCatalog(mongodb: string, meilisearch: string, redis: string): Promise<ServersEnvironment> {
  const client = new Meilisearch({ host: meilisearch, apiKey: meiliKey })
  for (const uid of ['skills', 'skills_next']) {
    await client.deleteIndex(uid).waitTask()
  }
  return { MONGODB_URL: freshDatabase(mongodb), MEILI_URL: meilisearch, MEILI_KEY: meiliKey, REDIS_URL: redis }
}

/** Runs a command in this process. */
export const runOnServers = (env: ServersEnvironment, args: string[], stdin = ''): Promise<CatalogRun> =>
  runInProcess(env, args, stdin)

/** Reads a value of the job queue until the condition holds, and returns it. */
export async function untilQueue(
  env: ServersEnvironment,
  job: string,
  isSo: (queue: Queue) => Promise<boolean>,
): Promise<void> {
  const connection = new Redis(env.REDIS_URL, { maxRetriesPerRequest: null })
  const queue = new Queue(job, { connection, prefix: 'catalog-jobs' })
  try {
    await until(() => isSo(queue))
  } finally {
    await queue.close()
    connection.disconnect()
  }
}
