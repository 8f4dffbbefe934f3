import { describe, expect, test } from '@jest/globals'
import type { RecordState } from '../../../shared/records/fields.js'
import { anOrganization, aPrompt, aSkill } from '../../support/factories.js'
import type { CatalogUnderTest } from './catalog-under-test.js'

/** The contract of every RecordWriter. */
export function recordWriter({ catalog, list }: CatalogUnderTest): void {
  describe('record writer', () => {
    test('a record is added, then changed, then unchanged', async () => {
      const skill = aSkill({ description: 'first' })

      expect(await catalog().put('skills', [skill])).toEqual({ added: 1, changed: 0, unchanged: 0 })
      expect(await catalog().put('skills', [{ ...skill, description: 'second' }])).toEqual({
        added: 0,
        changed: 1,
        unchanged: 0,
      })
      expect(await catalog().put('skills', [{ ...skill, description: 'second' }])).toEqual({
        added: 0,
        changed: 0,
        unchanged: 1,
      })
    })

    test('the last of two records with one id wins', async () => {
      const skill = aSkill({ name: 'first' })

      await catalog().put('skills', [skill, { ...skill, name: 'second' }])

      expect((await list()).skills.map((each) => each.name)).toEqual(['second'])
    })

    test('a removed record leaves every list and total, and is listed again when it is put again', async () => {
      const skill = aSkill({ topics: ['pdf'], stars: 3 })
      await catalog().put('skills', [skill, aSkill({ topics: ['pdf'], stars: 4 })])

      expect(await catalog().remove('skills', [skill.id, skill.id, 'nobody/nothing'])).toBe(1)
      expect(await catalog().remove('skills', [skill.id])).toBe(0)

      expect((await list({ filters: { topics: ['pdf'] } })).total).toBe(1)
      expect((await catalog().computeStats()).totals).toMatchObject({ skills: 1, stars: 4 })
      expect(await catalog().listIds('skills', null, 10)).not.toContain(skill.id)

      await catalog().put('skills', [skill])
      expect((await list({ filters: { topics: ['pdf'] } })).total).toBe(2)
    })

    test('a hidden record stays hidden when it is removed with those that a source lacks', async () => {
      const skill = aSkill({ state: 'hidden' })
      await catalog().put('skills', [skill])

      expect(await catalog().remove('skills', [skill.id])).toBe(0)

      const [found] = await catalog().findStored('skills', [skill.id])
      expect(found?.stored).toMatchObject({ state: 'hidden', removedAt: null })
    })

    test('a state is changed alone, and a record is published again with all that it had', async () => {
      const skill = aSkill({
        description: 'all of it',
        topics: ['pdf'],
        stars: 3,
        formerIds: ['acme/was'],
        note: 'kept',
      })
      await catalog().put('skills', [skill, aSkill()])
      await catalog().put('prompts', [aPrompt({ id: 'poem', title: 'Poem' })])
      await catalog().put('organizations', [anOrganization({ login: 'acme', name: 'Acme' })])
      const set = (state: RecordState, removedAt: string | null = null) =>
        catalog().setStates('skills', [
          { id: skill.id, state, removedAt },
          { id: 'nobody/nothing', state, removedAt },
        ])
      const stored = async () => (await catalog().findStored('skills', [skill.id]))[0]?.stored

      expect(await set('hidden')).toEqual({ changed: [skill.id], unknown: ['nobody/nothing'] })
      expect(await set('hidden')).toEqual({ changed: [], unknown: ['nobody/nothing'] })
      expect((await list()).total).toBe(1)
      expect(await catalog().findSkill(skill.id)).toEqual({ state: 'unknown' })
      expect(await catalog().nearMatches(skill.id.slice(0, -1), 3)).not.toContain(skill.id)
      await set('removed', '2026-01-05T10:00:00.000Z')
      expect(await catalog().findSkill(skill.id)).toEqual({ state: 'removed', removedAt: '2026-01-05T10:00:00.000Z' })
      expect(await set('removed')).toMatchObject({ changed: [] })
      await set('published')

      expect(await stored()).toMatchObject({
        ...skill,
        indexedAt: expect.any(String),
        state: 'published',
        removedAt: null,
      })
      expect((await list({ filters: { topics: ['pdf'] } })).total).toBe(1)
      expect(await catalog().findSkill('acme/was')).toEqual({ state: 'renamed', presentId: skill.id })
      const hide = (id: string) => [{ id, state: 'hidden' as const, removedAt: null }]
      expect((await catalog().setStates('prompts', hide('poem'))).changed).toEqual(['poem'])
      expect((await catalog().setStates('organizations', hide('acme'))).changed).toEqual(['acme'])
      expect((await catalog().exportRows('prompts', 10)).total).toBe(0)
      expect(await catalog().findStored('prompts', ['poem'])).toMatchObject([{ stored: { title: 'Poem' } }])
    })

    test('records whose source has no state stay hidden if they are hidden when written', async () => {
      const [hidden, shown, revived] = [aSkill(), aSkill(), aSkill()]
      await catalog().put('skills', [{ ...hidden, state: 'hidden' }, { ...revived, state: 'hidden' }, shown])
      await catalog().put('prompts', [aPrompt({ id: 'secret', state: 'hidden' })])
      const records = [hidden, shown, revived].map((record) => ({ ...record, stars: 7 }))
      const keepHidden = new Set([hidden.id, shown.id])

      expect(await catalog().put('skills', records, { keepHidden })).toMatchObject({ changed: 3 })
      expect(await catalog().put('skills', records, { keepHidden })).toMatchObject({ unchanged: 3 })
      expect(
        await catalog().put('prompts', [aPrompt({ id: 'secret', title: 'new' })], { keepHidden: new Set(['secret']) }),
      ).toMatchObject({ changed: 1 })

      expect((await list()).skills.map(({ id }) => id).sort()).toEqual([shown.id, revived.id].sort())
      expect(await catalog().findStored('skills', [hidden.id])).toMatchObject([
        { stored: { state: 'hidden', stars: 7 } },
      ])
      expect((await catalog().exportRows('prompts', 10)).total).toBe(0)
    })

    test('with changes held, records are added, and those that differ stay and are named', async () => {
      const [known, same, fresh] = [aSkill(), aSkill(), aSkill()]
      await catalog().put('skills', [known, same])
      await catalog().put('prompts', [aPrompt({ id: 'known' })])

      const options = { keepHidden: new Set([same.id]), holdChanges: true }
      expect(await catalog().put('skills', [{ ...known, stars: 9 }, same, fresh], options)).toEqual({
        added: 1,
        changed: 0,
        unchanged: 1,
        held: [known.id],
      })
      expect(
        await catalog().put('prompts', [aPrompt({ id: 'known', title: 'new' }), aPrompt()], { holdChanges: true }),
      ).toEqual({ added: 1, changed: 0, unchanged: 0, held: ['known'] })

      expect(await catalog().findStored('skills', [known.id])).toMatchObject([{ stored: { stars: null } }])
    })

    test('records of the public fields only leave the other members of the stored ones', async () => {
      const skill = aSkill({ owner: 'acme', repo: 'kit' })
      const [own, gone] = [{ ...skill, formerIds: ['acme/was'], crawledBy: { name: 'x' } }, aSkill()]
      await catalog().put('skills', [own, { ...gone, state: 'removed', removedAt: '2026-01-01T00:00:00.000Z' }])
      await catalog().put('prompts', [aPrompt({ id: 'poem', likes: 3 })])
      const poem = (title: string) => [aPrompt({ id: 'poem', title })]
      const put = (stars: number, holdChanges = false) =>
        catalog().put('skills', [{ ...skill, stars }, gone], { keepMore: new Set([skill.id, gone.id]), holdChanges })
      const stored = async (type: 'skills' | 'prompts', id: string) =>
        (await catalog().findStored(type, [id]))[0]?.stored

      await catalog().put('skills', [{ ...own, stars: 5 }])
      expect(await put(5, true)).toMatchObject({ unchanged: 1, held: [gone.id] })
      expect(await put(5)).toMatchObject({ changed: 1, unchanged: 1 })
      expect(await put(6)).toMatchObject({ changed: 1, unchanged: 1 })
      expect(await put(6)).toMatchObject({ changed: 0, unchanged: 2 })
      await catalog().put('prompts', poem('New'), { keepMore: new Set(['poem']) })

      expect(await stored('skills', skill.id)).toMatchObject({ stars: 6, crawledBy: { name: 'x' } })
      expect(await stored('skills', gone.id)).toMatchObject({ state: 'published', removedAt: null })
      expect(await catalog().findSkill('acme/was')).toEqual({ state: 'renamed', presentId: skill.id })
      expect(await stored('prompts', 'poem')).toMatchObject({ title: 'New', likes: 3 })

      await catalog().put('skills', [{ ...skill, stars: 6 }])
      expect(await stored('skills', skill.id)).not.toHaveProperty('crawledBy')
    })

    test('prompts and organizations are upserted by their identity', async () => {
      const prompt = aPrompt({ title: 'first' })
      await catalog().put('prompts', [prompt])
      await catalog().put('organizations', [anOrganization({ login: 'acme', name: 'Acme' })])

      expect(await catalog().put('prompts', [{ ...prompt, title: 'second' }, aPrompt()])).toEqual({
        added: 1,
        changed: 1,
        unchanged: 0,
      })
      expect(await catalog().put('organizations', [anOrganization({ login: 'acme', name: 'Acme' })])).toMatchObject({
        unchanged: 1,
      })
      expect(await catalog().listIds('organizations', null, 10)).toEqual(['acme'])
      expect(await catalog().remove('prompts', [prompt.id])).toBe(1)
      expect((await catalog().exportRows('prompts', 10)).total).toBe(1)
    })

    test('stored records are found by id, in any state, and unknown ids are omitted', async () => {
      const skill = aSkill({ owner: 'acme', repo: 'kept' })
      const hidden = aSkill({ owner: 'acme', repo: 'hidden', state: 'hidden' })
      await catalog().put('skills', [skill, hidden])
      await catalog().put('organizations', [anOrganization({ login: 'acme', name: 'Acme' })])

      const found = await catalog().findStored('skills', ['acme/kept', 'acme/hidden', 'acme/unknown'])

      expect(found.map(({ id }) => id).sort()).toEqual(['acme/hidden', 'acme/kept'])
      expect(found.find(({ id }) => id === 'acme/hidden')?.stored).toMatchObject({
        ...hidden,
        indexedAt: expect.anything(),
      })
      expect(await catalog().findStored('organizations', ['acme'])).toEqual([
        { id: 'acme', stored: anOrganization({ login: 'acme', name: 'Acme' }) },
      ])
    })

    test('any text is returned unchanged', async () => {
      const description = `quotes ' " \` \\, 日本語, 🦀, \u3000, "'); DROP TABLE skills; --`
      await catalog().put('skills', [aSkill({ description })])

      expect((await list()).skills[0]?.description).toBe(description)
    })
  })
}
