import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { logChanges } from '../../services/indexer/jobs/log-changes.js'
import { verifyChanges } from '../../services/indexer/jobs/verify-changes.js'
import { runJob } from '../../services/indexer/run-job.js'
import { overlaid } from '../../shared/overlaid.js'
import type { CatalogStore } from '../../shared/ports/catalog-store.js'
import type { ChangeLog } from '../../shared/ports/change-log.js'
import { aSkill } from '../support/factories.js'
import { openMongoChangeLog } from '../support/mongo-change-log.js'
import { freshDatabase, openMongoCatalog } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'
import { startTestApp, type TestApp } from '../support/test-app.js'
import { silentLog } from '../support/test-log.js'

/** The stores of a mode, apart from those that have no part in this. */
interface ChangeStores {
  catalog: CatalogStore
  changes: ChangeLog
  close(): Promise<void>
}

const dayMs = 86_400_000

interface Page {
  data: { sequence: number; id: string; change: string; changedAt: string; skill: Record<string, unknown> | null }[]
  pagination: { limit: number; nextSince: number; more: boolean }
}

test('before everything was logged for the first time it says when to ask again', async () => {
  const api = await startTestApp({
    skills: [aSkill()],
    replace: ({ changes }) => ({
      changes: overlaid(changes, {
        after: async (...asked) => ({ ...(await changes.after(...asked)), complete: false }),
      }),
    }),
  })

  expect(await api.get('/api/v1/changes')).toMatchObject({
    status: 503,
    headers: { 'retry-after': '5', 'cache-control': 'no-store' },
    body: { code: 'changes_not_ready' },
  })
})

listChangesSuite('embedded', null)
whenServer('mongodb', (url) => {
  listChangesSuite('servers', async () => {
    const address = freshDatabase(url())
    const catalog = await openMongoCatalog(address)
    const { changes, close } = await openMongoChangeLog(address)
    return {
      catalog,
      changes,
      close: async () => {
        await catalog.close()
        await close()
      },
    }
  })
})

/** @param open opens the stores of a mode; null: those that the app under test has anyway */
function listChangesSuite(mode: string, open: (() => Promise<ChangeStores>) | null): void {
  describe(`changes, ${mode}`, () => {
    let api: TestApp
    let stores: Pick<ChangeStores, 'catalog' | 'changes'>
    let opened: ChangeStores | null
    let nowMs: number
    beforeEach(async () => {
      nowMs = Date.now()
      opened = (await open?.()) ?? null
      const { catalog, changes } = opened ?? {}
      api = await startTestApp({
        replace: () => ({ clock: () => nowMs, ...(catalog && changes ? { catalog, changes } : {}) }),
      })
      stores = opened ?? api.stores
    })
    afterEach(() => opened?.close())

    const run = (job: typeof logChanges, daysAhead = 0) =>
      runJob(job, {
        ...api.stores,
        ...stores,
        changesKeptDays: 10,
        log: silentLog(),
        signal: new AbortController().signal,
        clock: () => new Date(nowMs + daysAhead * dayMs),
      })
    const page = async (query = '') => (await api.get(`/api/v1/changes${query}`)).body as Page
    const told = ({ data }: Page) => data.map(({ id, change }) => (change === 'removed' ? `-${id}` : id))

    /** Follows `nextSince` until there is nothing more. */
    async function follow(since: number, limit: number): Promise<{ told: string[]; since: number }> {
      const seen: string[] = []
      for (let at = since; ; ) {
        const next = await page(`?since=${at}&limit=${limit}`)
        seen.push(...told(next))
        at = next.pagination.nextSince
        if (!next.pagination.more) {
          return { told: seen, since: at }
        }
      }
    }

    test('tells everything that is published, in the order of its changes, and where to go on', async () => {
      await stores.catalog.put('skills', [aSkill({ repo: 'b', stars: 3 }), aSkill({ repo: 'a' })])
      await stores.catalog.put('skills', [aSkill({ repo: 'secret', state: 'hidden' })])
      await run(logChanges)

      const answer = await api.get('/api/v1/changes')
      const { data, pagination } = answer.body as Page

      expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'public, max-age=2' } })
      expect(data.map(({ id }) => id).sort()).toEqual(['acme/a', 'acme/b'])
      expect(data.find(({ id }) => id === 'acme/b')).toEqual({
        sequence: expect.any(Number),
        id: 'acme/b',
        change: 'published',
        changedAt: new Date(nowMs).toISOString(),
        skill: expect.objectContaining({ id: 'acme/b', stars: 3, indexedAt: expect.any(String) }),
      })
      expect(pagination).toEqual({ limit: 100, nextSince: data.at(-1)?.sequence, more: false })
      expect(await page(`?since=${pagination.nextSince}`)).toEqual({
        data: [],
        pagination: { limit: 100, nextSince: pagination.nextSince, more: false },
      })
    })

    test('of nothing there is nothing, at 0', async () => {
      await run(logChanges)

      expect(await page()).toEqual({ data: [], pagination: { limit: 100, nextSince: 0, more: false } })
    })

    test('tells changes and removals behind a position, and of each skill only the latest', async () => {
      await stores.catalog.put(
        'skills',
        ['one', 'two', 'three'].map((repo) => aSkill({ repo, description: 'old' })),
      )
      await run(logChanges)
      const { since } = await follow(0, 2)

      await stores.catalog.put('skills', [aSkill({ repo: 'one', description: 'new' })])
      await run(logChanges)
      await stores.catalog.put('skills', [aSkill({ repo: 'one', description: 'newest' })])
      await stores.catalog.remove('skills', ['acme/two'])
      await run(logChanges)

      const behind = await page(`?since=${since}`)
      expect(told(behind).sort()).toEqual(['-acme/two', 'acme/one'])
      expect(behind.data.find(({ id }) => id === 'acme/one')?.skill).toMatchObject({ description: 'newest' })
      expect(behind.data.find(({ id }) => id === 'acme/two')).toMatchObject({ change: 'removed', skill: null })
    })

    test('page by page, by nextSince or by the link, everything is told once', async () => {
      const skills = Array.from({ length: 7 }, (_, n) => aSkill({ repo: `s${n}` }))
      await stores.catalog.put('skills', skills)
      await run(logChanges)

      const first = await api.get('/api/v1/changes?limit=3')
      const link = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? ''
      const second = await api.get(link)

      expect(link).toBe(`/api/v1/changes?limit=3&since=${(first.body as Page).pagination.nextSince}`)
      expect((first.body as Page).pagination).toMatchObject({ limit: 3, more: true })
      const walked = [...told(first.body as Page), ...told(second.body as Page)]
      const rest = await follow((second.body as Page).pagination.nextSince, 3)
      expect([...walked, ...rest.told].sort()).toEqual(skills.map(({ id }) => id).sort())
      expect((await api.get(`/api/v1/changes?since=${rest.since}`)).headers.link).not.toContain('next')
    })

    test('one that is published no more, and not logged so yet, is left out; the position moves on', async () => {
      await stores.catalog.put('skills', [aSkill({ repo: 'stays' }), aSkill({ repo: 'leaves' })])
      await run(logChanges)
      await stores.catalog.remove('skills', ['acme/leaves'])

      const { since, told: before } = await follow(0, 1)
      expect(before).toEqual(['acme/stays'])
      await run(logChanges)
      expect(told(await page(`?since=${since}`))).toEqual(['-acme/leaves'])
    })

    test('a position from before what is kept is gone; from the start everything is told, over many pages', async () => {
      await stores.catalog.put('skills', [aSkill({ repo: 'gone' }), aSkill({ repo: 'a' }), aSkill({ repo: 'b' })])
      await run(logChanges)
      const old = await follow(0, 100)
      await stores.catalog.put('skills', [aSkill({ repo: 'c' })])
      await stores.catalog.remove('skills', ['acme/gone'])
      await run(logChanges, 1)
      const kept = await follow(0, 100)
      nowMs += 20 * dayMs
      await run(verifyChanges)

      expect(await api.get(`/api/v1/changes?since=${old.since}`)).toMatchObject({
        status: 410,
        headers: { 'cache-control': 'no-store' },
        body: { code: 'changes_gone', detail: expect.stringContaining('/api/v1/exports') },
      })
      expect((await follow(kept.since, 100)).told).toEqual([])
      const anew = await follow(0, 1)
      expect(anew.told.sort()).toEqual(['acme/a', 'acme/b', 'acme/c'])
      expect((await follow(anew.since, 1)).told).toEqual([])
    })

    test('a walk from the start that rested until removals were dropped which it may not know of is gone', async () => {
      await stores.catalog.put(
        'skills',
        ['a', 'b', 'c', 'd'].map((repo) => aSkill({ repo })),
      )
      await run(logChanges)
      // So that the walk begins below a horizon.
      await stores.catalog.remove('skills', ['acme/d'])
      await run(logChanges)
      nowMs += 20 * dayMs
      await run(verifyChanges)
      const first = await page('?limit=1')
      expect(first.pagination.more).toBe(true)
      expect(await api.get(`/api/v1/changes?since=${first.pagination.nextSince}`)).toMatchObject({ status: 200 })

      await stores.catalog.remove('skills', [String(first.data[0]?.id)])
      nowMs += dayMs
      await run(logChanges)
      nowMs += 20 * dayMs
      await run(verifyChanges)

      expect(await api.get(`/api/v1/changes?since=${first.pagination.nextSince}`)).toMatchObject({
        status: 410,
        body: { code: 'changes_gone' },
      })
    })

    test('a position that the log has not come to is none of this log', async () => {
      await stores.catalog.put('skills', [aSkill()])
      await run(logChanges)
      const { since } = await follow(0, 100)

      expect(await api.get(`/api/v1/changes?since=${since + 1_000}`)).toMatchObject({
        status: 410,
        body: { code: 'changes_gone' },
      })
    })

    test('is conditional: what has not changed is not sent again', async () => {
      await stores.catalog.put('skills', [aSkill()])
      await run(logChanges)
      const first = await api.get('/api/v1/changes')

      expect(await api.get('/api/v1/changes', { 'If-None-Match': String(first.headers.etag) })).toMatchObject({
        status: 304,
        text: '',
      })
    })
  })
}
