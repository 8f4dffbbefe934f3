import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type ChangeDraft, type ChangeLog, sequenceStep } from '../../shared/ports/change-log.js'

/**
 * What every ChangeLog keeps, whatever is underneath.
 *
 * @param open opens an empty log
 */
export function changeLogContract(
  name: string,
  open: () => Promise<{ changes: ChangeLog; close: () => Promise<void> }>,
): void {
  describe(`change log: ${name}`, () => {
    let log: ChangeLog
    let close: () => Promise<void>
    beforeEach(async () => {
      const opened = await open()
      log = opened.changes
      close = opened.close
    })
    afterEach(() => close())

    const published = (id: string, contentHash = 'one'): ChangeDraft => ({ id, contentHash })
    const removed = (id: string): ChangeDraft => ({ id, contentHash: null })

    /** Appends onto the head as it is. */
    const append = async (changes: ChangeDraft[], at = '2026-01-01T00:00:00.000Z', watermark: string | null = null) =>
      log.append({ onto: (await log.position()).head, changes, watermark, complete: false, at: new Date(at) })

    const ids = async (sequence = 0, limit = 100) => (await log.after(sequence, limit)).changes.map(({ id }) => id)

    test('a new log is empty, at 0', async () => {
      expect(await log.position()).toEqual({ head: 0, watermark: null, complete: false })
      expect(await log.after(0, 10)).toEqual({ changes: [], head: 0, horizon: 0, complete: false })
      expect(await log.listPublished(null, 10)).toEqual([])
    })

    test('changes are told in the order in which they were logged, whatever their ids', async () => {
      await append([published('acme/b'), published('acme/a')])
      const head = await append([removed('acme/c'), published('acme/0')], '2026-01-01T00:00:01.000Z')

      const { changes, ...log_ } = await log.after(0, 10)

      expect(changes.map(({ id, contentHash, changedAt }) => [id, contentHash, changedAt])).toEqual([
        ['acme/b', 'one', '2026-01-01T00:00:00.000Z'],
        ['acme/a', 'one', '2026-01-01T00:00:00.000Z'],
        ['acme/c', null, '2026-01-01T00:00:01.000Z'],
        ['acme/0', 'one', '2026-01-01T00:00:01.000Z'],
      ])
      expect(changes.at(-1)?.sequence).toBe(head)
      expect(log_).toMatchObject({ head })
    })

    test('sequences are whole multiples of their step, only grow, and begin at the time of writing', async () => {
      await append([published('acme/a'), published('acme/b')], '2026-01-01T00:00:00.000Z')
      // A clock that was set back.
      await append([published('acme/c')], '2025-01-01T00:00:00.000Z')
      await append([published('acme/d')], '2026-01-02T00:00:00.000Z')

      const { changes, horizon } = await log.after(0, 10)
      const sequences = changes.map(({ sequence }) => sequence)

      const began = Date.parse('2026-01-01T00:00:00.000Z') * sequenceStep
      expect(sequences).toEqual([
        began,
        began + sequenceStep,
        began + 2 * sequenceStep,
        Date.parse('2026-01-02T00:00:00.000Z') * sequenceStep,
      ])
      // Another log of this catalog, since lost, may have told other things under lower ones.
      expect(horizon).toBe(began - sequenceStep)
    })

    test('an id has one entry, its latest', async () => {
      const first = await append([published('acme/a', 'one'), published('acme/b')])
      const second = await append([published('acme/a', 'two')])
      await append([removed('acme/b')])

      expect(await ids()).toEqual(['acme/a', 'acme/b'])
      expect(await ids(first)).toEqual(['acme/a', 'acme/b'])
      expect(await ids(second)).toEqual(['acme/b'])
      expect((await log.after(0, 10)).changes).toMatchObject([{ contentHash: 'two' }, { contentHash: null }])
    })

    test('walking it page by page yields each entry once, also while others are appended', async () => {
      await append(Array.from({ length: 25 }, (_, place) => published(`acme/s${place}`)))
      const seen: string[] = []
      let sequence = 0
      for (let page = 0; page < 10; page += 1) {
        const { changes } = await log.after(sequence, 10)
        seen.push(...changes.map(({ id }) => id))
        sequence = changes.at(-1)?.sequence ?? sequence
        if (page === 0) {
          // Seen already, so that it comes again; not seen yet, so that it comes once; new.
          await append([published('acme/s3', 'two'), published('acme/s20', 'two'), published('acme/new')])
        }
      }

      expect(seen.filter((id) => id === 'acme/s3')).toHaveLength(2)
      expect(seen.filter((id) => id === 'acme/s20')).toHaveLength(1)
      expect(new Set(seen).size).toBe(26)
      expect(seen).toHaveLength(27)
    })

    test('the watermark is kept with the batch, and without changes as well', async () => {
      const head = await append([published('acme/a')], undefined, 'first')
      expect(await log.position()).toEqual({ head, watermark: 'first', complete: false })

      expect(await append([], undefined, 'second')).toBe(head)
      expect(await log.position()).toEqual({ head, watermark: 'second', complete: false })
      expect(await ids()).toEqual(['acme/a'])
    })

    test('a watermark can be kept before anything was logged', async () => {
      await append([], undefined, 'nothing yet')
      expect(await log.position()).toEqual({ head: 0, watermark: 'nothing yet', complete: false })

      await append([published('acme/a')])
      expect(await ids()).toEqual(['acme/a'])
    })

    test('is complete when a batch has said so, and from then on', async () => {
      const at = new Date('2026-01-01T00:00:00.000Z')
      await append([published('acme/a')])
      expect(await log.after(0, 10)).toMatchObject({ complete: false })

      const { head } = await log.position()
      await log.append({ onto: head, changes: [], watermark: null, complete: true, at })
      await append([published('acme/b')])

      expect(await log.position()).toMatchObject({ complete: true })
      expect(await log.after(0, 10)).toMatchObject({ complete: true })
    })

    test('who decided by an older head is refused, and nothing of it is logged', async () => {
      const at = new Date('2026-01-01T00:00:00.000Z')
      const { head } = await log.position()
      const ours = { onto: head, changes: [published('acme/a', 'ours')], watermark: 'ours', complete: false, at }
      const theirs = { onto: head, changes: [published('acme/a', 'theirs')], watermark: 'theirs', complete: true, at }
      await log.append(ours)

      await expect(log.append(theirs)).rejects.toMatchObject({ code: 'lock_lost' })

      expect((await log.after(0, 10)).changes).toMatchObject([{ id: 'acme/a', contentHash: 'ours' }])
      expect(await log.position()).toMatchObject({ watermark: 'ours', complete: false })
    })

    test('of many writers at a time one is let in at each head', async () => {
      const at = new Date('2026-01-01T00:00:00.000Z')
      const { head } = await log.position()
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, (_, writer) =>
          log.append({ onto: head, changes: [published(`acme/w${writer}`)], watermark: null, complete: false, at }),
        ),
      )

      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(await ids()).toHaveLength(1)
    })

    test('what is logged is told by id, and unknown ids are passed over', async () => {
      await append([published('acme/a', 'hash'), removed('acme/b')])

      const logged = await log.logged(['acme/b', 'acme/a', 'acme/unknown'])

      expect(logged.sort((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
        { id: 'acme/a', contentHash: 'hash' },
        { id: 'acme/b', contentHash: null },
      ])
      expect(await log.logged([])).toEqual([])
    })

    test('what is logged as published is listed by id, without removals', async () => {
      await append([published('acme/c'), published('acme/a'), removed('acme/b'), published('zeta/a')])

      expect(await log.listPublished(null, 2)).toEqual([
        { id: 'acme/a', contentHash: 'one' },
        { id: 'acme/c', contentHash: 'one' },
      ])
      expect(await log.listPublished('acme/c', 2)).toEqual([{ id: 'zeta/a', contentHash: 'one' }])
    })

    test('old removals are dropped, and the horizon says up to where', async () => {
      await append([published('acme/kept'), published('acme/back')], '2026-01-01T00:00:00.000Z')
      await append([removed('acme/old'), removed('acme/back')], '2026-01-02T00:00:00.000Z')
      await append([removed('acme/late')], '2026-01-03T00:00:00.000Z')
      await append([published('acme/back')], '2026-01-04T00:00:00.000Z')
      const before = await log.after(0, 10)
      const sequenceOf = (id: string) => before.changes.find((change) => change.id === id)?.sequence

      expect(await log.prune(new Date('2026-01-02T00:00:00.000Z'))).toBe(0)
      expect((await log.after(0, 10)).horizon).toBe(before.horizon)
      expect(await log.prune(new Date('2026-01-03T00:00:00.000Z'))).toBe(1)

      expect(await ids()).toEqual(['acme/kept', 'acme/late', 'acme/back'])
      expect(await log.after(0, 10)).toMatchObject({ head: before.head, horizon: sequenceOf('acme/old') })
    })

    test('a dropped removal leaves no trace by id, and its skill can come back', async () => {
      await append([removed('acme/old')], '2026-01-01T00:00:00.000Z')
      await log.prune(new Date('2026-02-01T00:00:00.000Z'))

      expect(await log.logged(['acme/old'])).toEqual([])
      await append([published('acme/old')], '2026-02-02T00:00:00.000Z')
      expect(await ids()).toEqual(['acme/old'])
    })
  })
}
