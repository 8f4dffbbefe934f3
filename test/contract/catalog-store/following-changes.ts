import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../../support/factories.js'
import type { CatalogUnderTest } from './catalog-under-test.js'

/** How the changes of a CatalogStore are followed. */
export function followingChanges({ catalog }: CatalogUnderTest): void {
  describe('following changes', () => {
    test('a watermark is followed by what was written behind it, each id once with its present state', async () => {
      const [one, two] = [aSkill(), aSkill()]
      await catalog().put('skills', [one, two])
      const first = await catalog().changesAfter(null, 10)
      expect(first.changes.map((change) => change.id).sort()).toEqual([one.id, two.id].sort())
      expect(first.more).toBe(false)
      const present = await catalog().presentWatermark()
      expect((await catalog().changesAfter(present, 10)).changes).toEqual([])

      await catalog().put('skills', [{ ...one, name: 'renamed' }])
      await catalog().remove('skills', [one.id])
      const second = await catalog().changesAfter(first.watermark, 10)
      expect(second.changes).toMatchObject([{ id: one.id, stored: { state: 'removed', name: 'renamed' } }])

      expect((await catalog().changesAfter(second.watermark, 10)).changes).toEqual([])
    })

    test('changes come in stretches that lose and repeat nothing', async () => {
      const skills = Array.from({ length: 25 }, () => aSkill())
      await catalog().put('skills', skills)

      const seen: string[] = []
      let watermark: string | null = null
      for (let more = true; more; ) {
        const stretch = await catalog().changesAfter(watermark, 4)
        seen.push(...stretch.changes.map((change) => change.id))
        watermark = stretch.watermark
        more = stretch.more
      }

      expect(seen.sort()).toEqual(skills.map((skill) => skill.id).sort())
    })

    test('what did not change is no change', async () => {
      const skill = aSkill()
      await catalog().put('skills', [skill])
      const { watermark } = await catalog().changesAfter(null, 10)

      await catalog().put('skills', [skill])

      expect((await catalog().changesAfter(watermark, 10)).changes).toEqual([])
    })

    test('a scan yields published skills only, by id', async () => {
      await catalog().put('skills', [
        aSkill({ owner: 'b', repo: 'b' }),
        aSkill({ owner: 'a', repo: 'a' }),
        aSkill({ owner: 'c', repo: 'c', state: 'hidden' }),
        aSkill({ owner: 'd', repo: 'd' }),
      ])

      expect((await catalog().scanSkills(null, 2)).map((each) => each.id)).toEqual(['a/a', 'b/b'])
      expect((await catalog().scanSkills('b/b', 2)).map((each) => each.id)).toEqual(['d/d'])
    })
  })
}
