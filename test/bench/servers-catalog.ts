import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import type { Skill } from '../../shared/records/skill.js'
import { meiliKey, type RunningServer, type ServerKind, servers, stop } from '../support/run-servers.js'
import { catalog, insertSkills, sampleSeeded } from './servers-bench.js'

/** A seeded catalog on servers that this process has started. */
export interface ServersCatalog {
  /** The environment of commands and services. */
  env: Record<string, string>
  /** Skills of which queries are made. */
  sample: Skill[]
}

/**
 * Starts servers, seeds a catalog on them, and stops them after its use.
 *
 * @param folder for the servers' data
 * @param size number of skills
 */
export async function withServers(
  folder: string,
  size: number,
  use: (catalog: ServersCatalog) => Promise<void>,
): Promise<void> {
  const started: RunningServer[] = []
  const urlOf = async (kind: ServerKind) => {
    const server = await servers[kind].start(mkdtempSync(join(folder, `${kind}-`)), true)
    started.push(server)
    return server.url
  }
  try {
    const mongodbUrl = `${await urlOf('mongodb')}/bench`
    const env = {
      MONGODB_URL: mongodbUrl,
      MEILI_URL: await urlOf('meilisearch'),
      MEILI_KEY: meiliKey,
      REDIS_URL: await urlOf('redis'),
    }
    const client = await MongoClient.connect(mongodbUrl)
    try {
      await insertSkills({ size, skills: client.db().collection('skills') })
    } finally {
      await client.close()
    }
    await catalog(env, ['sync', '--local'])
    await use({ env, sample: sampleSeeded({ size }) })
  } finally {
    for (const server of started) {
      await stop(server)
    }
  }
}
