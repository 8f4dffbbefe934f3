import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type {
  ByteRange,
  ExportDraft,
  ExportEncoding,
  ExportFile,
  ExportStore,
  SnapshotMoment,
} from '../../shared/ports/export-store.js'
import type { Lock } from '../../shared/ports/locks.js'
import { aLock } from './a-lock.js'
import { withOverrides } from './with-overrides.js'

/** A file of one record to publish, with this text. */
export const aDraft = (content: string, overrides: Partial<ExportDraft> = {}): ExportDraft => ({
  type: 'skills',
  format: 'json',
  encoding: 'identity',
  total: 1,
  count: 1,
  content: [Buffer.from(content)],
  ...overrides,
})

/** Midnight of a day from 1 to 9. */
export function aMoment(day: number): SnapshotMoment {
  const date = `2026-01-0${day}`
  return {
    snapshot: `${date.replaceAll('-', '')}T000000000Z`,
    generatedAt: `${date}T00:00:00.000Z`,
    changesSince: null,
  }
}

/** Publishes this text as the skills in JSON, and further files. */
export const publishText = (
  store: ExportStore,
  day: number,
  content: string,
  others: ExportDraft[] = [],
  lock: Lock = aLock(),
) => store.publish(aMoment(day), [aDraft(content), ...others], lock)

/** A file of the current snapshot. */
export async function currentFile(
  store: Pick<ExportStore, 'snapshots'>,
  type: ExportFile['type'] = 'skills',
  format: ExportFile['format'] = 'json',
  encoding: ExportEncoding = 'identity',
): Promise<ExportFile> {
  const [current] = await store.snapshots()
  const found = current?.files.find(
    (file) => file.type === type && file.format === format && file.encoding === encoding,
  )
  if (found === undefined) {
    throw new Error(`there is no published file ${type}, ${format}, ${encoding}`)
  }
  return found
}

/** The text of a file of the current snapshot; null when there is none. */
export async function readCurrent(
  store: Pick<ExportStore, 'snapshots' | 'open'>,
  ...which: [type?: ExportFile['type'], format?: ExportFile['format'], encoding?: ExportEncoding]
): Promise<string | null> {
  const file = await currentFile(store, ...which).catch(() => null)
  return file === null ? null : readFile(store, file.sha256)
}

/** The text of a file, or of a part of it; null when there is none. */
export async function readFile(
  store: Pick<ExportStore, 'open'>,
  sha256: string,
  range: ByteRange | null = null,
): Promise<string | null> {
  const stream = await store.open(sha256, range)
  return stream === null ? null : text(stream)
}

/** The same store, whose files are a gigabyte each with the bytes of this stream. */
export const streaming = (exports: ExportStore, stream: Readable): ExportStore =>
  withOverrides(exports, {
    snapshots: async () =>
      (await exports.snapshots()).map((snapshot) => ({
        ...snapshot,
        files: snapshot.files.map((file) => ({ ...file, sizeBytes: 1_000_000_000 })),
      })),
    open: async () => stream,
  })
