import { beforeEach, describe, expect, test } from '@jest/globals'
import { sequenceStep } from '../../shared/ports/change-log.js'
import { aSkill } from '../support/factories.js'
import { startTestApp, type TestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

const dayMs = 86_400_000

interface Page {
  data: { sequence: number; id: string; change: string; changedAt: string; skill: Record<string, unknown> | null }[]
  pagination: { limit: number; nextSince: number; more: boolean }
}

test('before the first run has logged all skills it is a 503 with Retry-After', async () => {
  const api = await startTestApp({
    skills: [aSkill()],
    replace: ({ changes }) => ({
      changes: withOverrides(changes, {
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

test('a walk from the start that rested until removals were dropped which it may not know of is gone', async () => {
  const nowMs = Date.now()
  let horizonMs = nowMs + dayMs
  const api = await startTestApp({
    skills: ['a', 'b', 'c'].map((repo) => aSkill({ repo })),
    replace: ({ changes }) => ({
      clock: () => nowMs + 2 * dayMs,
      changes: withOverrides(changes, {
        after: async (...asked) => ({ ...(await changes.after(...asked)), horizon: horizonMs * sequenceStep }),
      }),
    }),
  })
  const first = (await api.get('/api/v1/changes?limit=1')).body as Page
  const next = `/api/v1/changes?since=${first.pagination.nextSince}`
  expect(first.pagination.more).toBe(true)
  expect(await api.get(next)).toMatchObject({ status: 200 })

  horizonMs = nowMs + 3 * dayMs

  expect(await api.get(next)).toMatchObject({ status: 410, body: { code: 'changes_gone' } })
})

describe('changes', () => {
  let api: TestApp
  let aheadMs: number
  beforeEach(async () => {
    aheadMs = 0
    api = await startTestApp({ replace: () => ({ clock: () => Date.now() + aheadMs }) })
  })

  const page = async (query = '') => (await api.get(`/api/v1/changes${query}`)).body as Page
  const listed = ({ data }: Page) => data.map(({ id, change }) => (change === 'removed' ? `-${id}` : id))

  /** Follows `nextSince` until there is nothing more. */
  async function follow(since: number, limit: number): Promise<{ listed: string[]; since: number }> {
    const seen: string[] = []
    for (let at = since; ; ) {
      const next = await page(`?since=${at}&limit=${limit}`)
      seen.push(...listed(next))
      at = next.pagination.nextSince
      if (!next.pagination.more) {
        return { listed: seen, since: at }
      }
    }
  }

  test('lists everything that is published, in the order of its changes, and the position to continue from', async () => {
    await api.stores.catalog.put('skills', [aSkill({ repo: 'b', stars: 3 }), aSkill({ repo: 'a' })])
    await api.stores.catalog.put('skills', [aSkill({ repo: 'secret', state: 'hidden' })])

    const answer = await api.get('/api/v1/changes')
    const { data, pagination } = answer.body as Page

    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'public, max-age=2' } })
    expect(data.map(({ id }) => id).sort()).toEqual(['acme/a', 'acme/b'])
    expect(data.find(({ id }) => id === 'acme/b')).toEqual({
      sequence: expect.any(Number),
      id: 'acme/b',
      change: 'published',
      changedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      skill: expect.objectContaining({ id: 'acme/b', stars: 3, indexedAt: expect.any(String) }),
    })
    expect(pagination).toEqual({ limit: 100, nextSince: data.at(-1)?.sequence, more: false })
    expect(await page(`?since=${pagination.nextSince}`)).toEqual({
      data: [],
      pagination: { limit: 100, nextSince: pagination.nextSince, more: false },
      catalog: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  test('an empty log has no changes, at 0', async () => {
    expect(await page()).toMatchObject({ data: [], pagination: { limit: 100, nextSince: 0, more: false } })
  })

  test('lists changes and removals after a position, and of each skill only the latest', async () => {
    await api.stores.catalog.put(
      'skills',
      ['one', 'two', 'three'].map((repo) => aSkill({ repo, description: 'old' })),
    )
    const { since } = await follow(0, 2)

    await api.stores.catalog.put('skills', [aSkill({ repo: 'one', description: 'new' })])
    await api.stores.catalog.put('skills', [aSkill({ repo: 'one', description: 'newest' })])
    await api.stores.catalog.remove('skills', ['acme/two'])

    const rest = await page(`?since=${since}`)
    expect(listed(rest).sort()).toEqual(['-acme/two', 'acme/one'])
    expect(rest.data.find(({ id }) => id === 'acme/one')?.skill).toMatchObject({ description: 'newest' })
    expect(rest.data.find(({ id }) => id === 'acme/two')).toMatchObject({ change: 'removed', skill: null })
  })

  test('page by page, by nextSince or by the link, everything is listed once', async () => {
    const skills = Array.from({ length: 7 }, (_, n) => aSkill({ repo: `s${n}` }))
    await api.stores.catalog.put('skills', skills)

    const first = await api.get('/api/v1/changes?limit=3')
    const link = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? ''
    const second = await api.get(link)

    expect(link).toBe(`${api.url}/api/v1/changes?limit=3&since=${(first.body as Page).pagination.nextSince}`)
    expect((first.body as Page).pagination).toMatchObject({ limit: 3, more: true })
    const walked = [...listed(first.body as Page), ...listed(second.body as Page)]
    const rest = await follow((second.body as Page).pagination.nextSince, 3)
    expect([...walked, ...rest.listed].sort()).toEqual(skills.map(({ id }) => id).sort())
    expect((await api.get(`/api/v1/changes?since=${rest.since}`)).headers.link).not.toContain('next')
  })

  test('a position from before what is kept is gone; from the start everything is listed, over many pages', async () => {
    await api.stores.catalog.put('skills', [aSkill({ repo: 'gone' }), aSkill({ repo: 'a' }), aSkill({ repo: 'b' })])
    const old = await follow(0, 100)
    await api.stores.catalog.put('skills', [aSkill({ repo: 'c' })])
    await api.stores.catalog.remove('skills', ['acme/gone'])
    const kept = await follow(0, 100)
    await api.stores.changes.prune(new Date(Date.now() + dayMs))
    aheadMs = 20 * dayMs

    expect(await api.get(`/api/v1/changes?since=${old.since}`)).toMatchObject({
      status: 410,
      headers: { 'cache-control': 'no-store' },
      body: { code: 'changes_gone', detail: expect.stringContaining('/api/v1/exports') },
    })
    expect((await follow(kept.since, 100)).listed).toEqual([])
    const again = await follow(0, 1)
    expect(again.listed.sort()).toEqual(['acme/a', 'acme/b', 'acme/c'])
    expect((await follow(again.since, 1)).listed).toEqual([])
  })

  test('a position after the head is refused as that of another log', async () => {
    await api.stores.catalog.put('skills', [aSkill()])
    const { since } = await follow(0, 100)

    expect(await api.get(`/api/v1/changes?since=${since + 1_000}`)).toMatchObject({
      status: 410,
      body: { code: 'changes_gone' },
    })
  })
})
