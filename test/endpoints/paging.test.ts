import { describe, expect, test } from '@jest/globals'
import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import type { SkillListQuery } from '../../shared/ports/skill-reader.js'
import { repositoryId, skillId } from '../../shared/records/skill.js'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { aSkill } from '../support/factories.js'
import { intercepted } from '../support/job-bench.js'
import { whenServer } from '../support/servers.js'
import { sharedTestApp, startTestApp, type TestApp, type TestAppOptions } from '../support/test-app.js'
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
        const beyond = await api.get(`/api/v1/skills?${list}&limit=5&page=40`)
        expect([beyond.ids, Object(beyond.body).pagination]).toMatchObject([[], { nextCursor: null, page: 40 }])
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

describe('one skill of each repository', () => {
  const sizes = [1, 25, 1, 3, 120, 1, 2]

  /** Skills about tables, most of them in two repositories; the skills of a repository share its stars. */
  const skills = sizes.flatMap((size, at) =>
    Array.from({ length: size }, (_, n) =>
      aSkill({
        owner: 'acme',
        repo: `tables-${at}`,
        skill: n === 0 ? null : `table-${n}`,
        name: `Table ${n}`,
        topics: n % 2 === 0 ? ['table', 'even'] : ['table'],
        stars: 100 * (at + 1),
        createdAt: '2026-01-01T00:00:00.000Z',
      }),
    ),
  )

  const shared = sharedTestApp({ skills })

  interface Answer {
    data: { id: string; others?: number }[]
    pagination: { total: number; totalIsLowerBound: boolean; nextCursor?: string | null; totalPages?: number }
  }

  const ask = async (api: TestApp, path: string): Promise<Answer> => {
    const { status, body } = await api.get(path)
    expect([path, status]).toEqual([path, 200])
    return body as Answer
  }

  const most = skillId('acme', 'tables-6')

  describe('distinct=repository', () => {
    test('lists the first skill of each repository, with the number of the others', async () => {
      const { data, pagination } = await ask(shared(), '/api/skills?distinct=repository&sort=stars')

      expect(data.map(({ id, others }) => [id, others])).toEqual(
        [...sizes.keys()].reverse().map((at) => [skillId('acme', `tables-${at}`), Number(sizes[at]) - 1]),
      )
      expect(pagination).toEqual({ limit: 20, total: 7, totalIsLowerBound: false, nextCursor: null })
      const all = await ask(shared(), '/api/skills?sort=stars')
      expect([all.pagination.total, all.data.some((skill) => 'others' in skill)]).toEqual([skills.length, false])
    })

    test('a search has the best hit of each repository', async () => {
      const { data, pagination } = await ask(shared(), '/api/v1/skills/search?q=table&distinct=repository&fold=false')

      expect(data.map(({ id }) => repositoryId(id)).sort()).toEqual(
        [...sizes.keys()].map((at) => skillId('acme', `tables-${at}`)),
      )
      expect(data.reduce((sum, { others = 0 }) => sum + others + 1, 0)).toBe(skills.length)
      expect(pagination).toMatchObject({ total: 7, totalIsLowerBound: false, totalPages: 1 })
      const all = await ask(shared(), '/api/v1/skills/search?q=table&fold=false')
      expect([all.pagination.total, 'others' in (all.data[0] ?? {})]).toEqual([skills.length, false])
    })

    test('fields choose among those of the skill, and others stays', async () => {
      const { data } = await ask(shared(), '/api/skills?distinct=repository&sort=stars&fields=id&limit=1')
      expect(data).toEqual([{ id: most, others: 1 }])
    })
  })

  describe('pages by stars', () => {
    const linksOf = async (path: string) => {
      const { text } = await shared().get(path, { Accept: 'text/html' })
      const links = [...text.matchAll(/<a href="([^"]*)">(and [^<]* more in this repository)<\/a>/g)]
      return { text, more: links.map(([, href, words]) => [words, href]) }
    }

    test.each(['/?sort=stars', '/topics/table', '/organizations/acme'])(
      '%s shows one skill of each repository, and leads to the others',
      async (path) => {
        const { more, text } = await linksOf(path)

        expect(more).toEqual([
          ['and 1 more in this repository', '/skills/acme/tables-6'],
          ['and 119 more in this repository', '/skills/acme/tables-4'],
          ['and 2 more in this repository', '/skills/acme/tables-3'],
          ['and 24 more in this repository', '/skills/acme/tables-1'],
        ])
        expect(text).toContain('7 repositories')
      },
    )

    test('the first view, too; the repository and the order by name have all skills', async () => {
      expect((await linksOf('/')).more).toContainEqual(['and 119 more in this repository', '/skills/acme/tables-4'])
      const { more, text } = await linksOf('/topics/table?sort=name')
      expect([more, text.includes(`${skills.length} skills`)]).toEqual([[], true])
      // Those of one name, of each repository, come first.
      const links = [...text.matchAll(/href="\/skills\/acme\/(tables-\d)"/g)].map(([, repo]) => repo)
      expect(new Set(links).size).toBe(sizes.length)
      expect((await linksOf('/skills/acme/tables-4')).text).toContain('table-119')
    })
  })
})
