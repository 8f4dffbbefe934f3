import { describe, expect, test } from '@jest/globals'
import type { Vector } from '../../../shared/ports/embedder.js'
import type { StoredSkill } from '../../../shared/records/skill.js'
import { aLock } from '../../support/a-lock.js'
import { aSkill, documentOf } from '../../support/factories.js'
import { aVector } from '../../support/test-model.js'
import type { IndexUnderTest } from './index-under-test.js'

/** The vectors that a SearchIndex stores. */
export function storedVectors({ index, apply }: IndexUnderTest): void {
  describe('known vectors', () => {
    /** As it is to be published. */
    const of = (skill: StoredSkill, text: string | null = null) => ({ skill, text })
    const aText = (repo: string) => aSkill({ repo, description: repo })
    const document = (skill: StoredSkill, vector: Vector | null) => ({ ...documentOf(skill), vector })

    test('are those of the same texts, in either index', async () => {
      const live = aText('live')
      const next = aText('next')
      const both = aText('both')
      const changed = aText('changed')
      const without = aText('without')
      const unknown = aSkill({ repo: 'x'.repeat(600) })
      await apply({
        publish: [...[live, both, changed].map((skill) => document(skill, aVector(1))), document(without, null)],
        remove: [],
      })
      await index().createNext(aLock())
      await index().apply(
        { publish: [document(next, aVector(0, 1)), document(both, aVector(0.6, 0.8))], remove: [] },
        'next',
        aLock(),
      )

      const known = await index().knownVectors([
        ...[live, next, both, without, unknown].map((skill) => of(skill)),
        of({ ...changed, description: 'another text' }),
      ])

      expect([...known.keys()].sort()).toEqual([both.id, live.id, next.id])
      expect(known.get(next.id)).toEqual(aVector(0, 1))
      expect(Array.from(known.get(both.id) ?? []).slice(0, 2)).toEqual([expect.closeTo(0.6, 2), expect.closeTo(0.8, 2)])
    })

    test('a text that has changed in other fields only keeps its vector', async () => {
      const skill = aSkill({ repo: 'a', description: 'text', stars: 1 })
      await apply({ publish: [document(skill, aVector(1))], remove: [] })

      expect((await index().knownVectors([of({ ...skill, stars: 2 })])).size).toBe(1)
      await apply({ publish: [document(skill, null)], remove: [] })
      expect((await index().knownVectors([of(skill)])).size).toBe(0)
    })

    test('a SKILL.md that begins in another way has another one', async () => {
      const skill = aSkill({ repo: 'a' })
      await apply({ publish: [{ ...document(skill, aVector(1)), text: 'Reads invoices' }], remove: [] })

      expect((await index().knownVectors([of(skill, 'Reads invoices')])).size).toBe(1)
      for (const text of [null, 'Writes invoices']) {
        expect((await index().knownVectors([of(skill, text)])).size).toBe(0)
      }
    })
  })
}
