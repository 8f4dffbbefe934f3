import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Meilisearch } from 'meilisearch'
import { MeiliSearchIndex } from '../../shared/adapters/servers/meili-search-index.js'
import type { SearchDocument } from '../../shared/ports/search-index.js'
import { toPublicSkill } from '../../shared/records/skill.js'
import { aSkill } from '../support/factories.js'
import { isPost, MeiliRelay, type RelayedRequest, refusal } from '../support/meili-relay.js'
import { meiliKey, whenServer } from '../support/servers.js'

const prefix = 'faults_'

const aDocument = (repo: string, text = ''): SearchDocument => {
  const skill = toPublicSkill(aSkill({ repo, description: text }))
  return { id: skill.id, contentHash: JSON.stringify(skill), skill }
}

/** One whose id is longer than Meilisearch takes. */
const aRefusedDocument = (): SearchDocument => ({ ...aDocument('refused'), id: `acme/${'x'.repeat(600)}` })

const isTaskList = ({ method, path }: RelayedRequest) => method === 'GET' && path === '/tasks'

whenServer('meilisearch', (url) => {
  let client: Meilisearch
  let relay: MeiliRelay
  let index: MeiliSearchIndex
  beforeEach(async () => {
    client = new Meilisearch({ host: url(), apiKey: meiliKey })
    relay = await MeiliRelay.before(url())
    index = new MeiliSearchIndex({
      url: relay.url,
      key: meiliKey,
      prefix,
      retries: { patienceMs: 1_000, firstPauseMs: 20 },
    })
    await index.prepare()
  })
  afterEach(async () => {
    relay.close()
    await client.deleteIndex(`${prefix}skills`).waitTask()
    await client.deleteIndex(`${prefix}skills_next`).waitTask()
  })

  const publish = (...documents: SearchDocument[]) => index.apply({ publish: documents, remove: [] })
  const held = async () => (await index.list(null, 100)).map(({ id }) => id)

  describe('a fault that passes', () => {
    test.each([
      ['408', refusal(408, 'timeout')],
      ['429', refusal(429, 'too_many_search_requests')],
      ['500', refusal(500, 'internal')],
      ['a proxy that speaks HTML', { status: 502, body: '<html>Bad gateway</html>' }],
      ['a connection that is cut before anything arrived', null],
    ])('is tried again: %s', async (_name, answer) => {
      let failures = 0
      relay.script = async (request, forward) => {
        failures += isPost(request) ? 1 : 0
        return isPost(request) && failures < 3 ? answer : forward()
      }

      expect(await publish(aDocument('tool'))).toEqual({ rejected: [] })

      expect(await held()).toEqual(['acme/tool'])
      expect(relay.posts).toHaveLength(3)
    })

    test('is given up when it does not pass in time', async () => {
      relay.script = async (request, forward) => (isPost(request) ? refusal(503, 'unavailable') : forward())

      await expect(publish(aDocument('tool'))).rejects.toMatchObject({ status: 503, code: 'search_unavailable' })

      relay.script = (_request, forward) => forward()
      await publish(aDocument('tool'))
      expect(await held()).toEqual(['acme/tool'])
    })

    test('in following a task does not send its documents again', async () => {
      let failures = 0
      relay.script = async (request, forward) => {
        failures += isTaskList(request) ? 1 : 0
        return isTaskList(request) && failures < 3 ? null : forward()
      }

      await publish(aDocument('tool'))

      expect(relay.posts).toHaveLength(1)
    })
  })

  describe('a write that arrived without our hearing of it', () => {
    test('is found among the tasks, and not sent again', async () => {
      let cut = false
      relay.script = async (request, forward) => {
        const answer = await forward()
        if (isPost(request) && !cut) {
          cut = true
          return null
        }
        return answer
      }

      expect(await publish(aDocument('tool'))).toEqual({ rejected: [] })

      expect(await held()).toEqual(['acme/tool'])
      expect(relay.posts).toHaveLength(1)
    })

    test('a swap is not done twice, which would undo it', async () => {
      await publish(aDocument('old'))
      await index.createNext()
      await index.apply({ publish: [aDocument('new')], remove: [] }, 'next')
      let swaps = 0
      relay.script = async (request, forward) => {
        const answer = await forward()
        swaps += request.path === '/swap-indexes' ? 1 : 0
        return request.path === '/swap-indexes' ? null : answer
      }

      await index.swap()

      expect(swaps).toBe(1)
      expect(await held()).toEqual(['acme/new'])
    })
  })

  describe('a queue of tasks that is full', () => {
    test('is relieved of the finished tasks of our indexes', async () => {
      await publish(aDocument('earlier'))
      let refused = 0
      relay.script = async (request, forward) => {
        refused += isPost(request) ? 1 : 0
        return isPost(request) && refused < 3 ? refusal(422, 'no_space_left_on_device') : forward()
      }

      expect(await publish(aDocument('tool'))).toEqual({ rejected: [] })

      expect(await held()).toEqual(['acme/earlier', 'acme/tool'])
      const deletions = relay.requests.filter(({ method, path }) => method === 'DELETE' && path === '/tasks')
      expect(deletions).not.toEqual([])
      for (const { params } of deletions) {
        expect(params.get('indexUids')).toBe(`${prefix}skills,${prefix}skills_next`)
        expect(params.get('statuses')).toBe('succeeded,failed,canceled')
      }
    })

    test('is a 503 when it stays full, and no document is blamed', async () => {
      relay.script = async (request, forward) => (isPost(request) ? refusal(422, 'no_space_left_on_device') : forward())

      await expect(publish(aDocument('tool'))).rejects.toMatchObject({ status: 503 })
    })
  })

  describe('a batch that is refused', () => {
    test('is cut until its parts are small enough, and what never is, is rejected', async () => {
      relay.script = async (request, forward) =>
        isPost(request) && request.body.length > 6_000 ? refusal(413, 'payload_too_large') : forward()
      const large = aDocument('large', 'x'.repeat(9_000))

      const { rejected } = await publish(
        ...Array.from({ length: 20 }, (_, n) => aDocument(`tool-${n}`)),
        large,
        aDocument('z'),
      )

      expect(rejected).toEqual([{ id: large.id, reason: expect.stringContaining('payload_too_large') }])
      expect(await held()).toHaveLength(21)
    })

    test('costs only the document that is to blame', async () => {
      const refused = aRefusedDocument()

      const { rejected } = await publish(aDocument('a'), aDocument('b'), refused, aDocument('c'))

      expect(rejected).toEqual([{ id: refused.id, reason: expect.stringContaining('invalid_document_id') }])
      expect(await held()).toEqual(['acme/a', 'acme/b', 'acme/c'])
    })

    test('costs nothing in the batches that are under way beside it', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          publish(aDocument(`tool-${n}`), ...(n % 3 === 1 ? [aRefusedDocument()] : []), aDocument(`more-${n}`)),
        ),
      )

      expect(outcomes.map(({ rejected }) => rejected.length)).toEqual([0, 1, 0, 0, 1, 0, 0, 1])
      expect(await held()).toHaveLength(16)
    })

    test('leaves nothing of what its document was before', async () => {
      await publish(aDocument('tool'))
      relay.script = async (request, forward) => (isPost(request) ? refusal(400, 'invalid_document') : forward())

      expect((await publish(aDocument('tool', 'new'))).rejected).toMatchObject([{ id: 'acme/tool' }])

      expect(await held()).toEqual([])
    })

    test('for the key, not for its documents, is no fault of theirs', async () => {
      relay.script = async (request, forward) => (isPost(request) ? refusal(403, 'invalid_api_key') : forward())

      await expect(publish(aDocument('tool'))).rejects.toMatchObject({ code: 'search_key_refused' })
    })
  })

  describe('a task', () => {
    /** Has the first answer about tasks of documents say something else. */
    const tasksOnceAnswered = (change: (task: Record<string, unknown>) => Record<string, unknown>[]) => {
      let changed = false
      relay.script = async (request, forward) => {
        const answer = await forward()
        const told = isTaskList(request) ? (JSON.parse(answer.body) as { results: Record<string, unknown>[] }) : null
        const ended = told?.results.find(
          ({ type, status }) => type === 'documentAdditionOrUpdate' && status === 'succeeded',
        )
        if (changed || told === null || ended === undefined) {
          return answer
        }
        changed = true
        return { status: 200, body: JSON.stringify({ ...told, results: change(ended) }) }
      }
    }

    test('that was canceled is sent again', async () => {
      tasksOnceAnswered((task) => [{ ...task, status: 'canceled' }])

      expect(await publish(aDocument('tool'))).toEqual({ rejected: [] })

      expect(relay.posts).toHaveLength(2)
    })

    test('that took in fewer documents than were sent is sent again', async () => {
      tasksOnceAnswered((task) => [{ ...task, details: { receivedDocuments: 1, indexedDocuments: 1 } }])

      expect(await publish(aDocument('a'), aDocument('b'))).toEqual({ rejected: [] })

      expect(relay.posts).toHaveLength(2)
    })

    test('that the server has forgotten is done when the index holds its documents', async () => {
      tasksOnceAnswered(() => [])

      expect(await publish(aDocument('tool'))).toEqual({ rejected: [] })

      expect(relay.posts).toHaveLength(1)
      expect(await held()).toEqual(['acme/tool'])
    })

    test('that the server has forgotten is sent again when the index does not hold its documents', async () => {
      let forgotten = false
      relay.script = async (request, forward) => {
        if (isPost(request) && !forgotten) {
          const task = { taskUid: 4_000_000_000, indexUid: `${prefix}skills`, status: 'enqueued' }
          forgotten = true
          return { status: 202, body: JSON.stringify(task) }
        }
        return forward()
      }

      expect(await publish(aDocument('tool'))).toEqual({ rejected: [] })

      expect(relay.posts).toHaveLength(2)
      expect(await held()).toEqual(['acme/tool'])
    })
  })
})
