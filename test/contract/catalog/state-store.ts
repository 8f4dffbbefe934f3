import { describe, expect, test } from '@jest/globals'
import { aFence } from '../../support/a-fence.js'
import type { CatalogUnderTest } from './catalog-under-test.js'

/** The contract of every StateStore. */
export function stateStore({ catalog }: CatalogUnderTest): void {
  describe('state store', () => {
    test.each([
      ['without a lock', undefined],
      ['under a lock', aFence()],
    ])('a document is kept under its key until it is deleted, %s', async (_way, fence) => {
      expect(await catalog().readState('position')).toBeNull()

      await catalog().writeState('position', { at: 7, $set: '.' }, fence)
      expect(await catalog().readState('position')).toEqual({ at: 7, $set: '.' })

      await catalog().writeState('position', null, fence)
      expect(await catalog().readState('position')).toBeNull()
    })
  })
}
