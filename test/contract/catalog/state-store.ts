import { describe, expect, test } from '@jest/globals'
import { aLock } from '../../support/a-lock.js'
import type { CatalogUnderTest } from './catalog-under-test.js'

/** The contract of every StateStore. */
export function stateStore({ catalog }: CatalogUnderTest): void {
  describe('state store', () => {
    test.each([
      ['without a lock', undefined],
      ['under a lock', aLock()],
    ])('a document is kept under its key until it is deleted, %s', async (_way, lock) => {
      expect(await catalog().readState('position')).toBeNull()

      await catalog().writeState('position', { at: 7, $set: '.' }, lock)
      expect(await catalog().readState('position')).toEqual({ at: 7, $set: '.' })

      await catalog().writeState('position', null, lock)
      expect(await catalog().readState('position')).toBeNull()
    })
  })
}
