import { describe, expect, test } from '@jest/globals'
import type { CatalogUnderTest } from './catalog-under-test.js'

/** The contract of every Locks. */
export function locks({ catalog }: CatalogUnderTest): void {
  describe('locks', () => {
    test('a lock is held once, and free again after its release', async () => {
      const held = await catalog().lock('rebuild')
      expect(held).toMatchObject({ name: 'rebuild', takenOver: false, lost: { aborted: false } })
      expect(await catalog().lock('rebuild')).toBeNull()

      const other = await catalog().lock('sync')
      expect(other).not.toBeNull()
      await other?.release()

      await held?.release()
      const again = await catalog().lock('rebuild')
      expect(again).toMatchObject({ takenOver: false })
      await again?.release()
    })

    test('a later holder of a lock has no lower epoch', async () => {
      const first = await catalog().lock('rebuild')
      first?.check()
      await first?.release()
      const second = await catalog().lock('rebuild')
      second?.check()

      expect(Number(second?.epoch)).toBeGreaterThanOrEqual(Number(first?.epoch))
      await second?.release()
    })
  })
}
