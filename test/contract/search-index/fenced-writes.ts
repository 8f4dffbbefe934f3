import { describe, expect, test } from '@jest/globals'
import { lockLost } from '../../../shared/runtime/errors.js'
import { aLock } from '../../support/a-lock.js'
import { aDocument } from '../../support/factories.js'
import type { IndexUnderTest } from './index-under-test.js'

const held = aLock()
const lost = aLock({
  check: () => {
    throw lockLost('sync-index')
  },
})

/** How a SearchIndex is written under a lock. */
export function fencedWrites({ index, publish, found }: IndexUnderTest): void {
  describe('fenced writes', () => {
    test('a holder that has lost it does not', async () => {
      await publish({ repo: 'old', name: 'kumquat' })
      const changes = { publish: [aDocument({ repo: 'new', name: 'kumquat' })], remove: ['acme/old'] }

      await expect(index().apply(changes, 'live', lost)).rejects.toMatchObject({ code: 'lock_lost' })
      await expect(index().createNext(lost)).rejects.toMatchObject({ code: 'lock_lost' })
      await expect(index().list(null, 1, 'next')).rejects.toMatchObject({ status: 503 })
      await index().createNext(held)
      await expect(index().apply(changes, 'next', lost)).rejects.toMatchObject({ code: 'lock_lost' })
      await expect(index().swap(lost)).rejects.toMatchObject({ code: 'lock_lost' })

      expect(await found('kumquat')).toEqual(['old'])
      expect(await index().list(null, 1, 'next')).toEqual([])
    })
  })
}
