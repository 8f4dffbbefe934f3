import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { CatalogStore, ListPosition, SkillListQuery } from '../../shared/ports/catalog-store.js'
import { Organization } from '../../shared/records/organization.js'
import { Prompt } from '../../shared/records/prompt.js'
import { Skill } from '../../shared/records/skill.js'
import { anOrganization, aPrompt, aSkill } from '../support/factories.js'

/** Every order of a list. */
const orders = (['updated', 'stars', 'created', 'name'] as const).flatMap((sort) =>
  (['asc', 'desc'] as const).map((order) => [sort, order] as const),
)

/**
 * What every CatalogStore keeps, whatever is underneath.
 *
 * @param open opens an empty store
 */
export function catalogStoreContract(name: string, open: () => Promise<CatalogStore>): void {
  describe(`catalog store: ${name}`, () => {
    let catalog: CatalogStore
    beforeEach(async () => {
      catalog = await open()
    })
    afterEach(() => catalog.close())

    const list = (query: Partial<SkillListQuery> = {}) =>
      catalog.listSkills({ filters: {}, sort: 'updated', order: 'desc', limit: 20, ...query })
    const ids = async (query: Partial<SkillListQuery> = {}) => (await list(query)).skills.map((skill) => skill.id)

    /** Every id, page by page; `between` runs after each page. */
    async function walk(query: Partial<SkillListQuery>, between: () => Promise<unknown> = async () => {}) {
      const seen: string[] = []
      let after: ListPosition | null | undefined
      while (after !== null) {
        const page = await list({ ...query, ...(after === undefined ? {} : { after }) })
        seen.push(...page.skills.map((skill) => skill.id))
        after = page.next
        await between()
      }
      return seen
    }

    describe('put and remove', () => {
      test('a record is added, then changed, then found to be there already', async () => {
        const skill = aSkill({ description: 'first' })

        expect(await catalog.put('skills', [skill])).toEqual({ added: 1, changed: 0, unchanged: 0 })
        expect(await catalog.put('skills', [{ ...skill, description: 'second' }])).toEqual({
          added: 0,
          changed: 1,
          unchanged: 0,
        })
        expect(await catalog.put('skills', [{ ...skill, description: 'second' }])).toEqual({
          added: 0,
          changed: 0,
          unchanged: 1,
        })
      })

      test('the last of two records with one id wins', async () => {
        const skill = aSkill({ name: 'first' })

        await catalog.put('skills', [skill, { ...skill, name: 'second' }])

        expect((await list()).skills.map((each) => each.name)).toEqual(['second'])
      })

      test('a removed record leaves every list and total, and comes back when it is put again', async () => {
        const skill = aSkill({ topics: ['pdf'], stars: 3 })
        await catalog.put('skills', [skill, aSkill({ topics: ['pdf'], stars: 4 })])

        expect(await catalog.remove('skills', [skill.id, skill.id, 'nobody/nothing'])).toBe(1)
        expect(await catalog.remove('skills', [skill.id])).toBe(0)

        expect((await list({ filters: { topics: ['pdf'] } })).total).toBe(1)
        expect((await catalog.computeStats()).totals).toMatchObject({ skills: 1, stars: 4 })
        expect(await catalog.listIds('skills', null, 10)).not.toContain(skill.id)

        await catalog.put('skills', [skill])
        expect((await list({ filters: { topics: ['pdf'] } })).total).toBe(2)
      })

      test('a hidden skill is neither listed nor told of', async () => {
        await catalog.put('skills', [aSkill({ owner: 'acme', repo: 'secret', state: 'hidden' })])

        expect((await list()).total).toBe(0)
        expect(await catalog.findSkill('acme/secret')).toEqual({ state: 'unknown' })
        expect(await catalog.nearMatches('acme/secre', 3)).toEqual([])
      })

      test('indexedAt is the time at which the record was last taken in with other content', async () => {
        const skill = aSkill({ owner: 'acme', repo: 'timed', indexedAt: '2001-01-01T00:00:00.000Z' })
        const began = new Date().toISOString()
        await catalog.put('skills', [skill])

        const [first] = (await list()).skills
        expect(first?.indexedAt && first.indexedAt >= began).toBe(true)

        await catalog.put('skills', [skill])
        expect((await list()).skills[0]?.indexedAt).toBe(first?.indexedAt)
      })

      test('prompts and organizations are upserted by their identity', async () => {
        const prompt = aPrompt({ title: 'first' })
        await catalog.put('prompts', [prompt])
        await catalog.put('organizations', [anOrganization({ login: 'acme', name: 'Acme' })])

        expect(await catalog.put('prompts', [{ ...prompt, title: 'second' }, aPrompt()])).toEqual({
          added: 1,
          changed: 1,
          unchanged: 0,
        })
        expect(await catalog.put('organizations', [anOrganization({ login: 'acme', name: 'Acme' })])).toMatchObject({
          unchanged: 1,
        })
        expect(await catalog.listIds('organizations', null, 10)).toEqual(['acme'])
        expect(await catalog.remove('prompts', [prompt.id])).toBe(1)
        expect((await catalog.exportRows('prompts', 10)).total).toBe(1)
      })

      test('what is stored is told by id, whatever its state, and unknown ids are passed over', async () => {
        const skill = aSkill({ owner: 'acme', repo: 'kept' })
        const hidden = aSkill({ owner: 'acme', repo: 'hidden', state: 'hidden' })
        await catalog.put('skills', [skill, hidden])
        await catalog.put('organizations', [anOrganization({ login: 'acme', name: 'Acme' })])

        const found = await catalog.findStored('skills', ['acme/kept', 'acme/hidden', 'acme/unknown'])

        expect(found.map(({ id }) => id).sort()).toEqual(['acme/hidden', 'acme/kept'])
        expect(found.find(({ id }) => id === 'acme/hidden')?.stored).toMatchObject({
          ...hidden,
          indexedAt: expect.anything(),
        })
        expect(await catalog.findStored('organizations', ['acme'])).toEqual([
          { id: 'acme', stored: anOrganization({ login: 'acme', name: 'Acme' }) },
        ])
      })

      test('text of any kind comes back as it was', async () => {
        const description = `quotes ' " \` \\, 日本語, 🦀, \u202e, "'); DROP TABLE skills; --`
        await catalog.put('skills', [aSkill({ description })])

        expect((await list()).skills[0]?.description).toBe(description)
      })
    })

    describe('listSkills', () => {
      test('each order has its values in line, those without one last, ties by id', async () => {
        await catalog.put('skills', [
          aSkill({ owner: 'a', repo: 'none' }),
          aSkill({ owner: 'b', repo: 'five', stars: 5, name: 'Zebra', updatedAt: '2026-01-02T00:00:00.000Z' }),
          aSkill({ owner: 'a', repo: 'five', stars: 5, name: 'apple', updatedAt: '2026-01-01T00:00:00.000Z' }),
          aSkill({ owner: 'c', repo: 'nine', stars: 9, name: 'Mango', createdAt: '2025-01-01T00:00:00.000Z' }),
        ])

        expect(await ids({ sort: 'stars', order: 'desc' })).toEqual(['c/nine', 'a/five', 'b/five', 'a/none'])
        expect(await ids({ sort: 'stars', order: 'asc' })).toEqual(['b/five', 'a/five', 'c/nine', 'a/none'])
        expect(await ids({ sort: 'updated', order: 'desc' })).toEqual(['b/five', 'a/five', 'a/none', 'c/nine'])
        expect(await ids({ sort: 'created', order: 'asc' })).toEqual(['c/nine', 'b/five', 'a/none', 'a/five'])
        expect(await ids({ sort: 'name', order: 'asc' })).toEqual(['a/five', 'c/nine', 'a/none', 'b/five'])
        expect(await ids({ sort: 'name', order: 'desc' })).toEqual(['b/five', 'a/none', 'c/nine', 'a/five'])
      })

      test.each(orders)('walking the cursors by %s %s yields each skill once', async (sort, order) => {
        const skills = Array.from({ length: 53 }, (_, n) =>
          aSkill({
            stars: n % 4 === 0 ? null : n % 3,
            updatedAt: n % 5 === 0 ? null : `2026-01-0${1 + (n % 3)}T00:00:00.000Z`,
            createdAt: n % 7 === 0 ? null : '2026-01-01T00:00:00.000Z',
            name: `name ${n % 4}`,
            topics: n % 2 === 0 ? ['even'] : [],
          }),
        )
        await catalog.put('skills', skills)

        const whole = await ids({ sort, order, limit: 100 })
        expect(whole).toHaveLength(53)
        expect(await walk({ sort, order, limit: 7 })).toEqual(whole)
        expect(await walk({ sort, order, limit: 1, filters: { topics: ['even'] } })).toHaveLength(27)
      })

      test.each(orders)(
        'walking by %s %s yields each skill once while others come, change and go',
        async (sort, order) => {
          const made = (n: number) => ({
            stars: n % 5 === 4 ? null : n % 3,
            name: `name ${n % 3}`,
            createdAt: n % 5 === 4 ? null : `2026-01-0${1 + (n % 3)}T00:00:00.000Z`,
            updatedAt: n % 5 === 4 ? null : `2026-02-0${1 + (n % 3)}T00:00:00.000Z`,
          })
          const staying = Array.from({ length: 40 }, (_, n) => aSkill(made(n)))
          const restless = Array.from({ length: 12 }, (_, n) => aSkill({ owner: 'restless', ...made(n) }))
          await catalog.put('skills', [...staying, ...restless])

          let page = 0
          const seen = await walk({ sort, order, limit: 6 }, async () => {
            page += 1
            await catalog.put('skills', [
              ...[0, 1, 2, 4].map((n) => aSkill({ owner: 'newcomer', ...made(n) })),
              ...restless.slice(0, 8).map((skill, n) => ({ ...skill, ...made(n + page) })),
            ])
            await catalog.remove(
              'skills',
              restless.slice(8, 8 + page).map(({ id }) => id),
            )
          })

          const seenOfThese = seen.filter((id) => id.startsWith('acme/'))
          expect(seenOfThese.sort()).toEqual(staying.map(({ id }) => id).sort())
        },
      )

      test('an offset skips what pages before it hold', async () => {
        await catalog.put(
          'skills',
          Array.from({ length: 25 }, (_, n) => aSkill({ stars: n % 5 === 0 ? null : n })),
        )
        const whole = await ids({ sort: 'stars', limit: 100 })

        expect(await ids({ sort: 'stars', limit: 10, offset: 10 })).toEqual(whole.slice(10, 20))
        expect(await ids({ sort: 'stars', limit: 10, offset: 20 })).toEqual(whole.slice(20))
        expect(await list({ offset: 30 })).toMatchObject({ skills: [], total: 25, next: null })
      })

      test('filters narrow the list and its total, alone and together', async () => {
        await catalog.put('skills', [
          aSkill({
            owner: 'Acme',
            repo: 'one',
            topics: ['pdf', 'csv'],
            license: 'MIT',
            language: 'Go',
            stars: 10,
            updatedAt: '2026-02-01T00:00:00.000Z',
          }),
          aSkill({ owner: 'acme', repo: 'two', topics: ['pdf'], license: 'MIT', stars: 1, archived: true }),
          aSkill({
            owner: 'other',
            repo: 'three',
            topics: ['csv'],
            language: 'Go',
            updatedAt: '2026-01-01T00:00:00.000Z',
          }),
        ])

        const found = async (filters: SkillListQuery['filters']) => {
          const page = await list({ filters, sort: 'name', order: 'asc' })
          expect(page.total).toBe(page.skills.length)
          return page.skills.map((skill) => skill.repo)
        }
        expect(await found({ owner: 'ACME' })).toEqual(['one', 'two'])
        expect(await found({ topics: ['pdf'] })).toEqual(['one', 'two'])
        expect(await found({ topics: ['pdf', 'csv'] })).toEqual(['one'])
        expect(await found({ license: 'mit', language: 'go' })).toEqual(['one'])
        expect(await found({ archived: true })).toEqual(['two'])
        expect(await found({ archived: false })).toEqual(['one', 'three'])
        expect(await found({ minStars: 1 })).toEqual(['one', 'two'])
        expect(await found({ minStars: 0 })).toEqual(['one', 'two'])
        expect(await found({ updatedSince: '2026-01-15T00:00:00.000Z' })).toEqual(['one'])
        expect(await found({ owner: 'acme', minStars: 5 })).toEqual(['one'])
        expect(await found({ owner: 'nobody' })).toEqual([])
        expect(await found({ owner: 'nobody', minStars: 5 })).toEqual([])
      })

      test('totals follow every change', async () => {
        const skill = aSkill({ topics: ['pdf'], license: 'MIT', stars: 1 })
        await catalog.put('skills', [skill, aSkill({ topics: ['pdf'], license: 'MIT', stars: 2 })])
        const total = async () => (await list({ filters: { topics: ['pdf'], license: 'MIT', minStars: 1 } })).total

        expect(await total()).toBe(2)
        await catalog.put('skills', [{ ...skill, topics: ['csv'] }])
        expect(await total()).toBe(1)
        await catalog.put('skills', [{ ...skill, stars: 9 }])
        expect(await total()).toBe(2)
        await catalog.put('skills', [{ ...skill, state: 'hidden' }])
        expect(await total()).toBe(1)
      })

      test('a stored field outside the public shape never leaves', async () => {
        await catalog.put('skills', [
          { ...aSkill(), contactEmail: 'someone@private.example', crawlState: { tries: 3 } },
        ])
        await catalog.put('prompts', [{ ...aPrompt(), submitter: 'someone@private.example' }])
        await catalog.put('organizations', [{ ...anOrganization(), billing: 'someone@private.example' }])

        const [listed] = (await list()).skills
        expect(Object.keys(listed ?? {})).toEqual(Object.keys(Skill.shape))
        const [prompt] = (await catalog.exportRows('prompts', 10)).rows
        expect(Object.keys(prompt ?? {})).toEqual(Object.keys(Prompt.shape))
        const [organization] = (await catalog.exportRows('organizations', 10)).rows
        expect(Object.keys(organization ?? {})).toEqual(Object.keys(Organization.shape))
        const [exported] = (await catalog.exportRows('skills', 10)).rows
        expect(Object.keys(exported ?? {})).toEqual(Object.keys(Skill.shape))
      })
    })

    describe('findSkill and nearMatches', () => {
      test('a published skill is found under its id', async () => {
        await catalog.put('skills', [aSkill({ owner: 'Acme', repo: 'Tool', name: 'The Tool' })])

        expect(await catalog.findSkill('acme/tool')).toMatchObject({ state: 'published', skill: { name: 'The Tool' } })
        expect(await catalog.findSkill('acme/other')).toEqual({ state: 'unknown' })
      })

      test('a former id leads to the present one, and a removed one says when', async () => {
        await catalog.put('skills', [
          aSkill({ owner: 'acme', repo: 'new', formerIds: ['acme/old', 'Acme/Oldest'] }),
          aSkill({ owner: 'acme', repo: 'old' }),
        ])
        expect(await catalog.findSkill('acme/old')).toMatchObject({ state: 'published' })

        await catalog.remove('skills', ['acme/old'])
        expect(await catalog.findSkill('acme/old')).toEqual({ state: 'renamed', presentId: 'acme/new' })
        expect(await catalog.findSkill('acme/oldest')).toEqual({ state: 'renamed', presentId: 'acme/new' })

        await catalog.remove('skills', ['acme/new'])
        expect(await catalog.findSkill('acme/old')).toEqual({
          state: 'removed',
          removedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        })
      })

      test('many ids are found at once, each in its place, whatever became of it', async () => {
        await catalog.put('skills', [
          aSkill({ owner: 'acme', repo: 'one' }),
          aSkill({ owner: 'acme', repo: 'two', contactEmail: 'someone@private.example' }),
          aSkill({ owner: 'acme', repo: 'b-new', formerIds: ['Acme/Old', 'acme/one'] }),
          aSkill({ owner: 'acme', repo: 'a-new', formerIds: ['acme/old'] }),
          aSkill({ owner: 'acme', repo: 'secret', state: 'hidden', formerIds: ['acme/secret-before'] }),
          aSkill({ owner: 'acme', repo: 'gone', state: 'removed', removedAt: '2026-01-05T10:00:00.000Z' }),
        ])
        const asked = ['two', 'gone', 'old', 'secret', 'one', 'secret-before', 'never', 'two'].map(
          (repo) => `acme/${repo}`,
        )

        const found = await catalog.findSkills(asked)

        expect(found).toEqual([
          { state: 'published', skill: expect.objectContaining({ id: 'acme/two' }) },
          { state: 'removed', removedAt: '2026-01-05T10:00:00.000Z' },
          { state: 'renamed', presentId: 'acme/a-new' },
          { state: 'unknown' },
          { state: 'published', skill: expect.objectContaining({ id: 'acme/one' }) },
          { state: 'unknown' },
          { state: 'unknown' },
          { state: 'published', skill: expect.objectContaining({ id: 'acme/two' }) },
        ])
        expect(Object.keys(found[0]?.state === 'published' ? found[0].skill : {})).toEqual(Object.keys(Skill.shape))
        expect(await Promise.all(asked.map((id) => catalog.findSkill(id)))).toEqual(found)
        expect(await catalog.findSkills([])).toEqual([])
      })

      test('a thousand ids are found at once', async () => {
        const skills = Array.from({ length: 20 }, () => aSkill())
        await catalog.put('skills', skills)

        const found = await catalog.findSkills([
          ...Array.from({ length: 980 }, (_, n) => `acme/unknown-${n}`),
          ...skills.map(({ id }) => id),
        ])

        expect(found.slice(0, 980).every(({ state }) => state === 'unknown')).toBe(true)
        expect(found.slice(980).map((each) => (each.state === 'published' ? each.skill.id : null))).toEqual(
          skills.map(({ id }) => id),
        )
      })

      test('near matches are of the same owner, of the same name elsewhere, or begin alike', async () => {
        await catalog.put('skills', [
          aSkill({ owner: 'acme', repo: 'markdown-to-pdf' }),
          aSkill({ owner: 'acme', repo: 'unrelated' }),
          aSkill({ owner: 'elsewhere', repo: 'markdown-to-pdf' }),
        ])

        expect(await catalog.nearMatches('acme/markdwn-to-pdf', 3)).toContain('acme/markdown-to-pdf')
        expect(await catalog.nearMatches('acne/markdown-to-pdf', 3)).toEqual(
          expect.arrayContaining(['acme/markdown-to-pdf', 'elsewhere/markdown-to-pdf']),
        )
        expect(await catalog.nearMatches('zzz/qqq', 3)).toEqual([])
        expect(await catalog.nearMatches('acme/markdown-to-pdf', 1)).toHaveLength(1)
      })
    })

    describe('following changes', () => {
      test('a watermark is followed by what was written behind it, each id once with its present state', async () => {
        const [one, two] = [aSkill(), aSkill()]
        await catalog.put('skills', [one, two])
        const first = await catalog.changesAfter(null, 10)
        expect(first.changes.map((change) => change.id).sort()).toEqual([one.id, two.id].sort())
        expect(first.more).toBe(false)
        const present = await catalog.presentWatermark()
        expect((await catalog.changesAfter(present, 10)).changes).toEqual([])

        await catalog.put('skills', [{ ...one, name: 'renamed' }])
        await catalog.remove('skills', [one.id])
        const second = await catalog.changesAfter(first.watermark, 10)
        expect(second.changes).toMatchObject([{ id: one.id, stored: { state: 'removed', name: 'renamed' } }])

        expect((await catalog.changesAfter(second.watermark, 10)).changes).toEqual([])
      })

      test('changes come in stretches that lose and repeat nothing', async () => {
        const skills = Array.from({ length: 25 }, () => aSkill())
        await catalog.put('skills', skills)

        const seen: string[] = []
        let watermark: string | null = null
        for (let more = true; more; ) {
          const stretch = await catalog.changesAfter(watermark, 4)
          seen.push(...stretch.changes.map((change) => change.id))
          watermark = stretch.watermark
          more = stretch.more
        }

        expect(seen.sort()).toEqual(skills.map((skill) => skill.id).sort())
      })

      test('what did not change is no change', async () => {
        const skill = aSkill()
        await catalog.put('skills', [skill])
        const { watermark } = await catalog.changesAfter(null, 10)

        await catalog.put('skills', [skill])

        expect((await catalog.changesAfter(watermark, 10)).changes).toEqual([])
      })

      test('a scan yields published skills only, by id', async () => {
        await catalog.put('skills', [
          aSkill({ owner: 'b', repo: 'b' }),
          aSkill({ owner: 'a', repo: 'a' }),
          aSkill({ owner: 'c', repo: 'c', state: 'hidden' }),
          aSkill({ owner: 'd', repo: 'd' }),
        ])

        expect((await catalog.scanSkills(null, 2)).map((each) => each.id)).toEqual(['a/a', 'b/b'])
        expect((await catalog.scanSkills('b/b', 2)).map((each) => each.id)).toEqual(['d/d'])
      })
    })

    describe('figures', () => {
      test('organizations are the owners of published skills, enriched by what is stored', async () => {
        await catalog.put('skills', [
          aSkill({ owner: 'Acme', topics: ['pdf', 'csv'], stars: 5 }),
          aSkill({ owner: 'acme', topics: ['pdf'], stars: null }),
          aSkill({ owner: 'solo', stars: 100 }),
          aSkill({ owner: 'ghost', state: 'hidden' }),
        ])
        await catalog.put('organizations', [
          anOrganization({ login: 'acme', name: 'Acme Corporation' }),
          anOrganization({ login: 'without-skills' }),
        ])

        const { total, rows } = await catalog.exportRows('organizations', 10)

        expect(total).toBe(2)
        expect(rows).toMatchObject([
          { login: 'acme', name: 'Acme Corporation', skills: 2, stars: 5, topTopics: ['pdf', 'csv'] },
          { login: 'solo', name: null, skills: 1, stars: 100, topTopics: [] },
        ])
      })

      test('statistics count what is published', async () => {
        await catalog.put('skills', [
          aSkill({ owner: 'acme', topics: ['pdf', 'csv'], stars: 5, updatedAt: '2026-01-01T00:00:00.000Z' }),
          aSkill({ owner: 'solo', topics: ['pdf'], stars: 7, updatedAt: '2026-03-01T00:00:00.000Z' }),
        ])
        await catalog.put('prompts', [aPrompt(), aPrompt({ state: 'hidden' })])

        expect(await catalog.computeStats()).toEqual({
          totals: { skills: 2, prompts: 1, organizations: 2, topics: 2, stars: 12 },
          topOrganizations: [
            { login: 'solo', name: null, skills: 1, stars: 7 },
            { login: 'acme', name: null, skills: 1, stars: 5 },
          ],
          topTopics: [
            { topic: 'pdf', skills: 2 },
            { topic: 'csv', skills: 1 },
          ],
          freshness: {
            newestSkillUpdatedAt: '2026-03-01T00:00:00.000Z',
            oldestSkillUpdatedAt: '2026-01-01T00:00:00.000Z',
          },
        })
      })

      test('the top lists hold the twenty largest, of equally large ones the first by name', async () => {
        const of = (n: number) => String(n).padStart(2, '0')
        await catalog.put('skills', [
          ...Array.from({ length: 24 }, (_, n) =>
            aSkill({ owner: `owner-${of(n)}`, topics: [`topic-${of(n)}`], stars: 1 }),
          ),
          aSkill({ owner: 'owner-23', topics: ['topic-23'] }),
        ])

        const { topOrganizations, topTopics } = await catalog.computeStats()

        const first20 = ['23', ...Array.from({ length: 19 }, (_, n) => of(n))]
        expect(topOrganizations.map(({ login }) => login)).toEqual(first20.map((n) => `owner-${n}`))
        expect(topTopics.map(({ topic }) => topic)).toEqual(first20.map((n) => `topic-${n}`))
        expect(topOrganizations[0]).toEqual({ login: 'owner-23', name: null, skills: 2, stars: 1 })
      })

      test('export rows are cut at the limit, most stars first, then by id', async () => {
        await catalog.put('skills', [
          aSkill({ owner: 'a', repo: 'none' }),
          aSkill({ owner: 'b', repo: 'same', stars: 5 }),
          aSkill({ owner: 'a', repo: 'same', stars: 5 }),
          aSkill({ owner: 'z', repo: 'most', stars: 50 }),
        ])

        const { total, rows } = await catalog.exportRows('skills', 3)

        expect(total).toBe(4)
        expect(rows.map((row) => row.id)).toEqual(['z/most', 'a/same', 'b/same'])
        expect((await catalog.exportRows('skills', 10)).rows).toHaveLength(4)
      })
    })

    describe('what jobs keep', () => {
      test('state is kept under its name until it is forgotten', async () => {
        expect(await catalog.readState('watermark')).toBeNull()

        await catalog.writeState('watermark', { at: 7 })
        expect(await catalog.readState('watermark')).toEqual({ at: 7 })

        await catalog.writeState('watermark', null)
        expect(await catalog.readState('watermark')).toBeNull()
      })

      test('dead letters are kept by id and dropped by id', async () => {
        const since = '2026-01-01T00:00:00.000Z'
        await catalog.keepDeadLetters([
          { id: 'a/a', reason: 'first', since },
          { id: 'b/b', reason: 'other', since },
        ])
        await catalog.keepDeadLetters([{ id: 'a/a', reason: 'second', since }])
        await catalog.dropDeadLetters(['b/b', 'c/c'])

        expect(await catalog.listDeadLetters(null, 10)).toEqual([{ id: 'a/a', reason: 'second', since }])
        expect(await catalog.listDeadLetters('a/a', 10)).toEqual([])
      })

      test('a lock is held once, and free again after its release', async () => {
        const held = await catalog.lock('rebuild')
        expect(held?.lost.aborted).toBe(false)
        expect(await catalog.lock('rebuild')).toBeNull()

        const other = await catalog.lock('sync')
        expect(other).not.toBeNull()
        await other?.release()

        await held?.release()
        const again = await catalog.lock('rebuild')
        expect(again).not.toBeNull()
        await again?.release()
      })

      test('who holds a lock may go on, who held it before may not', async () => {
        const first = await catalog.lock('rebuild')
        await first?.check()
        await first?.release()
        const second = await catalog.lock('rebuild')

        await expect(first?.check()).rejects.toMatchObject({ status: 409, code: 'lock_lost' })
        await second?.check()
        await second?.release()
      })
    })
  })
}
