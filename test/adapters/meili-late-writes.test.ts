import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Meilisearch } from 'meilisearch'
import { MeiliSearchIndex } from '../../shared/adapters/servers/meili-search-index.js'
import { lockLost } from '../../shared/errors.js'
import type { Fence } from '../../shared/ports/search-index.js'
import { aDocument } from '../support/factories.js'
import { isPost, MeiliRelay, refusal } from '../support/meili-relay.js'
import { meiliKey, whenServer } from '../support/servers.js'

let made = 0

whenServer('meilisearch', (url) => {
  let client: Meilisearch
  let relay: MeiliRelay
  let index: MeiliSearchIndex
  let prefix: string
  beforeEach(async () => {
    // Its tasks outlive an index.
    made += 1
    prefix = `late_${made}_`
    client = new Meilisearch({ host: url(), apiKey: meiliKey })
    relay = await MeiliRelay.before(url())
    index = opened()
    await index.prepare()
  })
  afterEach(async () => {
    relay.close()
    await client.deleteIndex(`${prefix}skills`).waitTask()
    await client.deleteIndex(`${prefix}skills_next`).waitTask()
  })

  const opened = () =>
    new MeiliSearchIndex({ url: relay.url, key: meiliKey, prefix, retries: { patienceMs: 1_000, firstPauseMs: 20 } })
  const under = (epoch: number): Fence => ({ epoch, check: async () => undefined })
  const publish = (by: MeiliSearchIndex, epoch: number, stars = 0) =>
    by.apply({ publish: [aDocument({ repo: 'tool', stars })], remove: [] }, 'live', under(epoch))
  const countFrom = async (position: string | null) => (await index.lateWrites(position)).count

  describe('a lock that is lost', () => {
    const lostAfter = (checks: number): Fence => {
      let count = 0
      return {
        epoch: 1,
        check: async () => {
          count += 1
          if (count > checks) {
            throw lockLost('sync-skills')
          }
        },
      }
    }

    test('between the deletions and the documents of a batch', async () => {
      const changes = { publish: [aDocument({ repo: 'tool' })], remove: ['acme/gone'] }

      await expect(index.apply(changes, 'live', lostAfter(1))).rejects.toMatchObject({ code: 'lock_lost' })

      expect(relay.requests.filter(({ path }) => path.endsWith('/delete-batch'))).toHaveLength(1)
      expect(relay.posts).toEqual([])
    })

    test('between two tries of the same request', async () => {
      relay.script = async (request, forward) => (isPost(request) ? refusal(503, 'unavailable') : forward())

      await expect(index.apply({ publish: [aDocument()], remove: [] }, 'live', lostAfter(1))).rejects.toMatchObject({
        code: 'lock_lost',
      })

      expect(relay.posts).toHaveLength(1)
    })

    test('between the steps of making the next index', async () => {
      await expect(index.createNext(lostAfter(1))).rejects.toMatchObject({ code: 'lock_lost' })

      expect(await client.getRawIndex(`${prefix}skills_next`).catch(({ cause }) => cause.code)).toBe('index_not_found')
    })
  })

  describe('late writes', () => {
    test('are those behind writes of a later holder of the lock', async () => {
      await publish(index, 3)
      await publish(opened(), 4)
      const { count, position } = await index.lateWrites(null)
      expect(count).toBe(0)

      await publish(index, 3)

      expect(await countFrom(position)).toBe(1)
      expect(await countFrom(null)).toBe(1)
      const { position: behind } = await index.lateWrites(position)
      expect(await countFrom(behind)).toBe(0)
    })

    test('are told once where a catalog was restored, and epochs begin anew', async () => {
      await publish(index, 70)
      const { position } = await index.lateWrites(null)
      await publish(index, 1)
      await publish(index, 2)

      const { count, position: behind } = await index.lateWrites(position)

      expect(count).toBe(2)
      await publish(index, 3)
      expect(await countFrom(behind)).toBe(0)
    })

    test('and a request that arrives once more behind others of its own writer', async () => {
      let arrive = async (): Promise<unknown> => null
      relay.script = async (request, forward) => {
        if (isPost(request) && relay.posts.length === 1) {
          arrive = forward
          return null
        }
        return forward()
      }
      await publish(index, 1, 1)
      await publish(index, 1, 2)
      expect(await countFrom(null)).toBe(0)

      const { body } = (await arrive()) as { body: string }
      await client.tasks.waitForTask(JSON.parse(body).taskUid)

      expect(await countFrom(null)).toBe(1)
    })

    test('count once they have come into effect, and not where they had none', async () => {
      await publish(index, 2)
      let status = 'processing'
      relay.script = async (request, forward) => {
        const answer = await forward()
        if (request.method !== 'GET' || !request.params.has('indexUids')) {
          return answer
        }
        const told = JSON.parse(answer.body) as { results: object[] }
        const [newest, ...others] = told.results
        return { ...answer, body: JSON.stringify({ ...told, results: [{ ...newest, status }, ...others] }) }
      }
      await publish(opened(), 1)

      const { count, position } = await index.lateWrites(null)
      expect(count).toBe(0)
      status = 'failed'
      expect(await countFrom(position)).toBe(0)
      status = 'succeeded'
      expect(await countFrom(position)).toBe(1)
    })

    test('are not what else was written, beside the lock or into the next index', async () => {
      await publish(index, 2)
      await index.apply({ publish: [aDocument()], remove: [] })
      await index.createNext(under(1))
      await index.apply({ publish: [aDocument()], remove: [] }, 'next', under(1))
      await index.swap(under(1))

      expect(await countFrom(null)).toBe(0)
    })

    test('are found behind more tasks than one page holds', async () => {
      await publish(index, 2)
      const { position } = await index.lateWrites(null)
      await publish(index, 1)
      await Promise.all(Array.from({ length: 25 }, () => index.apply({ publish: [aDocument()], remove: [] })))

      expect(await countFrom(position)).toBe(1)
      expect(relay.requests.at(-1)?.params.has('from')).toBe(true)
    })

    test('are found where the server begins to count its tasks anew, or has forgotten some', async () => {
      await publish(index, 1)
      const { count, position } = await index.lateWrites(JSON.stringify({ uid: 1e9, epoch: 7, sequence: 1 }))
      expect(count).toBe(0)

      await publish(opened(), 8)
      await publish(index, 1)

      expect(await countFrom(position)).toBe(1)
    })

    test('are found behind a swap, with which the tasks of the old index go', async () => {
      await index.createNext(under(4))
      await index.apply({ publish: [aDocument()], remove: [] }, 'next', under(4))
      await publish(index, 4)
      const { position } = await index.lateWrites(null)
      await index.swap(under(4))
      const { count, position: swapped } = await index.lateWrites(position)
      expect(count).toBe(0)

      await publish(index, 3)

      expect(await countFrom(swapped)).toBe(1)
    })

    test('are looked for from the beginning where the position says nothing', async () => {
      await publish(index, 2)
      await publish(index, 1)

      expect(await countFrom('{}')).toBe(1)
    })
  })
})
