import { afterEach, beforeEach, expect } from '@jest/globals'
import { Redis } from 'ioredis'
import type { MongoCatalog } from '../../shared/adapters/servers/mongo/catalog/catalog.js'
import type { Lock } from '../../shared/ports/locks.js'
import { stateKeys } from '../../shared/state-keys.js'
import { openMongoCatalog } from '../support/mongo-database.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-redis.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog, type ServersEnvironment, startOnServers, untilQueue } from '../support/servers-catalog.js'
import { greetingEnd, type ServiceProcess, serviceStart } from '../support/service-process.js'

const timeoutMs = 150_000

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    let env: ServersEnvironment
    let catalog: MongoCatalog
    /** While the test holds the rebuild's lock, a triggered rebuild does not end. */
    let held: Lock | null
    let indexer: ServiceProcess
    beforeEach(async () => {
      env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
      catalog = await openMongoCatalog(env.MONGODB_URL)
      held = await catalog.lock('rebuild-index')
      indexer = await startIndexer()
    }, timeoutMs)
    afterEach(() => catalog.close())

    const startIndexer = async () => {
      const started = serviceStart('indexer', env)
      await started.says(greetingEnd)
      return started
    }

    const startRebuild = async () => {
      const command = startOnServers(env, ['rebuild', '--json'])
      await untilQueue(env, 'rebuild-index', async (queue) => (await queue.getActiveCount()) > 0)
      return command
    }

    testWithOwnRedis(
      'Ctrl-C ends the command, not the run',
      async () => {
        const command = await startRebuild()

        command.signal('SIGINT')
        const { status, stderr, json } = await command.ended

        expect([status, json]).toMatchObject([2, { error: { code: 'following_stopped' } }])
        expect(stderr).toBe('rebuild-index continues in the indexer; npm run catalog -- jobs shows its outcome.\n')
        await held?.release()
        await untilQueue(env, 'rebuild-index', async (queue) => (await queue.getCompletedCount()) === 1)
        expect(await catalog.readState(stateKeys.job('rebuild-index'))).toMatchObject({ outcome: 'succeeded' })
      },
      timeoutMs,
    )

    testWithOwnRedis(
      'the command ends when Redis loses the run',
      async () => {
        const command = await startRebuild()

        const redis = new Redis(env.REDIS_URL)
        await redis.flushall()
        redis.disconnect()

        const { status, json } = await command.ended
        expect([status, json]).toMatchObject([2, { error: { code: 'run_lost' } }])
        await held?.release()
      },
      timeoutMs,
    )

    testWithOwnRedis(
      'when the indexer is killed, the command prints the result of the next one',
      async () => {
        const command = await startRebuild()

        indexer.signal('SIGKILL')
        await indexer.ended
        await held?.release()
        await startIndexer()

        const { status, json } = await command.ended
        expect([status, json]).toMatchObject([0, { command: 'rebuild', documents: 0 }])
      },
      timeoutMs,
    )
  })
})
