import { describe, expect, test } from '@jest/globals'
import { repositoryId, skillId } from '../../shared/records/skill.js'
import { aSkill } from '../support/factories.js'
import { sharedTestApp, type TestApp } from '../support/test-app.js'

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
    expect((await linksOf('/skills/acme/tables-4')).text).toContain('table-119')
  })
})
