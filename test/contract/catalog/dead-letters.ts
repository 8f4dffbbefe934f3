import { describe, expect, test } from '@jest/globals'
import type { DeadLetter } from '../../../shared/ports/document-ingest.js'
import { aLock } from '../../support/a-lock.js'
import type { CatalogUnderTest } from './catalog-under-test.js'

/** The contract of every DeadLetters. */
export function deadLetters({ catalog }: CatalogUnderTest): void {
  describe('dead letters', () => {
    const letter = (id: string, overrides: Partial<DeadLetter> = {}): DeadLetter => ({
      id,
      reason: 'refused',
      since: '2026-01-01T00:00:00.000Z',
      source: 'index',
      ...overrides,
    })

    test('are kept, replaced but for their time, and dropped by id', async () => {
      await catalog().keepDeadLetters([letter('a/a'), letter('b/b')], aLock())
      await catalog().keepDeadLetters([letter('a/a', { reason: 'second', since: '2026-02-01T00:00:00.000Z' })], aLock())
      await catalog().keepDeadLetters([], aLock())
      await catalog().dropDeadLetters(['b/b', 'c/c'], 'index', aLock())
      await catalog().dropDeadLetters([], 'index', aLock())

      expect(await catalog().listDeadLetters(null, 10)).toEqual([letter('a/a', { reason: 'second' })])
      expect(await catalog().listDeadLetters('a/a', 10)).toEqual([])
    })

    test('are dropped only for their source', async () => {
      await catalog().keepDeadLetters([letter('a/a', { source: 'document' }), letter('b/b')], aLock())

      await catalog().dropDeadLetters(['a/a', 'b/b'], 'index', aLock())
      expect(await catalog().listDeadLetters(null, 10)).toEqual([letter('a/a', { source: 'document' })])

      await catalog().dropDeadLetters(['a/a'], 'document', aLock())
      expect(await catalog().listDeadLetters(null, 10)).toEqual([])
    })

    test('are listed by id, page by page', async () => {
      await catalog().keepDeadLetters(
        ['c/c', 'a/a', 'b/b'].map((id) => letter(id)),
        aLock(),
      )

      expect((await catalog().listDeadLetters(null, 2)).map(({ id }) => id)).toEqual(['a/a', 'b/b'])
      expect((await catalog().listDeadLetters('b/b', 2)).map(({ id }) => id)).toEqual(['c/c'])
    })
  })
}
