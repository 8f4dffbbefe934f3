import { describe, expect, test } from '@jest/globals'
import { skillOf } from '../../../shared/records/skill.js'
import { aVector } from '../../support/test-model.js'
import type { IndexUnderTest } from './index-under-test.js'

/** A text that is long enough to describe a task, of these words and others that say nothing. */
const taskOf = (words: string): string => `${words} ${'please help me to do this with what I have '.repeat(5)}`

/** What a SearchIndex finds for a text that describes a task. */
export function tasks({ publish, publishVectors, search, found }: IndexUnderTest): void {
  describe('a task', () => {
    test('is answered by the skill with most of its words, although another one has the rarest', async () => {
      await publish(
        { repo: 'wanted', description: 'Peels ripe kumquats by steam' },
        { repo: 'rarest', description: 'Photographs a quokka', stars: 9 },
        ...['peels', 'ripe', 'kumquats', 'steam'].flatMap((word) =>
          [1, 2, 3].map((n) => ({ repo: `${word}-${n}`, description: `Draws ${word}`, stars: n })),
        ),
      )

      const repos = await found(taskOf('Our quokka is ripe: kumquats, peels, steam.'))

      expect(repos[0]).toBe('wanted')
      expect(repos).toContain('rarest')
    })

    test('in another order, finds none where no skill has one of its words', async () => {
      await publish({ repo: 'one', description: 'Peels ripe kumquats by steam' }, { repo: 'two', stars: 9 })
      const words = Array.from({ length: 30 }, (_, n) => `qzxv${n}wkj`).join(' ')

      expect(await found(words)).toEqual([])
      expect(await found(words, { sort: 'stars', order: 'desc' })).toEqual([])
    })

    test('counts the meaning of each skill that has its words, also of those that are not among the nearest', async () => {
      const nearer = Array.from({ length: 70 }, (_, n) => ({ repo: `near-${n}`, description: `Draws picture ${n}` }))
      await publishVectors(
        [{ repo: 'far', description: 'Peels kumquats', stars: 9 }, aVector(0, 1)],
        [{ repo: 'nearer', description: 'Peels kumquats', stars: 1 }, aVector(1, 1)],
        ...nearer.map((skill, n): [typeof skill, ReturnType<typeof aVector>] => [skill, aVector(1, 0, n / 1_000)]),
      )

      const meaning = { vector: aVector(1), alone: false }
      const { hits } = await search(taskOf('We peel kumquats.'), { meaning, explain: true, limit: 100 })

      const ofWords = hits.filter((hit) => hit.explanation?.placement !== 'meaning')
      expect(ofWords.map((hit) => skillOf(hit).repo)).toEqual(['nearer', 'far'])
      expect(ofWords[0]?.explanation?.similarity).toBeCloseTo(Math.SQRT1_2, 1)
    })
  })
}
