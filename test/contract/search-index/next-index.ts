import { describe, expect, test } from '@jest/globals'
import { aLock } from '../../support/a-lock.js'
import { aDocument } from '../../support/factories.js'
import type { IndexUnderTest } from './index-under-test.js'

/** The next SearchIndex, which is built next to the live one. */
export function nextIndex({ index, publish, found, suggested }: IndexUnderTest): void {
  describe('building the next index', () => {
    test('the next index is not searched until the swap, and then the old one is gone', async () => {
      await publish({ repo: 'old', name: 'kumquat' })
      await index().createNext(aLock())
      await index().apply({ publish: [aDocument({ repo: 'new', name: 'kumquat' })], remove: [] }, 'next', aLock())

      expect([await found('kumquat'), await suggested('kum')]).toEqual([['old'], ['acme/old']])
      expect((await index().list(null, 10, 'next')).map((each) => each.id)).toEqual(['acme/new'])

      await index().swap(aLock())
      expect([await found('kumquat'), await suggested('kum')]).toEqual([['new'], ['acme/new']])
      await expect(index().list(null, 10, 'next')).rejects.toMatchObject({ status: 503 })
      expect(await index().status()).toEqual({ documents: 1, settings: expect.stringMatching(/^[0-9a-f]{64}$/) })
    })

    test('a next index that was left behind begins empty again', async () => {
      await index().createNext(aLock())
      await index().apply({ publish: [aDocument()], remove: [] }, 'next', aLock())

      await index().createNext(aLock())

      expect(await index().list(null, 10, 'next')).toEqual([])
    })
  })
}
