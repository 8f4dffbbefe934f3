import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { operatorError } from '../../shared/errors.js'
import type { ExportDraft, ExportStore, OpenedExport } from '../../shared/ports/export-store.js'

/**
 * What every ExportStore keeps, whatever is underneath.
 *
 * @param open opens an empty store
 */
export function exportStoreContract(name: string, open: () => Promise<ExportStore>): void {
  describe(`export store: ${name}`, () => {
    let store: ExportStore
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    test('before the first snapshot there is nothing', async () => {
      expect(await store.current()).toEqual([])
      expect(await store.open('skills', 'json')).toBeNull()
    })

    test('a published file is described and holds exactly what was drafted', async () => {
      const published = await store.publish('20260101T000000000Z', '2026-01-01T00:00:00.000Z', [
        aDraft('grüße, 世界 🎉', { total: 12, count: 10 }),
      ])

      const bytes = Buffer.from('grüße, 世界 🎉')
      const info = {
        type: 'skills',
        format: 'json',
        snapshot: '20260101T000000000Z',
        generatedAt: '2026-01-01T00:00:00.000Z',
        total: 12,
        count: 10,
        truncated: true,
        sizeBytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      }
      expect(published).toEqual([info])
      expect(await store.current()).toEqual([info])
      const opened = await mustOpen(store)
      expect(opened.info).toEqual(info)
      expect(await text(opened.stream)).toBe('grüße, 世界 🎉')
    })

    test('all files of a snapshot are told apart by type and format', async () => {
      await store.publish('20260101T000000000Z', '2026-01-01T00:00:00.000Z', [
        aDraft('s-json', { type: 'skills', format: 'json' }),
        aDraft('s-csv', { type: 'skills', format: 'csv' }),
        aDraft('p-json', { type: 'prompts', format: 'json' }),
      ])

      expect(await text((await mustOpen(store, 'skills', 'csv')).stream)).toBe('s-csv')
      expect(await text((await mustOpen(store, 'prompts', 'json')).stream)).toBe('p-json')
      expect(await store.open('organizations', 'json')).toBeNull()
    })

    test('a new snapshot takes the place of the old one as a whole', async () => {
      await publishText(store, 1, 'first', [aDraft('old csv', { format: 'csv' })])

      await publishText(store, 2, 'second')

      expect(await text((await mustOpen(store)).stream)).toBe('second')
      expect(await store.open('skills', 'csv')).toBeNull()
      expect(await store.current()).toHaveLength(1)
    })

    test('a download that began before later snapshots ends with the old bytes', async () => {
      const long = 'x'.repeat(3_000_000)
      await publishText(store, 1, long)
      const opened = await mustOpen(store)

      for (const later of [2, 3, 4, 5]) {
        await publishText(store, later, `later ${later}`)
      }

      expect(await text(opened.stream)).toBe(long)
    })

    test('a draft that fails half-way leaves the old snapshot current', async () => {
      await publishText(store, 1, 'good')
      const failing = (async function* () {
        yield 'the first half'
        throw operatorError('catalog_gone', 'The catalog went away.')
      })()

      await expect(
        store.publish('20260102T000000000Z', '2026-01-02T00:00:00.000Z', [
          aDraft('complete', { format: 'csv' }),
          { ...aDraft(''), content: failing },
        ]),
      ).rejects.toMatchObject({ code: 'catalog_gone' })

      expect(await text((await mustOpen(store)).stream)).toBe('good')
      expect(await store.open('skills', 'csv')).toBeNull()
    })

    test('publishing the same snapshot again is harmless', async () => {
      await publishText(store, 1, 'same')
      await publishText(store, 1, 'same')

      expect(await store.current()).toHaveLength(1)
      expect(await text((await mustOpen(store)).stream)).toBe('same')
    })

    test('drafts and their content may come piece by piece', async () => {
      async function* drafts() {
        yield {
          ...aDraft(''),
          content: (async function* () {
            for (let piece = 0; piece < 1_000; piece += 1) {
              yield `${piece}\n`
            }
          })(),
        }
      }

      await store.publish('20260101T000000000Z', '2026-01-01T00:00:00.000Z', drafts())

      expect((await text((await mustOpen(store)).stream)).split('\n')).toHaveLength(1_001)
    })

    test('an opened file that is not read can be given up', async () => {
      await publishText(store, 1, 'unread')

      const opened = await mustOpen(store)
      opened.stream.destroy()

      expect(opened.stream.destroyed).toBe(true)
    })
  })
}

function aDraft(content: string, overrides: Partial<ExportDraft> = {}): ExportDraft {
  return { type: 'skills', format: 'json', total: 1, count: 1, content: [content], ...overrides }
}

function publishText(store: ExportStore, day: number, content: string, others: ExportDraft[] = []) {
  const date = `2026-01-0${day}`
  return store.publish(`${date.replaceAll('-', '')}T000000000Z`, `${date}T00:00:00.000Z`, [aDraft(content), ...others])
}

async function mustOpen(
  store: ExportStore,
  type: ExportDraft['type'] = 'skills',
  format: ExportDraft['format'] = 'json',
): Promise<OpenedExport> {
  const opened = await store.open(type, format)
  if (opened === null) {
    throw new Error(`nothing published as ${type}, ${format}`)
  }
  return opened
}
