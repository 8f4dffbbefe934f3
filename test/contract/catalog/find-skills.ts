import { describe, expect, test } from '@jest/globals'
import { SkillSchema } from '../../../shared/records/schemas.js'
import { skillOf } from '../../../shared/records/skill.js'
import { aSkill } from '../../support/factories.js'
import { parseFound } from '../../support/found-skills.js'
import type { CatalogUnderTest } from './catalog-under-test.js'

/** How a Catalog finds skills by id, and near matches of an unknown one. */
export function findSkillAndNearMatches({ catalog }: CatalogUnderTest): void {
  describe('findSkill and nearMatches', () => {
    test('a former id leads to the current one, and a removed one has its time of removal', async () => {
      await catalog().put('skills', [
        aSkill({ owner: 'acme', repo: 'new', formerIds: ['acme/old', 'Acme/Oldest'] }),
        aSkill({ owner: 'acme', repo: 'old' }),
      ])
      expect(await catalog().findSkill('acme/old')).toMatchObject({ state: 'published' })

      await catalog().remove('skills', ['acme/old'])
      expect(await catalog().findSkill('acme/old')).toEqual({ state: 'renamed', presentId: 'acme/new' })
      expect(await catalog().findSkill('acme/oldest')).toEqual({ state: 'renamed', presentId: 'acme/new' })

      await catalog().remove('skills', ['acme/new'])
      expect(await catalog().findSkill('acme/old')).toEqual({
        state: 'removed',
        removedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      })
    })

    test('a former id of a removed skill is removed, and leads nowhere while that skill is hidden', async () => {
      const time = '2026-01-05T10:00:00.000Z'
      await catalog().put('skills', [
        aSkill({ owner: 'acme', repo: 'new', formerIds: ['Acme/Old', 'acme/oldest', 'acme/both'] }),
        aSkill({ owner: 'acme', repo: 'old', state: 'hidden' }),
        aSkill({ owner: 'acme', repo: 'z-lives', formerIds: ['acme/both'] }),
      ])
      const statesOf = async () =>
        (await catalog().findSkills(['acme/old', 'acme/oldest', 'acme/both'])).map((found) =>
          found.state === 'removed' ? found.removedAt : found.state,
        )
      const set = (state: 'published' | 'hidden' | 'removed') =>
        catalog().setStates('skills', [{ id: 'acme/new', state, removedAt: state === 'removed' ? time : null }])

      await set('removed')
      expect(await statesOf()).toEqual([time, time, 'renamed'])
      expect(await catalog().findSkill('acme/both')).toEqual({ state: 'renamed', presentId: 'acme/z-lives' })

      await set('hidden')
      expect(await statesOf()).toEqual(['unknown', 'unknown', 'renamed'])

      await set('published')
      expect(await catalog().findSkill('acme/old')).toEqual({ state: 'renamed', presentId: 'acme/new' })
    })

    test('many ids are found at once, each in its place, in any state', async () => {
      await catalog().put('skills', [
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

      const found = await catalog().findSkills(asked)

      expect(found.map(parseFound)).toEqual([
        { state: 'published', skill: expect.objectContaining({ id: 'acme/two' }) },
        { state: 'removed', removedAt: '2026-01-05T10:00:00.000Z' },
        { state: 'renamed', presentId: 'acme/a-new' },
        { state: 'unknown' },
        { state: 'published', skill: expect.objectContaining({ id: 'acme/one' }) },
        { state: 'unknown' },
        { state: 'unknown' },
        { state: 'published', skill: expect.objectContaining({ id: 'acme/two' }) },
      ])
      expect(Object.keys(found[0]?.state === 'published' ? skillOf(found[0]) : {})).toEqual(
        Object.keys(SkillSchema.shape),
      )
      expect(await Promise.all(asked.map((id) => catalog().findSkill(id)))).toEqual(found)
      expect(await catalog().findSkills([])).toEqual([])
    })

    test('the skills of a repository are listed, the most starred first', async () => {
      const named = (skill: string, more: object = {}) => aSkill({ owner: 'Acme', repo: 'Kit', skill, ...more })
      await catalog().put('skills', [
        aSkill({ owner: 'acme', repo: 'kit', stars: 9 }),
        named('b', { stars: 1 }),
        named('a', { stars: 1 }),
        named('c', { stars: 2 }),
        named('d'),
        named('secret', { state: 'hidden' }),
        named('gone', { state: 'removed', removedAt: '2026-01-05T10:00:00.000Z' }),
        aSkill({ owner: 'acme', repo: 'kit-2', skill: 'a' }),
        aSkill({ owner: 'acme', repo: 'ki', skill: 'a' }),
      ])

      const { own, records, total, present } = await catalog().readRepository('acme/kit')

      const ids = records.map((record) => skillOf({ record }).id)
      expect(ids).toEqual(['acme/kit@c', 'acme/kit@a', 'acme/kit@b', 'acme/kit@d'])
      expect([total, present]).toEqual([4, null])
      expect(own).toMatchObject({ state: 'published', record: expect.stringContaining('"id":"acme/kit"') })
      expect(skillOf({ record: records[0] ?? '' })).toMatchObject({ owner: 'Acme', repo: 'Kit', skill: 'c', stars: 2 })
      expect(await catalog().findSkill('acme/kit@a')).toMatchObject({ state: 'published' })
      expect(await catalog().readRepository('acme/none')).toEqual({
        own: { state: 'unknown' },
        records: [],
        total: 0,
        present: null,
      })
      expect(await catalog().idsOfRepository('acme/kit')).toEqual(
        ['acme/kit', ...['a', 'b', 'c', 'd', 'gone', 'secret'].map((skill) => `acme/kit@${skill}`)].sort(),
      )
      expect(await catalog().idsOfRepository('acme/none')).toEqual([])
    })

    test('the heirs of an id are skills in any state, also where a lookup of the id leads to none', async () => {
      const states = ['published', 'hidden', 'removed'] as const
      const heirOf = (state: (typeof states)[number]) =>
        aSkill({ owner: 'acme', repo: 'heir', skill: state, state, formerIds: [`Acme/old@${state}`] })
      await catalog().put('skills', states.map(heirOf))
      const ids = ['acme/old@hidden', 'acme/old@removed', 'acme/old@published']

      const heirs = await catalog().findHeirs([...ids, 'acme/none'])
      expect(heirs.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(
        states.toSorted().map((state) => ({ formerId: `acme/old@${state}`, id: `acme/heir@${state}` })),
      )
      expect(await catalog().findHeirs([])).toEqual([])
      expect((await catalog().findSkills(ids)).map(({ state }) => state)).toEqual(['unknown', 'removed', 'renamed'])
    })

    test('a repository whose skills were renamed is known by the one that they are in now', async () => {
      const named = (repo: string, skill: string, more: object = {}) => aSkill({ owner: 'Acme', repo, skill, ...more })
      await catalog().put('skills', [
        named('Tools', 'a', { formerIds: ['acme/zip@b', 'acme/kit@a', 'acme/aaa'] }),
        named('tools', 'b', { formerIds: ['acme/kit@b'] }),
        named('secret', 'a', { formerIds: ['acme/before@a'], state: 'hidden' }),
        // Each of its former ids is on another side of those of acme/mid.
        named('around', 'a', { formerIds: ['acme/mi@z', 'acme/mid-2@a'] }),
      ])

      expect(await catalog().readRepository('acme/kit')).toMatchObject({ records: [], present: 'acme/tools' })
      for (const other of ['acme/ki', 'acme/kit-2', 'acme/tools', 'acme/before', 'acme/aaa', 'acme/mid']) {
        expect([other, (await catalog().readRepository(other)).present]).toEqual([other, null])
      }
    })

    test('of a repository with more than a thousand skills a thousand are listed, and all are counted', async () => {
      const skills = Array.from({ length: 1_003 }, (_, n) =>
        aSkill({ owner: 'acme', repo: 'many', skill: `s-${String(n).padStart(4, '0')}` }),
      )
      await catalog().put('skills', skills)

      const { records, total } = await catalog().readRepository('acme/many')

      expect(records.map((record) => skillOf({ record }).id)).toEqual(skills.slice(0, 1_000).map(({ id }) => id))
      expect(total).toBe(1_003)
      const some = await catalog().readRepository('acme/many', 2)
      expect(some).toMatchObject({ records: records.slice(0, 2), total: 1_003 })
    })

    test('a thousand ids are found at once', async () => {
      const skills = Array.from({ length: 20 }, () => aSkill())
      await catalog().put('skills', skills)

      const found = await catalog().findSkills([
        ...Array.from({ length: 980 }, (_, n) => `acme/unknown-${n}`),
        ...skills.map(({ id }) => id),
      ])

      expect(found.slice(0, 980).every(({ state }) => state === 'unknown')).toBe(true)
      expect(found.slice(980).map((each) => (each.state === 'published' ? skillOf(each).id : null))).toEqual(
        skills.map(({ id }) => id),
      )
    })

    test('near matches are of the same owner, of the same name elsewhere, or begin alike', async () => {
      await catalog().put('skills', [
        aSkill({ owner: 'acme', repo: 'markdown-to-pdf' }),
        aSkill({ owner: 'acme', repo: 'unrelated' }),
        aSkill({ owner: 'elsewhere', repo: 'markdown-to-pdf' }),
      ])

      expect(await catalog().nearMatches('acme/markdwn-to-pdf', 3)).toContain('acme/markdown-to-pdf')
      expect(await catalog().nearMatches('acne/markdown-to-pdf', 3)).toEqual(
        expect.arrayContaining(['acme/markdown-to-pdf', 'elsewhere/markdown-to-pdf']),
      )
      expect(await catalog().nearMatches('zzz/qqq', 3)).toEqual([])
      expect(await catalog().nearMatches('acme/markdown-to-pdf', 1)).toHaveLength(1)
    })

    test('near matches are found among many of an owner and of a repository, those that continue the id first', async () => {
      await catalog().put('skills', [
        ...['a-kit', 'kit'].flatMap((repo) =>
          Array.from({ length: 290 }, (_, number) => aSkill({ owner: 'acme', repo, skill: `s-${number}` })),
        ),
        ...['notes', 'pdf-lifter'].map((skill) => aSkill({ owner: 'acme', repo: 'kit', skill })),
        aSkill({ owner: 'elsewhere', repo: 'kit', skill: 'pdf-lifter' }),
      ])

      expect(await catalog().nearMatches('acme/kit@pdf-liftr', 1)).toEqual(['acme/kit@pdf-lifter'])
      expect(await catalog().nearMatches('acme/kit@pdf', 1)).toEqual(['acme/kit@pdf-lifter'])
      expect(await catalog().nearMatches('acme/kitt@pdf-lifter', 1)).toEqual(['acme/kit@pdf-lifter'])
      expect(await catalog().nearMatches('elsewere/kit@pdf-lifter', 1)).toEqual(['elsewhere/kit@pdf-lifter'])
      const ofRepository = await catalog().nearMatches('elsewhere/kit', 3)
      expect(ofRepository[0]).toBe('elsewhere/kit@pdf-lifter')
    })
  })
}
