import { describe, expect, test } from '@jest/globals'
import { aDocument } from '../../support/factories.js'
import type { IndexUnderTest } from './index-under-test.js'

/** How the next SearchIndex is built beside the live one. */
export function buildingBeside({ index, publish, found }: IndexUnderTest): void {
  describe('building beside', () => {
    test('the next index is not searched until it is swapped in, and then the old one is gone', async () => {
      await publish({ repo: 'old', name: 'kumquat' })
      await index().createNext()
      await index().apply({ publish: [aDocument({ repo: 'new', name: 'kumquat' })], remove: [] }, 'next')

      expect(await found('kumquat')).toEqual(['old'])
      expect((await index().list(null, 10, 'next')).map((each) => each.id)).toEqual(['acme/new'])

      await index().swap()
      expect(await found('kumquat')).toEqual(['new'])
      await expect(index().list(null, 10, 'next')).rejects.toMatchObject({ status: 503 })
    })

    test('a next index that was left behind begins empty again', async () => {
      await index().createNext()
      await index().apply({ publish: [aDocument()], remove: [] }, 'next')

      await index().createNext()

      expect(await index().list(null, 10, 'next')).toEqual([])
    })

    test('status tells how many documents are live and with which settings they were built', async () => {
      await publish({}, {})

      expect(await index().status()).toEqual({ documents: 2, settings: expect.stringMatching(/^[0-9a-f]{64}$/) })
    })
  })
}
