import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { decodeCursor, encodeCursor, type ListScope } from '../../services/query/request/cursor.js'
import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import type { Catalog } from '../../shared/ports/catalog.js'
import type { SkillFilters } from '../../shared/ports/filter-table.js'
import type { ListSort, SkillListQuery } from '../../shared/ports/skill-reader.js'
import { type StoredSkill, skillOf } from '../../shared/records/skill.js'
import { foldLetters } from '../../shared/text/analyze.js'
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
