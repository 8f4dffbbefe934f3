import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { ExportFile, ExportStore, SnapshotMoment } from '../../shared/ports/export-store.js'
import { operatorError } from '../../shared/runtime/errors.js'
import { aLock } from '../support/a-lock.js'
import { aDraft, aMoment, currentFile, publishText, readCurrent, readFile } from '../support/export-drafts.js'

/**
 * The contract of every ExportStore.
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
    const publish = (moment: SnapshotMoment, drafts: Parameters<ExportStore['publish']>[1]) =>
      store.publish(moment, drafts, aLock())

    test('before the first snapshot there are no files', async () => {
      expect(await store.snapshots()).toEqual([])
      expect(await store.open('0'.repeat(64), null)).toBeNull()
    })

    test('a published file is described and holds exactly what was drafted', async () => {
      const moment = { snapshot: '20260101T000000000Z', generatedAt: '2026-01-01T00:00:00.000Z', changesSince: 77 }
      const published = await publish(moment, [aDraft('grüße, 世界 🎉', { total: 12, count: 10 })])

      const bytes = Buffer.from('grüße, 世界 🎉')
      const file = {
        type: 'skills',
        format: 'json',
        encoding: 'identity',
        total: 12,
        count: 10,
        truncated: true,
        sizeBytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      }
      expect(published).toEqual({ ...moment, files: [file], manifest: null })
      expect(await store.snapshots()).toEqual([{ ...moment, files: [file], manifest: null }])
      expect(await readFile(store, file.sha256)).toBe('grüße, 世界 🎉')
    })

    test('a snapshot keeps the manifest that was made from its files', async () => {
      const describeFiles = (files: ExportFile[]) => ({
        text: files.map(({ type, format, sizeBytes }) => `${type}.${format} ${sizeBytes}`).join('\n'),
        signature: 'a signature\n',
        publicKey: 'a key',
      })
      const manifest = { text: 'skills.parquet 4\ncatalog.sqlite 6', signature: 'a signature\n', publicKey: 'a key' }
      const drafts = [aDraft('rows', { format: 'parquet' }), aDraft('tables', { type: 'catalog', format: 'sqlite' })]

      const published = await store.publish(aMoment(1), drafts, aLock(), describeFiles)

      expect(published.manifest).toEqual(manifest)
      expect((await store.snapshots()).map((kept) => kept.manifest)).toEqual([manifest])
      expect(await readCurrent(store, 'catalog', 'sqlite')).toBe('tables')
    })

    test('the files of a snapshot are distinguished by type, format and encoding', async () => {
      await publish(aMoment(1), [
        aDraft('s-json', { type: 'skills', format: 'json' }),
        aDraft('s-json packed', { type: 'skills', format: 'json', encoding: 'gzip' }),
        aDraft('s-csv', { type: 'skills', format: 'csv' }),
        aDraft('p-ndjson', { type: 'prompts', format: 'ndjson' }),
      ])

      expect(await readCurrent(store, 'skills', 'json')).toBe('s-json')
      expect(await readCurrent(store, 'skills', 'json', 'gzip')).toBe('s-json packed')
      expect(await readCurrent(store, 'skills', 'csv')).toBe('s-csv')
      expect(await readCurrent(store, 'prompts', 'ndjson')).toBe('p-ndjson')
      expect(await readCurrent(store, 'organizations', 'json')).toBeNull()
      expect(await readCurrent(store, 'skills', 'json', 'br')).toBeNull()
    })

    test('bytes that are no text are returned unchanged', async () => {
      const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, place) => (place * 7919) % 256))

      const { files } = await publish(aMoment(1), [
        { ...aDraft(''), content: [bytes.subarray(0, 1), bytes.subarray(1, 70_000), bytes.subarray(70_000)] },
      ])

      const stream = await store.open(String(files[0]?.sha256), null)
      expect(Buffer.concat(await (stream?.toArray() ?? []))).toEqual(bytes)
    })

    test('a file may be empty', async () => {
      await publish(aMoment(1), [aDraft('', { format: 'ndjson', content: [] })])

      expect(await currentFile(store, 'skills', 'ndjson')).toMatchObject({ sizeBytes: 0 })
      expect(await readCurrent(store, 'skills', 'ndjson')).toBe('')
    })

    test('any part of a file can be read', async () => {
      const content = Array.from({ length: 100_000 }, (_, place) => String(place).padStart(8, '0')).join('')
      await publishText(store, 1, content)
      const { sha256 } = await currentFile(store)

      // GridFS stores chunks of 64 KiB: the ranges are within one, at a boundary, and across several.
      for (const [start, end] of [
        ...([
          [0, 0],
          [10, 19],
          [65_535, 65_536],
          [65_536, 131_071],
        ] as const),
        ...([
          [100, 700_000],
          [799_999, 799_999],
          [0, 799_999],
        ] as const),
      ]) {
        const part = await readFile(store, sha256, { start, end })
        expect({ start, end, isEqual: part === content.slice(start, end + 1) }).toEqual({ start, end, isEqual: true })
      }
    })

    test('a new snapshot replaces the old one as a whole; the old one stays available', async () => {
      await publishText(store, 1, 'first', [aDraft('old csv', { format: 'csv' })])

      await publishText(store, 2, 'second')

      const [current, former] = await store.snapshots()
      expect([current?.files.length, former?.files.length]).toEqual([1, 2])
      expect(await readCurrent(store)).toBe('second')
      expect(await readFile(store, String(former?.files[0]?.sha256))).toBe('first')
      expect(await readFile(store, String(former?.files[1]?.sha256))).toBe('old csv')
    })

    test('the three newest snapshots are kept, and nothing of older ones can be opened', async () => {
      await publishText(store, 1, 'day 1')
      const { sha256 } = await currentFile(store)

      for (const day of [2, 3, 4, 5]) {
        await publishText(store, day, `day ${day}`)
      }

      expect((await store.snapshots()).map(({ snapshot }) => snapshot)).toEqual([
        '20260105T000000000Z',
        '20260104T000000000Z',
        '20260103T000000000Z',
      ])
      expect(await store.open(sha256, null)).toBeNull()
    })

    test('a download that began before later snapshots ends with the old bytes', async () => {
      const long = 'x'.repeat(3_000_000)
      await publishText(store, 1, long)
      const opened = await store.open((await currentFile(store)).sha256, null)

      for (const later of [2, 3, 4, 5]) {
        await publishText(store, later, `later ${later}`)
      }

      expect(opened === null ? null : await text(opened)).toBe(long)
    })

    test('a draft that fails half-way leaves the old snapshot current', async () => {
      await publishText(store, 1, 'good')
      const failing = (async function* () {
        yield Buffer.from('the first half')
        throw operatorError('catalog_gone', 'The catalog is unavailable.')
      })()

      await expect(
        publish(aMoment(2), [aDraft('complete', { format: 'csv' }), { ...aDraft(''), content: failing }]),
      ).rejects.toMatchObject({ code: 'catalog_gone' })

      expect(await store.snapshots()).toHaveLength(1)
      expect(await readCurrent(store)).toBe('good')
    })

    test('publishing the same snapshot again is harmless', async () => {
      await publishText(store, 1, 'same')
      await publishText(store, 1, 'same')

      expect(await store.snapshots()).toHaveLength(1)
      expect(await readCurrent(store)).toBe('same')
    })

    test('files of two snapshots may have equal content', async () => {
      await publishText(store, 1, 'same')
      await publishText(store, 2, 'same')

      expect(await store.snapshots()).toHaveLength(2)
      expect(await readCurrent(store)).toBe('same')
    })

    test('drafts and their content may be streamed', async () => {
      async function* drafts() {
        yield {
          ...aDraft(''),
          content: (async function* () {
            for (let piece = 0; piece < 1_000; piece += 1) {
              yield Buffer.from(`${piece}\n`)
            }
          })(),
        }
      }

      await publish(aMoment(1), drafts())

      expect((await readCurrent(store))?.split('\n')).toHaveLength(1_001)
    })

    test('an opened file can be closed without being read', async () => {
      await publishText(store, 1, 'unread')

      const opened = await store.open((await currentFile(store)).sha256, null)
      opened?.destroy()

      expect(opened?.destroyed).toBe(true)
    })
  })
}
