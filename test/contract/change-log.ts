import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Catalog } from '../../shared/ports/catalog.js'
import { type ChangeLog, sequenceStep } from '../../shared/ports/change-log.js'
import { type StoredSkill, skillOf } from '../../shared/records/skill.js'
import { aSkill } from '../support/factories.js'
import { changesOfTexts } from './change-log-texts.js'

/** A log, and the catalog whose changes it has. */
export interface LoggedCatalog {
  catalog: Catalog
  changes: ChangeLog
  /** Logs all written records; does nothing where a record and its change are one write. */
  ingest(): Promise<unknown>
  close(): Promise<void>
}

/**
 * The contract of every ChangeLog: it is written through the records only.
 *
 * @param open opens an empty catalog
 */
export function changeLogContract(name: string, open: () => Promise<LoggedCatalog>): void {
  describe(`change log: ${name}`, () => {
    let opened: LoggedCatalog
    let log: ChangeLog
    beforeEach(async () => {
      opened = await open()
      log = opened.changes
    })
    afterEach(() => opened.close())

    const put = async (...skills: Partial<StoredSkill>[]) => {
      await opened.catalog.put(
        'skills',
        skills.map((skill) => aSkill(skill)),
      )
      await opened.ingest()
    }
    const remove = async (...ids: string[]) => {
      await opened.catalog.remove('skills', ids)
      await opened.ingest()
    }
    const read = async (sequence = 0, limit = 10_000) => (await log.after(sequence, limit)).changes
    /** Ids in the order of the log, with a minus for a removal. */
    const entries = async (sequence = 0, limit = 10_000) =>
      (await read(sequence, limit)).map(({ id, contentHash }) => (contentHash === null ? `-${id}` : id))
    const head = async () => (await log.bounds()).head
    const indexedAt = async (id: string) => {
      const found = await opened.catalog.findSkill(id)
      return found.state === 'published' ? skillOf(found).indexedAt : null
    }

    test('the latest entries are the newest first, removals included', async () => {
      expect(await log.latest(5)).toEqual([])
      await put({ repo: 'a' }, { repo: 'b' }, { repo: 'c' })
      await remove('acme/b')
      await put({ repo: 'a', description: 'changed' })

      const latest = await log.latest(10)
      expect(latest.map(({ id, contentHash }) => [id, contentHash !== null])).toEqual([
        ['acme/a', true],
        ['acme/b', false],
        ['acme/c', true],
      ])
      expect(latest).toEqual((await read()).reverse())
      expect(await log.latest(2)).toEqual(latest.slice(0, 2))
    })

    test('a new log is empty, at 0', async () => {
      await opened.ingest()

      expect(await log.bounds()).toMatchObject({ head: 0, horizon: 0, complete: true })
      expect(await log.after(0, 10)).toMatchObject({ changes: [], head: 0, horizon: 0, complete: true })
      expect(await log.listPublished(null, 10)).toEqual([])
      expect(await log.countPublished()).toBe(0)
    })

    test('changes are in the order in which they were logged, for any ids', async () => {
      const began = new Date().toISOString()
      await put({ repo: 'b' })
      await put({ repo: 'a' })
      await remove('acme/b')
      await put({ repo: '0' })

      const { changes, ...bounds } = await log.after(0, 10)

      expect(changes).toEqual([
        { id: 'acme/a', contentHash: expect.stringMatching(/^[0-9a-f]{32}$/), ...times },
        { id: 'acme/b', contentHash: null, ...times },
        { id: 'acme/0', contentHash: expect.stringMatching(/^[0-9a-f]{32}$/), ...times },
      ])
      expect(changes.every(({ changedAt }) => changedAt >= began && changedAt <= new Date().toISOString())).toBe(true)
      expect(bounds).toEqual({ ...(await log.bounds()), head: changes.at(-1)?.sequence, complete: true })
    })

    test('sequences are whole multiples of their step, only grow, and begin at the time of writing', async () => {
      const beganMs = Date.now()
      await put({ repo: 'a' }, { repo: 'b' }, { repo: 'c' })
      await put({ repo: 'd' })
      const endedMs = Date.now()

      const { changes, horizon } = await log.after(0, 10)
      const sequences = changes.map(({ sequence }) => sequence)
      const first = Number(sequences[0])

      expect(sequences.every((sequence) => sequence % sequenceStep === 0)).toBe(true)
      expect(sequences.slice(0, 3)).toEqual([0, 1, 2].map((place) => first + place * sequenceStep))
      expect(Number(sequences[3])).toBeGreaterThan(Number(sequences[2]))
      expect(first).toBeGreaterThanOrEqual(beganMs * sequenceStep)
      expect(first).toBeLessThanOrEqual(endedMs * sequenceStep)
      // Another log of this catalog, since lost, may have had other changes at lower ones.
      expect(horizon).toBe(first - sequenceStep)
    })

    test('an id has one entry, its latest, which takes the highest sequence', async () => {
      await put({ repo: 'a', stars: 1 }, { repo: 'b' })
      const first = await head()
      await put({ repo: 'a', stars: 2 })
      const second = await head()
      await remove('acme/b')

      expect(await entries()).toEqual(['acme/a', '-acme/b'])
      expect(await entries(first)).toEqual(['acme/a', '-acme/b'])
      expect(await entries(second)).toEqual(['-acme/b'])
      expect(await entries(await head())).toEqual([])
    })

    changesOfTexts(() => opened)

    test('reading page by page yields each entry once, also while others are logged', async () => {
      await put(...Array.from({ length: 25 }, (_, place) => ({ repo: `s${place}` })))
      const [seenFirst, notSeenFirst] = [(await entries())[3], (await entries())[20]]
      const seen: string[] = []
      let sequence = 0
      for (let page = 0; page < 10; page += 1) {
        const changes = await read(sequence, 10)
        seen.push(...changes.map(({ id }) => id))
        sequence = changes.at(-1)?.sequence ?? sequence
        if (page === 0) {
          // Already read, so that it is read again; not yet read, so that it is read once; new.
          await put(...[seenFirst, notSeenFirst].map((id) => ({ repo: String(id?.split('/')[1]), stars: 2 })), {
            repo: 'new',
          })
        }
      }

      expect(seen.filter((id) => id === seenFirst)).toHaveLength(2)
      expect(seen.filter((id) => id === notSeenFirst)).toHaveLength(1)
      expect(new Set(seen).size).toBe(26)
      expect(seen).toHaveLength(27)
    })

    test('more skills than one batch has are all logged', async () => {
      await put(...Array.from({ length: 2_345 }, (_, place) => ({ repo: `many-${place}` })))

      expect(new Set(await entries()).size).toBe(2_345)
      expect(await log.countPublished()).toBe(2_345)
    })

    test('a skill that was never published has no entry when it is hidden or removed', async () => {
      await put(
        { repo: 'secret', state: 'hidden' },
        { repo: 'gone', state: 'removed', removedAt: '2026-01-01T00:00:00.000Z' },
        { repo: 'secret-gone', state: 'hidden' },
      )
      await remove('acme/secret-gone')

      expect(await entries()).toEqual([])
      expect(await log.logged(['acme/secret', 'acme/gone', 'acme/secret-gone'])).toEqual([])
      expect(await log.entriesOf(['acme/secret', 'acme/gone', 'acme/secret-gone'])).toEqual([])
    })

    test('a skill that is hidden, removed, or published again is logged as such', async () => {
      await put(...['hidden', 'removed', 'back'].map((repo) => ({ repo })))
      await remove('acme/back')
      const before = await head()

      await put({ repo: 'hidden', state: 'hidden' })
      await put({ repo: 'back' })
      await remove('acme/removed')
      await put({ repo: 'hidden', state: 'hidden', stars: 5 })
      await remove('acme/hidden')

      expect(await entries(before)).toEqual(['-acme/hidden', 'acme/back', '-acme/removed'])
    })

    test('a write that leaves the public content as it is logs nothing, and keeps indexedAt', async () => {
      const began = new Date().toISOString()
      await put({ repo: 'tool', stars: 1, indexedAt: '2001-01-01T00:00:00.000Z' })
      const [before, indexed] = [await log.after(0, 10), await indexedAt('acme/tool')]
      expect(String(indexed) >= began).toBe(true)
      await sleep(5)

      await put({ repo: 'tool', stars: 1 })
      await put({ repo: 'tool', stars: 1, ...{ crawledBy: 'a machine' } })

      expect(await log.after(0, 10)).toEqual(before)
      expect(await indexedAt('acme/tool')).toBe(indexed)

      await put({ repo: 'tool', stars: 2 })
      expect(await entries(before.head)).toEqual(['acme/tool'])
      expect(String(await indexedAt('acme/tool')) > String(indexed)).toBe(true)
    })

    test('entries are found by id, and unknown ids are left out', async () => {
      await put({ repo: 'a' }, { repo: 'b' }, { repo: 'c' })
      await remove('acme/b')

      const logged = await log.logged(['acme/b', 'acme/a', 'acme/unknown'])

      expect(logged.sort((one, other) => one.sequence - other.sequence)).toEqual(
        (await read()).filter(({ id }) => id !== 'acme/c'),
      )
      expect(await log.logged([])).toEqual([])
      const forReaders = await log.entriesOf(['acme/unknown', 'acme/b', 'acme/a'])
      expect(forReaders.sort((one, other) => one.sequence - other.sequence)).toEqual(logged)
      expect(await log.entriesOf([])).toEqual([])
    })

    test('published entries are listed by id and counted, without removals', async () => {
      await put({ repo: 'c' }, { repo: 'a' }, { repo: 'b' }, { owner: 'zeta', repo: 'a' })
      await remove('acme/b')
      const hashes = new Map((await read()).map(({ id, contentHash }) => [id, contentHash]))

      expect(await log.listPublished(null, 2)).toEqual(
        ['acme/a', 'acme/c'].map((id) => ({ id, contentHash: hashes.get(id) })),
      )
      expect((await log.listPublished('acme/c', 2)).map(({ id }) => id)).toEqual(['zeta/a'])
      expect(await log.countPublished()).toBe(3)
    })

    test('old removals are dropped, and the horizon is the last one of them', async () => {
      await put(...['kept', 'old', 'late', 'back'].map((repo) => ({ repo })))
      await remove('acme/old', 'acme/back')
      await sleep(5)
      await remove('acme/late')
      await put({ repo: 'back' })
      const before = await log.after(0, 10)
      const entry = (id: string) => before.changes.find((change) => change.id === id)

      expect(await log.prune(new Date(String(entry('acme/old')?.changedAt)))).toBe(0)
      expect(await log.bounds()).toMatchObject({ horizon: before.horizon })
      expect(await log.prune(new Date(String(entry('acme/late')?.changedAt)))).toBe(1)

      expect(await entries()).toEqual(['acme/kept', '-acme/late', 'acme/back'])
      expect(await log.bounds()).toMatchObject({ head: before.head, horizon: entry('acme/old')?.sequence })
      expect(await log.logged(['acme/old'])).toEqual([])
    })

    test('a skill whose removal was dropped can be published again', async () => {
      await put({ repo: 'old' })
      await remove('acme/old')
      await log.prune(new Date(Date.now() + 60_000))
      const { head: before, horizon } = await log.bounds()
      expect(horizon).toBe(before)

      await put({ repo: 'old' })

      expect(await entries()).toEqual(['acme/old'])
      expect(await entries(before)).toEqual(['acme/old'])
    })
  })
}

const times = { sequence: expect.any(Number), changedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) }
