import { describe, expect, test } from '@jest/globals'
import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import type { SkillListQuery } from '../../shared/ports/skill-reader.js'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { aSkill } from '../support/factories.js'
import { intercepted } from '../support/job-bench.js'
import { whenServer } from '../support/servers.js'
import { startTestApp, type TestAppOptions } from '../support/test-app.js'
import { silentLog } from '../support/test-log.js'

const skills = Array.from({ length: 90 }, (_, n) =>
  aSkill({
    owner: 'acme',
    repo: `r${Math.floor(n / 3)}`,
    skill: n % 3 === 0 ? null : `s${n % 3}`,
    stars: n % 4 === 0 ? null : n % 7,
    updatedAt: n % 5 === 0 ? null : `2026-01-0${1 + (n % 3)}T00:00:00.000Z`,
    topics: n % 2 === 0 ? ['pdf'] : [],
  }),
)

const lists = ['sort=name', 'sort=stars&topic=pdf', 'sort=trending', 'sort=updated&order=asc', 'distinct=repository']

function pagingSuite(mode: string, open: () => Promise<Pick<TestAppOptions, 'catalog' | 'changes' | 'ingest'>>): void {
  /** An app of these skills, and what its catalog is asked for. */
  async function aListedCatalog() {
    const asked: SkillListQuery[] = []
    const clock = { nowMs: Date.now() }
    const api = await startTestApp({
      ...(await open()),
      skills,
      replace: ({ catalog }) => ({
        clock: () => clock.nowMs,
        catalog: intercepted(catalog, (name, call) => (...args) => {
          if (name === 'listSkills') {
            asked.push(args[0] as SkillListQuery)
          }
          return call(...args)
        }),
      }),
    })
    /** A page, and how many skills were skipped for it, null where its catalog was not asked. */
    const page = async (list: string, number: number) => {
      asked.length = 0
      const answer = await api.get(`/api/v1/skills?${list}&limit=5&page=${number}`)
      expect(answer.status).toBe(200)
      const skipped = asked.length === 0 ? null : Math.max(...asked.map(({ offset = 0 }) => offset))
      expect(asked.every(({ limit }) => limit <= 5)).toBe(true)
      return { list, ids: answer.ids, skipped }
    }
    return { api, clock, page }
  }

  describe(`pages by number, ${mode}`, () => {
    test('cost what page 1 costs, and are those of the list', async () => {
      const { api, page } = await aListedCatalog()
      const isKept = mode === 'embedded'

      for (const list of lists) {
        const { ids: whole } = await api.get(`/api/v1/skills?${list}&limit=100`)
        const shown = (number: number, skipped: number | null) => ({
          list,
          ids: whole.slice((number - 1) * 5, number * 5),
          skipped,
        })

        expect(whole.length).toBeGreaterThanOrEqual(30)
        expect(await page(list, 5)).toEqual(shown(5, 19))
        expect(await page(list, 5)).toEqual(shown(5, isKept ? null : 0))
        expect(await page(list, 6)).toEqual(shown(6, 0))
        for (let number = 1; number <= 5; number += 1) {
          expect(await page(list, number)).toEqual(shown(number, isKept && number === 5 ? null : 0))
        }
        expect(await page(list, 2)).toEqual(shown(2, isKept ? null : 0))
        expect(await page(list, 40)).toMatchObject({ ids: [] })
      }
    })

    test('begin after a change where they began before it, for 30 seconds, and show the present skills', async () => {
      const { api, clock, page } = await aListedCatalog()
      const [first = '', ...others] = (await page('sort=name', 6)).ids

      await api.stores.catalog.put('skills', [
        aSkill({ owner: 'acme', repo: 'aa', name: 'A' }),
        aSkill({ owner: 'acme', repo: 'r0', stars: 99 }),
      ])
      await api.stores.catalog.remove('skills', [first])
      const after = await page('sort=name', 6)
      expect(after.skipped).toBe(0)
      expect(after.ids.slice(0, 4)).toEqual(others)

      clock.nowMs += 30_000
      const { ids: whole } = await api.get('/api/v1/skills?sort=name&limit=100')
      expect(await page('sort=name', 6)).toMatchObject({ ids: whole.slice(25, 30), skipped: 24 })
    })
  })
}

pagingSuite('embedded', async () => ({}))

whenServer('mongodb', (url) =>
  pagingSuite('servers', async () => {
    const { catalog, changes, documents } = await openCrawledCatalog(url())
    return { catalog, changes, ingest: documents }
  }),
)

test('each change, by this process or another one, is in the next answer', async () => {
  const api = await startTestApp({ skills: [aSkill()] })
  const { workFolder } = api.stores
  const other = await openEmbedded(String(workFolder), { threads: false, log: silentLog() })
  try {
    for (const [number, catalog] of [api.stores.catalog, other.catalog, api.stores.catalog].entries()) {
      await catalog.put('skills', [aSkill({ owner: 'new', repo: `r${number}`, topics: ['pdf'] })])
      for (const list of ['/api/v1/skills', '/api/v1/skills?topic=pdf', '/api/v1/skills?page=1']) {
        expect((await api.get(list)).ids).toContain(`new/r${number}`)
      }
      const { etag = '' } = (await api.get('/api/v1/skills?topic=pdf')).headers
      expect((await api.get('/api/v1/skills?topic=pdf', { 'If-None-Match': etag })).status).toBe(304)
    }
  } finally {
    await other.close()
  }
})
