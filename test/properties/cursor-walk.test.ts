import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { decodeCursor, encodeCursor, type ListScope } from '../../services/query/request/cursor.js'
import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import type { Catalog } from '../../shared/ports/catalog.js'
import type { SkillFilters } from '../../shared/ports/filter-table.js'
import type { ListPosition, ListSort, SkillListQuery } from '../../shared/ports/skill-reader.js'
import { repositoryId, type StoredSkill, skillOf } from '../../shared/records/skill.js'
import { foldLetters } from '../../shared/text/analyze.js'
import { aSkill } from '../support/factories.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { anyWrite } from './any-skill.js'

const sortedBy: Record<ListSort, (skill: StoredSkill) => string | number | null> = {
  updated: ({ updatedAt }) => updatedAt,
  created: ({ createdAt }) => createdAt,
  stars: ({ stars }) => stars,
  name: ({ name }) => foldLetters(name),
  // No skill has a trend: all are listed as by stars.
  trending: ({ stars }) => stars,
}

const anyScope: fc.Arbitrary<ListScope> = fc.record({
  sort: fc.constantFrom('updated', 'stars', 'created', 'name', 'trending'),
  order: fc.constantFrom('asc', 'desc'),
  filters: fc.constantFrom<SkillFilters[]>(
    {},
    {},
    { topics: ['pdf'] },
    { license: 'MIT' },
    { minStars: 1 },
    { archived: false },
  ),
})

/** Whether paging with this scope returns the skill. */
const isListed = ({ filters }: ListScope, skill: StoredSkill | undefined): boolean =>
  skill?.state === 'published' &&
  (filters.topics ?? []).every((topic) => skill.topics.includes(topic)) &&
  (filters.license === undefined || skill.license?.toLowerCase() === filters.license.toLowerCase()) &&
  (filters.minStars === undefined || (skill.stars ?? -1) >= filters.minStars) &&
  (filters.archived === undefined || skill.archived === filters.archived)

/** The ids returned by paging with a cursor, page by page; `between` is called after each page. */
async function* walk(catalog: Catalog, scope: ListScope, limit: number): AsyncGenerator<string[]> {
  let cursor: string | null = null
  do {
    const asked: SkillListQuery = { ...scope, limit }
    if (cursor !== null) {
      const decoded = decodeCursor(cursor, scope)
      expect(decoded.error).toBeUndefined()
      Object.assign(asked, { after: decoded.error === undefined ? decoded.position : null })
    }
    const page = await catalog.listSkills(asked)
    cursor = page.next === null ? null : encodeCursor(scope, page.next)
    yield page.skills.map((skill) => skillOf(skill).id)
  } while (cursor !== null)
}

test('paging by cursor returns each unchanged skill exactly once, during any writes', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyScope,
      fc.integer({ min: 1, max: 9 }),
      fc.array(anyWrite(40), { maxLength: 60 }),
      fc.array(fc.array(anyWrite(40), { maxLength: 6 }), { maxLength: 12 }),
      async (scope, limit, before, meanwhile) => {
        const { catalog, close } = await openEmbedded(temporaryFolder(), { threads: false, log: silentLog() })
        try {
          const stored = new Map<string, StoredSkill>()
          const write = async (skills: StoredSkill[]) => {
            await catalog.put('skills', skills)
            for (const skill of skills) {
              stored.set(skill.id, skill)
            }
          }
          await write(before)
          const first = new Map([...stored].filter(([, skill]) => isListed(scope, skill)))
          const staying = new Set(first.keys())
          const seen: string[] = []
          const writes = meanwhile.values()
          for await (const ids of walk(catalog, scope, limit)) {
            expect(ids.filter((id) => !isListed(scope, stored.get(id)))).toEqual([])
            seen.push(...ids)
            const skills = writes.next().value ?? []
            await write(skills)
            for (const { id } of skills) {
              const [was, is] = [first.get(id), stored.get(id)]
              const value = sortedBy[scope.sort]
              if (was && is && !(isListed(scope, is) && value(is) === value(was))) {
                staying.delete(id)
              }
            }
          }

          expect(seen.filter((id) => staying.has(id)).sort()).toEqual([...staying].sort())
        } finally {
          await close()
        }
      },
    ),
    { numRuns: 12 },
  )
})

describe('repositories', () => {
  const time = (n: number): string | null => (n % 5 === 0 ? null : `2026-01-0${1 + (n % 4)}T00:00:00.000Z`)

  /** A skill of a repository: most facts are those of the repository, and some its own. */
  const skillIn = (repository: string, n: number, fact: number) =>
    aSkill({
      owner: 'acme',
      repo: repository,
      skill: n === 0 ? null : `skill-${n}`,
      name: `name ${(n * fact) % 7}`,
      stars: fact % 4 === 0 ? null : n % 11 === 10 ? fact + n : fact,
      createdAt: time(fact),
      updatedAt: time(fact + (n % 3)),
      topics: n % 2 === 0 ? ['pdf'] : ['csv'],
    })

  const anyRepository = fc.record({ size: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 300 })), fact: fc.nat(9) })

  test('paging returns each unchanged repository exactly once, by its first skill, during writes of others', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRepository, { minLength: 1, maxLength: 9 }),
        fc.constantFrom<ListSort[]>('updated', 'stars', 'created', 'name', 'trending'),
        fc.constantFrom<('asc' | 'desc')[]>('asc', 'desc'),
        fc.constantFrom<SkillFilters[]>({}, { topics: ['csv'] }, { minStars: 3 }, { topics: ['pdf'], archived: false }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(anyRepository, { maxLength: 6 }),
        async (repositories, sort, order, filters, limit, others) => {
          const { catalog, close } = await openEmbedded(temporaryFolder(), { threads: false, log: silentLog() })
          try {
            const staying = repositories.flatMap(({ size, fact }, at) =>
              Array.from({ length: size }, (_, n) => skillIn(`stays-${at}`, n, fact)),
            )
            await catalog.put('skills', staying)
            const query: SkillListQuery = { sort, order, filters, limit: 100 }
            const firsts = new Map<string, { id: string; others: number }>()
            for (let after: ListPosition | null | undefined; after !== null; ) {
              const page = await catalog.listSkills({ ...query, ...(after && { after }) })
              for (const { id } of page.skills.map(skillOf)) {
                const first = firsts.get(repositoryId(id))
                firsts.set(repositoryId(id), first ? { ...first, others: first.others + 1 } : { id, others: 0 })
              }
              after = page.next
            }

            const seen: { id: string; others: number | null }[] = []
            const writes = others.values()
            for (let after: ListPosition | null | undefined; after !== null; ) {
              const page = await catalog.listSkills({
                ...query,
                limit,
                distinct: 'repository',
                ...(after && { after }),
              })
              seen.push(...page.skills.map((skill) => ({ id: skillOf(skill).id, others: skill.others })))
              after = page.next
              const { value } = writes.next()
              if (value !== undefined) {
                await catalog.put(
                  'skills',
                  Array.from({ length: value.size }, (_, n) => skillIn('moves', n, value.fact)),
                )
              }
            }

            expect(seen.filter(({ id }) => id.startsWith('acme/stays'))).toEqual([...firsts.values()])
            const { repositories: counted } = (await catalog.computeStats()).totals
            expect(counted).toBe(repositories.length + (others.length === 0 ? 0 : 1))
          } finally {
            await close()
          }
        },
      ),
      { numRuns: 15 },
    )
  }, 120_000)
})
