import { expect, test } from '@jest/globals'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { aSkill } from '../support/factories.js'
import { isPost, type RelayedAnswer, type RelayedRequest, refusal } from '../support/http-relay.js'
import { startOwnMeilisearch, testWithOwnMeilisearch } from '../support/own-servers.js'
import { whenServer } from '../support/servers.js'
import { expectInvariant } from './support/invariant.js'
import { relayedCatalog } from './support/own-catalog.js'

const skills = ['one', 'two', 'three'].map((repo) => aSkill({ repo }))
const changed = aSkill({ repo: 'one', description: 'as it is now' })

const isTaskList = ({ method, path }: RelayedRequest) => method === 'GET' && path === '/tasks'

/** A list of tasks in which those of a type have another end. */
function withEnd(list: RelayedAnswer, type: string, end: Record<string, unknown>): RelayedAnswer {
  const page = JSON.parse(list.body.toString()) as { results: Record<string, unknown>[] }
  const results = page.results.map((task) => (task['type'] === type ? { ...task, ...end } : task))
  return { status: list.status, body: JSON.stringify({ ...page, results }) }
}

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    test('15. Meili 503 ×5: backoff, then converges', async () => {
      const { env, relay, put, sync } = await relayedCatalog(mongodb(), meilisearch())
      await put(...skills)
      let refused = 0
      relay.script = async (request, forward) => {
        refused += isPost(request) ? 1 : 0
        return isPost(request) && refused <= 5 ? refusal(503, 'unavailable') : forward()
      }

      expect(await sync()).toMatchObject({ published: 3 })

      expect(relay.posts).toHaveLength(6)
      expect(await expectInvariant(env)).toMatchObject({ compared: 3 })
    })

    test('16. Timeout after acceptance: found by metadata', async () => {
      const { env, relay, put, sync } = await relayedCatalog(mongodb(), meilisearch())
      await put(...skills)
      relay.script = async (request, forward) => {
        const answer = await forward()
        return isPost(request) ? null : answer
      }

      expect(await sync()).toMatchObject({ published: 3 })

      expect(relay.posts).toHaveLength(1)
      expect(await expectInvariant(env)).toMatchObject({ compared: 3 })
    })

    test('18. 422 queue full: pause, prune, resume', async () => {
      const { env, relay, put, sync } = await relayedCatalog(mongodb(), meilisearch(), skills)
      await put(changed)
      let refused = 0
      relay.script = async (request, forward) => {
        refused += isPost(request) ? 1 : 0
        return isPost(request) && refused < 3 ? refusal(422, 'no_space_left_on_device') : forward()
      }

      expect(await sync()).toMatchObject({ published: 1, rejected: 0 })

      const prunings = relay.requests.filter(({ method, path }) => method === 'DELETE' && path === '/tasks')
      expect(prunings).not.toEqual([])
      for (const { params } of prunings) {
        expect(params.get('indexUids')).toBe('skills,skills_next')
        expect(params.get('statuses')).toBe('succeeded,failed,canceled')
      }
      expect(await expectInvariant(env)).toMatchObject({ compared: 3 })
    })

    testWithOwnMeilisearch('19. 413: split', async () => {
      const { url } = await startOwnMeilisearch(['--http-payload-size-limit', '20KB'])
      const { env, relay, put, sync } = await relayedCatalog(mongodb(), url)
      const small = Array.from({ length: 8 }, (_, n) => aSkill({ repo: `tool-${n}`, description: 'long '.repeat(200) }))
      await put(...small, aSkill({ repo: 'too-long', description: 'longer '.repeat(1_400) }))

      expect(await sync()).toMatchObject({ published: 8, rejected: 1 })

      expect(relay.posts[0]?.body.length).toBeGreaterThan(20_000)
      // One that is too long even by itself is a dead letter, and not a difference.
      expect(await expectInvariant(env)).toMatchObject({ compared: 9, missing: 0, rejected: 1 })
    })

    test('20. Task failed or canceled: checkpoint stays', async () => {
      const { env, relay, put, sync, position } = await relayedCatalog(mongodb(), meilisearch(), skills)
      const before = await position()
      await put(changed)
      const error = { message: 'a fault of its own', code: 'internal', type: 'internal', link: '' }
      for (const end of [
        { status: 'failed', error },
        { status: 'canceled', error: null },
      ]) {
        relay.script = async (request, forward) =>
          isTaskList(request) ? withEnd(await forward(), 'documentAdditionOrUpdate', end) : forward()

        await expect(sync()).rejects.toMatchObject({ code: 'search_unavailable' })

        expect(await position()).toBe(before)
      }
      // Each time after five attempts.
      expect(relay.posts).toHaveLength(12)

      relay.script = (_request, forward) => forward()
      expect(await sync()).toMatchObject({ published: 1 })
      expect(await expectInvariant(env)).toMatchObject({ compared: 3 })
    })

    test('21. Task pruned: read-back', async () => {
      const { env, relay, client, put, sync } = await relayedCatalog(mongodb(), meilisearch())
      await put(...skills)
      relay.script = async (request, forward) => {
        if (!isPost(request)) {
          return forward()
        }
        if (relay.posts.length === 1) {
          // A task whose documents never arrived.
          return { status: 202, body: JSON.stringify({ taskUid: 4_000_000_000, status: 'enqueued' }) }
        }
        const answer = await forward()
        const { taskUid } = JSON.parse(answer.body.toString())
        await client.tasks.waitForTask(taskUid)
        await client.tasks.deleteTasks({ uids: [taskUid] }).waitTask()
        return answer
      }

      expect(await sync()).toMatchObject({ published: 3 })

      // Sent again only when the index did not contain them.
      expect(relay.posts).toHaveLength(2)
      expect(await expectInvariant(env)).toMatchObject({ compared: 3 })
    })

    test('22. Settings task fails: no swap', async () => {
      const { env, relay, client, run } = await relayedCatalog(mongodb(), meilisearch(), skills)
      const live = await client.getRawIndex('skills')
      const error = { message: 'cannot be', code: 'invalid_settings', type: 'invalid_request', link: '' }
      relay.script = async (request, forward) =>
        isTaskList(request) ? withEnd(await forward(), 'settingsUpdate', { status: 'failed', error }) : forward()

      await expect(run(rebuildIndex)).rejects.toMatchObject({ code: 'search_unavailable' })

      expect(relay.requests.map(({ path }) => path)).not.toContain('/swap-indexes')
      expect(relay.posts).toEqual([])
      expect(await client.getRawIndex('skills')).toEqual(live)
      await expectInvariant(env)
      relay.script = (_request, forward) => forward()
      expect(await run(rebuildIndex)).toMatchObject({ documents: 3 })
      expect(await expectInvariant(env)).toMatchObject({ compared: 3 })
    })

    test('23. Truncated NDJSON: count mismatch, retry', async () => {
      const { env, relay, put, sync } = await relayedCatalog(mongodb(), meilisearch())
      await put(...skills)
      relay.script = async (request, forward) =>
        // The catalog sends an array, which is invalid when truncated; the relay truncates it between two documents.
        isPost(request) && relay.posts.length === 1
          ? forward(JSON.stringify(JSON.parse(request.body).slice(0, 2)))
          : forward()

      expect(await sync()).toMatchObject({ published: 3 })

      expect(relay.posts).toHaveLength(2)
      expect(await expectInvariant(env)).toMatchObject({ compared: 3 })
    })
  })

  testWithOwnMeilisearch('24. Meili killed mid-task: re-enqueued, converges', async () => {
    const meilisearch = await startOwnMeilisearch()
    const { env, relay, client, put, sync } = await relayedCatalog(mongodb(), meilisearch.url)
    await put(
      ...Array.from({ length: 400 }, (_, n) => aSkill({ repo: `tool-${n}`, description: 'words '.repeat(100) })),
    )
    let [taskUid, killedMs] = [0, 0]
    let back = Promise.resolve()
    relay.script = async (request, forward) => {
      if (!isPost(request)) {
        // The response of a proxy without its server.
        return forward().catch(() => refusal(502, 'bad_gateway'))
      }
      const answer = await forward()
      taskUid = JSON.parse(answer.body.toString()).taskUid
      await meilisearch.kill()
      killedMs = Date.now()
      back = meilisearch.start()
      return answer
    }

    expect(await sync()).toMatchObject({ published: 400 })

    await back
    expect(relay.posts).toHaveLength(1)
    const { status, finishedAt } = await client.tasks.getTask(taskUid)
    expect(status).toBe('succeeded')
    expect(Date.parse(String(finishedAt))).toBeGreaterThan(killedMs)
    expect(await expectInvariant(env)).toMatchObject({ compared: 400 })
  })
})
