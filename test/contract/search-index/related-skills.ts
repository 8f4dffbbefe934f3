import { describe, expect, test } from '@jest/globals'
import { skillOf } from '../../../shared/records/skill.js'
import { aVector } from '../../support/test-model.js'
import type { IndexUnderTest } from './index-under-test.js'

const text = 'Reads invoices from many suppliers and books them at once.'

/** The related skills of a SearchIndex. */
export function relatedSkills({ index, publish, publishVectors }: IndexUnderTest): void {
  describe('related skills', () => {
    const related = async (id: string, limit = 10) =>
      (await index().related(id, limit)).map((each) => [skillOf(each).repo, each.similarity])

    test('are the nearest ones without the skill itself, the nearest first', async () => {
      await publishVectors(
        [{ repo: 'a' }, aVector(1)],
        [{ repo: 'second' }, aVector(0.6, 0.8)],
        [{ repo: 'first' }, aVector(0.8, 0, 0.6)],
        [{ repo: 'far' }, aVector(0, 1)],
        [{ repo: 'no-vector' }, null],
      )

      expect(await related('acme/a')).toEqual([
        ['first', expect.closeTo(0.8, 2)],
        ['second', expect.closeTo(0.6, 2)],
      ])
      expect(await related('acme/a', 1)).toEqual([['first', expect.closeTo(0.8, 2)]])
    })

    test('have different texts, also from that of the skill itself', async () => {
      await publishVectors(
        [{ repo: 'a', description: text }, aVector(1)],
        [{ repo: 'copy', description: text }, aVector(1)],
        [{ repo: 'second', description: `${text} Twice.` }, aVector(1, 0.1)],
        [{ repo: 'copy-of-second', description: `${text} Twice.` }, aVector(1, 0.2)],
        [{ repo: 'third', description: 'bookkeeping' }, aVector(1, 1)],
      )

      expect((await related('acme/a', 2)).map(([repo]) => repo)).toEqual(['second', 'third'])
    })

    test('a skill without a vector, and an unknown one, has none', async () => {
      await publish({ repo: 'a' })
      await publishVectors([{ repo: 'b' }, aVector(1)])

      expect(await related('acme/a')).toEqual([])
      expect(await related('nobody/nothing')).toEqual([])
      expect(await related(`${'x'.repeat(100)}/${'y'.repeat(500)}`)).toEqual([])
    })
  })
}
