import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect } from '@jest/globals'
import { type Collection, MongoClient } from 'mongodb'
import type { ServersEnvironment } from '../../support/servers-catalog.js'
import { greetingEnd, type ServiceProcess, serviceStart } from '../../support/service-process.js'
import { watchedPaths } from './watch-api.js'

/** An indexer and a query service that run, with something to answer. */
export interface BothServices {
  indexer: ServiceProcess
  query: ServiceProcess
  /** The skills as another program writes them. */
  skills: Collection
  /** Asks the API; resolves with the status. */
  status(path: string): Promise<number>
  /** Asks until the search for a text finds just these. */
  untilFound(text: string, ids: string[]): Promise<void>
  /** Ends both, as they should end. */
  end(): Promise<void>
}

/**
 * Starts both, and waits until everything can be answered.
 *
 * @param env how the services reach their servers
 * @param mongodb how another program reaches the database
 */
export async function bothServices(env: ServersEnvironment, mongodb: string): Promise<BothServices> {
  const writer = await MongoClient.connect(mongodb)
  clients.push(writer)
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

const clients: MongoClient[] = []

afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())))
