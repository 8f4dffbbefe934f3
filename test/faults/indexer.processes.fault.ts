import { expect, test } from '@jest/globals'
import { Meilisearch } from 'meilisearch'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import type { StoredSkill } from '../../shared/records/skill.js'
import { stateKeys } from '../../shared/state-keys.js'
import { runCatalogOn, startCatalogOn } from '../support/catalog-command.js'
import { aSkill } from '../support/factories.js'
import { isPost, type RelayedRequest } from '../support/http-relay.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { holdNextPost, startHttpRelay } from '../support/relays.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { emptyCatalog, type ServersEnvironment } from '../support/servers-catalog.js'
import { hasEndedWell, serviceStart, started } from '../support/service-process.js'
import { until } from '../support/until.js'
import { expectInvariant } from './support/invariant.js'
import { endLeases } from './support/leases.js'
import { withCatalog } from './support/with-catalog.js'

/** A busy machine takes its time; what takes longer than this will never come. */
const timeoutMs = 300_000

let made = 0
const someSkills = (count: number): StoredSkill[] =>
  Array.from({ length: count }, () => {
    made += 1
    return aSkill({ repo: `tool-${made}` })
  })

const put = (env: ServersEnvironment, skills: StoredSkill[]) =>
  withCatalog(env, ({ catalog }) => catalog.put('skills', skills))

/** Resolves when the index contains this number of skills. */
async function untilIndexed({ MEILI_URL, MEILI_KEY }: ServersEnvironment, count: number): Promise<void> {
  const index = new Meilisearch({ host: MEILI_URL, apiKey: MEILI_KEY }).index('skills')
  await until(async () => (await index.getStats()).numberOfDocuments >= count)
}

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    const empty = (redis = 'redis://127.0.0.1:1') => emptyCatalog(mongodb(), meilisearch(), redis)

    test(
      '2. kill -9 after 202, before checkpoint: replay, no duplicates',
      async () => {
        const env = await empty()
        await put(env, someSkills(1))
        const position = await withCatalog(env, async ({ catalog, sync }) => {
          await sync()
          return catalog.readState(stateKeys.syncPosition)
        })
        await put(env, someSkills(50))
        const relay = await startHttpRelay(meilisearch())
        const doomed = startCatalogOn({ ...env, MEILI_URL: relay.url }, ['sync', '--local'])
        relay.script = async (request, forward) => {
          const answer = await forward()
          if (isPost(request)) {
            doomed.signal('SIGKILL')
            await doomed.ended
            return null
          }
          return answer
        }
        expect((await doomed.ended).status).toBe('SIGKILL')
        expect(relay.posts).toHaveLength(1)
        await endLeases(env)

        await withCatalog(env, async ({ catalog, index, run }) => {
          expect(await catalog.readState(stateKeys.syncPosition)).toBe(position)
          expect(await run(syncIndex)).toMatchObject({ published: 50 })
          expect(await index.status()).toMatchObject({ documents: 51 })
        })

        expect(await expectInvariant(env)).toMatchObject({ compared: 51 })
      },
      timeoutMs,
    )

    testWithOwnRedis(
      '5. SIGTERM mid-batch: exits within grace',
      async () => {
        const env = await empty((await startOwnRedis()).url)
        const relay = await startHttpRelay(meilisearch())
        const indexer = serviceStart('indexer', { ...env, MEILI_URL: relay.url })
        await started(indexer)
        const { arrived, pass } = holdNextPost(relay)
        await put(env, someSkills(50))
        await arrived

        indexer.signal('SIGTERM')
        await indexer.says('"msg":"closing"')
        pass()

        await hasEndedWell(indexer)
        // Its locks are released: no process waits for their expiry.
        const next = serviceStart('indexer', env)
        await started(next)
        await untilIndexed(env, 50)
        expect(await expectInvariant(env)).toMatchObject({ compared: 50 })
      },
      timeoutMs,
    )

    testWithOwnRedis(
      '6. Two workers: one fenced writer',
      async () => {
        const env = await empty((await startOwnRedis()).url)
        const client = new Meilisearch({ host: meilisearch(), apiKey: meiliKey })
        const seen = [await startHttpRelay(meilisearch()), await startHttpRelay(meilisearch())].map((relay) => ({
          relay,
          underWay: 0,
          tasks: [] as number[],
        }))
        const overlaps: RelayedRequest[] = []
        for (const writer of seen) {
          const others = seen.filter((each) => each !== writer)
          writer.relay.script = async (request, forward) => {
            if (!isWrite(request)) {
              return forward()
            }
            const { results } = await client.tasks.getTasks({ statuses: ['enqueued', 'processing'] })
            const pending = new Set(results.map(({ uid }) => uid))
            if (others.some(({ underWay, tasks }) => underWay > 0 || tasks.some((uid) => pending.has(uid)))) {
              overlaps.push(request)
            }
            writer.underWay += 1
            const answer = await forward()
            writer.tasks.push(JSON.parse(answer.body.toString()).taskUid)
            writer.underWay -= 1
            return answer
          }
        }
        const indexers = seen.map(({ relay }) =>
          serviceStart('indexer', { ...env, MEILI_URL: relay.url, SYNC_EVERY_SECONDS: '1' }),
        )
        await Promise.all(indexers.map(started))

        let written = 0
        for (let round = 0; round < 3; round += 1) {
          await put(env, someSkills(20))
          written += 20
          // At the same time as the indexers, which find it as well.
          const commands = seen.map(({ relay }) => runCatalogOn({ ...env, MEILI_URL: relay.url }, ['sync', '--local']))
          await untilIndexed(env, written)
          await Promise.all(commands)
        }

        expect(overlaps).toEqual([])
        expect(await expectInvariant(env)).toMatchObject({ compared: written })
      },
      timeoutMs,
    )
  })
})

const isWrite = ({ method, path }: RelayedRequest): boolean =>
  path.startsWith('/indexes/skills/documents') && method !== 'GET' && !path.endsWith('/fetch')
