import { describe, expect, test } from '@jest/globals'
import type { CatalogUnderTest } from './catalog-under-test.js'

/** What a CatalogStore keeps for jobs: state, dead letters and locks. */
export function whatJobsKeep({ catalog }: CatalogUnderTest): void {
  describe('what jobs keep', () => {
    test('state is kept under its name until it is forgotten', async () => {
      expect(await catalog().readState('watermark')).toBeNull()

      await catalog().writeState('watermark', { at: 7 })
      expect(await catalog().readState('watermark')).toEqual({ at: 7 })

      await catalog().writeState('watermark', null)
      expect(await catalog().readState('watermark')).toBeNull()
    })

    test('dead letters are kept by id and dropped by id', async () => {
      const since = '2026-01-01T00:00:00.000Z'
      await catalog().keepDeadLetters([
        { id: 'a/a', reason: 'first', since },
        { id: 'b/b', reason: 'other', since },
      ])
      await catalog().keepDeadLetters([{ id: 'a/a', reason: 'second', since }])
      await catalog().dropDeadLetters(['b/b', 'c/c'])

      expect(await catalog().listDeadLetters(null, 10)).toEqual([{ id: 'a/a', reason: 'second', since }])
      expect(await catalog().listDeadLetters('a/a', 10)).toEqual([])
    })

    test('a lock is held once, and free again after its release', async () => {
      const held = await catalog().lock('rebuild')
      expect(held?.lost.aborted).toBe(false)
      expect(await catalog().lock('rebuild')).toBeNull()

      const other = await catalog().lock('sync')
      expect(other).not.toBeNull()
      await other?.release()

      await held?.release()
      const again = await catalog().lock('rebuild')
      expect(again).not.toBeNull()
      await again?.release()
    })

    test('who holds a lock may go on, who held it before may not', async () => {
      const first = await catalog().lock('rebuild')
      await first?.check()
      await first?.release()
      const second = await catalog().lock('rebuild')

      await expect(first?.check()).rejects.toMatchObject({ status: 409, code: 'lock_lost' })
      await second?.check()
      await second?.release()
    })
  })
}
