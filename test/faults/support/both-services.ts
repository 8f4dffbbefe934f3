import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@jest/globals'
import { type Collection, MongoClient } from 'mongodb'
import { afterTest } from '../../support/after-test.js'
import type { ServersEnvironment } from '../../support/servers-catalog.js'
import { greetingEnd, type ServiceProcess, serviceStart } from '../../support/service-process.js'
import { watchedPaths } from './watch-api.js'

/** A running indexer and query service, with some skills. */
export interface BothServices {
  indexer: ServiceProcess
  query: ServiceProcess
  /** The collection of skills, as another application writes it. */
  skills: Collection
  /** Requests a path; resolves with the status. */
  status(path: string): Promise<number>
  /** Repeats a search until it finds exactly these skills. */
  untilFound(text: string, ids: string[]): Promise<void>
  /** Stops both with SIGTERM. */
  end(): Promise<void>
}

/**
 * Starts both, and waits until every endpoint answers.
 *
 * @param env the configuration of the services
 * @param mongodb the address of the database for the other application
 */
export async function bothServices(env: ServersEnvironment, mongodb: string): Promise<BothServices> {
  const writer = await MongoClient.connect(mongodb)
  afterTest(() => writer.close())
  const skills = writer.db().collection('skills')
  await skills.insertMany(['first', 'second'].map((repo) => ({ owner: 'acme', repo, description: 'early' })))
  const unlimited = { RATE_LIMIT_PER_MINUTE: '1000000', EXPORT_RATE_LIMIT_PER_MINUTE: '1000000' }
  const indexer = serviceStart('indexer', env)
  const query = serviceStart('query', { ...env, ...unlimited })
  await Promise.all([indexer.says(greetingEnd), query.says(greetingEnd)])
  const get = (path: string) => fetch(query.url() + path)
  const status = async (path: string) => {
    const answer = await get(path)
    await answer.arrayBuffer()
    return answer.status
  }
  const services: BothServices = {
    indexer,
    query,
    skills,
    status,
    untilFound: async (text, ids) => {
      for (;;) {
        const answer = await get(`/api/v1/skills/search?q=${text}`)
        const { data } = (await answer.json()) as { data?: { id: string }[] }
        if (JSON.stringify(data?.map(({ id }) => id).sort()) === JSON.stringify(ids)) {
          return
        }
        await sleep(100)
      }
    },
    end: async () => {
      for (const service of [indexer, query]) {
        service.signal('SIGTERM')
      }
      expect(await Promise.all([indexer.ended, query.ended])).toEqual([0, 0])
    },
  }
  await services.untilFound('early', ['acme/first', 'acme/second'])
  for (const path of watchedPaths) {
    while ((await status(path)) !== 200) {
      await sleep(100)
    }
  }
  return services
}
